// Buys the service at $BUY_URL by one request, without an account.

import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

const wallet = privateKeyToAccount(process.env.PRIVATE_KEY);
const usdc = { network: "eip155:8453", asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" };
const client = new x402Client().register(usdc.network, new ExactEvmScheme(wallet));
client.setSpendControls({ allowedAssets: [{ ...usdc, maxAmountPerPayment: "50000000" }] });

const bought = await wrapFetchWithPayment(fetch, client)(process.env.BUY_URL, {
  method: "POST",
  headers: { "content-type": "application/json", prefer: "wait=30" },
  body: JSON.stringify({ input_payload: { text: "Good day" }, buyer_address: wallet.address }),
});
const { order, claim } = await bought.json();
console.log(bought.status, order.status, order.output_payload, claim.token);
