// Checks the x402 receipt in receipt.json with x402's own functions.

import { readFileSync } from "node:fs";
import { verifyReceiptSignatureJWS } from "@x402/extensions/offer-receipt";

const { x402_receipt: jws } = JSON.parse(readFileSync("receipt.json", "utf8"));
// It finds the key through the `kid` in the JWS: compare that with the issuer you expect first.
const receipt = await verifyReceiptSignatureJWS({ format: "jws", signature: jws });
console.log(receipt.payload?.transaction ?? receipt.transaction);
