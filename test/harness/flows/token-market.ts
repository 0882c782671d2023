import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, encodeFunctionData, type Hex, type LocalAccount, parseUnits } from "viem";
import { expect } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import { describeToken, type TokenEntry } from "../../../tools/deploy/token.ts";
import { type Answer, createKey, expectStatus, publishService, requesterOf, signIn } from "../api.ts";
import { forkChain, type TestChain } from "../chain.ts";
import { startStack } from "../stack.ts";
import { placePermit2 } from "./permit2.ts";
import { tokenDeployer } from "./tokens.ts";
import { balanceOf, type Market, paymentUrl, stockFetch } from "./x402-order.ts";

const kinds = ["ZERO", "TWO", "EIGHT", "BIG", "USDT", "DAI", "NOZ", "CALL", "REB"] as const;
export type Kind = (typeof kinds)[number];
/** The tokens that can pay 2.5 exactly. */
export const exactKinds = ["TWO", "EIGHT", "BIG", "USDT", "DAI", "NOZ", "CALL"] as const;

export type TokenMarket = Awaited<ReturnType<typeof openTokenMarket>>;

/**
 * The whole stack on one chain with TestUSD of 6 decimals, which prices have, and tokens that differ from it in one respect
 * each. One service costs 2.5 dollars, and one costs 3 in the tokens that cannot pay 2.5, or change balances.
 */
export async function openTokenMarket() {
  const folder = mkdtempSync(join(tmpdir(), "earnest-tokens-"));
  const fork = await forkChain();
  await placePermit2(fork);
  const tools = await tokenDeployer(fork.rpcUrl);
  const addresses: Record<Kind, Address> = {
    ZERO: await tools.deploySimple("ZERO", 0),
    TWO: await tools.deploySimple("TWO", 2),
    EIGHT: await tools.deploySimple("EIGHT", 8),
    BIG: await tools.deploySimple("BIG", 24),
    USDT: await tools.deploy("SilentToken"),
    DAI: await tools.deploy("AllowingToken"),
    NOZ: await tools.deploy("ZeroRefusingToken"),
    CALL: await tools.deploy("CallingToken"),
    REB: await tools.deploy("RebasingToken"),
  };
  const deployed = {} as Record<Kind, TokenEntry>;
  for (const kind of kinds) deployed[kind] = (await describeToken(fork.publicClient, addresses[kind])).token;
  const file = `${fork.chain.chain_id}.json`;
  const manifest = JSON.parse(readFileSync(join(fork.env.DEPLOYMENTS_DIR as string, file), "utf8"));
  const others = kinds.map((kind) => ({ ...deployed[kind], currency: "USD" }));
  writeFileSync(join(folder, file), JSON.stringify({ ...manifest, other_tokens: others }));
  const chain: TestChain = { ...fork, env: { ...fork.env, DEPLOYMENTS_DIR: folder } };
  const stack = await startStack({ chain });

  const nameOf = (kind: Kind) => ({ chain_id: chain.chain.chain_id, token: deployed[kind].address });
  const units = (amount: string, kind: Kind) => parseUnits(amount, deployed[kind].decimals);
  const api = requesterOf(stack.baseUrl);
  const [buyer, provider] = [await signIn(api), await signIn(api)];
  const keyOf = (of: typeof buyer) =>
    createKey(api, of, ["orders:read", "orders:write", "subscriptions:read"]);
  const publish = (price: string, accepted: readonly Kind[]) =>
    publishService(api, provider, { price, price_currency: "USD", accepts: accepted.map(nameOf) });
  const [exact, whole] = [await publish("2.5", exactKinds), await publish("3", ["ZERO", "REB"])];
  await chain.fund(buyer.account);
  for (const kind of kinds)
    await tools.call(deployed[kind].address, "mint", [buyer.account.address, units("1000", kind)]);
  const market: Market = {
    api,
    baseUrl: stack.baseUrl,
    buyer,
    provider,
    chain,
    serviceId: exact.service.id,
    buyerKey: await keyOf(buyer),
    providerKey: await keyOf(provider),
  };
  const services: { exact: string; whole: string } = { exact: exact.service.id, whole: whole.service.id };

  /** The market as one that has this token. */
  const marketIn = (kind: Kind): Market => ({
    ...market,
    chain: { ...chain, chain: { ...chain.chain, token: { ...chain.chain.token, ...deployed[kind] } } },
  });
  const holds = (kind: Kind, account: Address) => balanceOf(marketIn(kind), account);

  async function ask(method: string, path: string, body?: Record<string, unknown>, status = 200) {
    return expectStatus(status, await api.request(method, path, { apiKey: market.buyerKey, body }));
  }

  async function send(call: { to: Address; data: Hex }, account: LocalAccount = buyer.account) {
    const { to, data } = call;
    const hash = await chain.wallet(account).sendTransaction({ to, data, gas: 1_000_000n });
    return (await chain.publicClient.waitForTransactionReceipt({ hash })).status;
  }

  async function readTerms({ id }: Answer["body"]) {
    const { terms } = await ask("GET", `/orders/${id}/payment-instructions`);
    return { ...terms, amount: BigInt(terms.amount) };
  }

  return {
    chain,
    tools,
    deployed,
    market,
    services,
    agent: exact.agent.slug as string,
    nameOf,
    units,
    marketIn,
    holds,
    ask,
    send,
    readTerms,
    /** An amount as the API shows it. */
    shown(amount: string, kind: Kind): string {
      const [whole = "", fraction = ""] = amount.split(".");
      const { decimals } = deployed[kind];
      return decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, "0")}`;
    },
    place(kind: Kind, rail: "escrow" | "x402", service = services.exact): Promise<Answer["body"]> {
      const body = { service_id: service, settlement_rail: rail, pay_with: nameOf(kind) };
      return ask("POST", "/orders", body, 201);
    },
    /** Pays an order by the calls of its instructions. */
    async payByCalls(order: Answer["body"]): Promise<string[]> {
      const { calls } = await ask("GET", `/orders/${order.id}/payment-instructions`);
      const statuses: string[] = [];
      for (const call of calls) statuses.push(await send(call));
      return statuses;
    },
    payByStockClient: (kind: Kind, order: Answer["body"], payer?: LocalAccount) =>
      stockFetch(marketIn(kind), payer)(paymentUrl(market, order), {
        method: "POST",
        headers: { authorization: `Bearer ${market.buyerKey}` },
      }),
    async release(order: Answer["body"]): Promise<void> {
      const { actions } = await ask("GET", `/orders/${order.id}/settlement-options`);
      const { call } = actions.find(({ action }: { action: string }) => action === "release");
      expect(await send(call)).toBe("success");
    },
    /** The buyer takes back what lies at an order's deposit address. */
    async expectReturned(kind: Kind, terms: Answer["body"], amount: bigint): Promise<void> {
      const had = await holds(kind, buyer.account.address);
      const args = [terms, deployed[kind].address] as const;
      const data = encodeFunctionData({ abi: escrowAbi, functionName: "returnDeposit", args });
      expect(await send({ to: chain.chain.escrow_contract, data })).toBe("success");
      expect((await holds(kind, buyer.account.address)) - had).toBe(amount);
    },
    async close(): Promise<void> {
      await stack.close();
      await chain.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
