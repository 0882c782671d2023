// Buys once. A test kills this program at any moment and starts it again.

import { createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { Earnest, type SettlementRail } from "../src/index.ts";

const { BASE_URL = "", TOKEN, WALLET_KEY, RPC_URL, AGENT, ISSUER, RAIL } = process.env;
const earnest = new Earnest({ baseUrl: BASE_URL, apiKey: TOKEN, timeoutMs: 10_000 });
const wallet = createWalletClient({
  account: privateKeyToAccount(WALLET_KEY as Hex),
  transport: http(RPC_URL),
  pollingInterval: 50,
});
const [service] = (await earnest.marketplace.searchServices({ agent: AGENT })).items;
if (!service) throw new Error("There is no such service.");
const purchase = await earnest.buy(
  service,
  { number: 21 },
  { wallet, maxAmount: "3.00", rail: RAIL as SettlementRail, issuer: ISSUER },
);
console.log(purchase.orderId, purchase.order.status);
process.exit();
