// Pays the order $ORDER with a stock client of x402.

import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

const { BASE, KEY, ORDER, PRIVATE_KEY } = process.env;
const usdc = { network: "eip155:8453", asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" };

const client = new x402Client().register(usdc.network, new ExactEvmScheme(privateKeyToAccount(PRIVATE_KEY)));
client.setSpendControls({ allowedAssets: [{ ...usdc, maxAmountPerPayment: "50000000" }] });
const payFetch = wrapFetchWithPayment(fetch, client);
const paid = await payFetch(`${BASE}/orders/${ORDER}/payment`, {
  method: "POST",
  headers: { "x-api-key": KEY },
});
console.log(paid.status, await paid.json());
