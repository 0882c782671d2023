// Checks the x402 receipt in receipt.json with jose.

import { readFileSync } from "node:fs";
import { compactVerify, createRemoteJWKSet } from "jose";

const { x402_receipt: jws } = JSON.parse(readFileSync("receipt.json", "utf8"));
const keys = createRemoteJWKSet(new URL("https://market.example/.well-known/jwks.json"));
const { payload } = await compactVerify(jws, keys, { algorithms: ["EdDSA"] });
const receipt = JSON.parse(new TextDecoder().decode(payload));
// jose knows nothing of kinds and windows: it is a receipt if it has `payer` and `issuedAt`, and no `payTo`.
console.log(receipt.transaction);
