// Buys once without an account. A test kills this program at any moment and starts it again.

import { createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { Earnest } from "../src/index.ts";

const { BASE_URL = "", WALLET_KEY, RPC_URL, AGENT, ISSUER } = process.env;
const earnest = new Earnest({ baseUrl: BASE_URL, timeoutMs: 10_000 });
const wallet = createWalletClient({
  account: privateKeyToAccount(WALLET_KEY as Hex),
  transport: http(RPC_URL),
  pollingInterval: 50,
});
const [service] = (await earnest.marketplace.searchServices({ agent: AGENT })).items;
if (!service) throw new Error("There is no such service.");
const options = { wallet, maxAmount: "3.00", issuer: ISSUER };
const purchase = await earnest.buyWithoutAccount(service, { number: 21 }, options);
console.log(purchase.orderId, purchase.order.status);
process.exit();
