import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { type Address, erc20Abi, type LocalAccount, parseEventLogs } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import {
  type Answer,
  createKey,
  expectStatus,
  publishService,
  type Requester,
  requesterOf,
  type Session,
  signIn,
} from "../api.ts";
import type { TestChain } from "../chain.ts";
import { readEscrowChange } from "./escrowed.ts";

/** The place of a test's orders and payments. */
export type Market = {
  api: Requester;
  chain: TestChain;
  /** The API's address, as in `http://localhost:49152`. */
  baseUrl: string;
  buyer: Session;
  provider: Session;
  buyerKey: string;
  providerKey: string;
  serviceId: string;
};

/** Signs in a funded buyer and a provider, and publishes a service of 2.5 tokens. */
export async function openMarket(
  chain: TestChain,
  api: Requester | string,
  baseUrl = typeof api === "string" ? api : "http://localhost:42069",
): Promise<Market> {
  const requester = typeof api === "string" ? requesterOf(api) : api;
  const [buyer, provider] = [
    await signIn(requester, newAccount(), chain.chain.chain_id),
    await signIn(requester, newAccount(), chain.chain.chain_id),
  ];
  await chain.fund(buyer.account);
  // The buyer pays without native coin.
  await chain.node.setBalance({ address: buyer.account.address, value: 0n });
  const { service } = await publishService(requester, provider);
  return {
    api: requester,
    chain,
    baseUrl,
    buyer,
    provider,
    buyerKey: await createKey(requester, buyer, ["orders:read", "orders:write"]),
    providerKey: await createKey(requester, provider, ["orders:read", "orders:write"]),
    serviceId: service.id,
  };
}

/** Places an order on the x402 rail. */
export async function placeOrder(
  market: Market,
  body: Record<string, unknown> = {},
): Promise<Answer["body"]> {
  return expectStatus(
    201,
    await market.api.request("POST", "/orders", {
      apiKey: market.buyerKey,
      body: { service_id: market.serviceId, settlement_rail: "x402", ...body },
    }),
  );
}

/** The payment URL of an order, for a stock client. */
export function paymentUrl(market: Market, order: { id: string }): string {
  return `${market.baseUrl}/api/v1/orders/${order.id}/payment`;
}

/** The URL at which a stock client buys the market's service without an account. */
export async function readBuyUrl({ api, serviceId }: Market): Promise<string> {
  const { items } = expectStatus(200, await api.request("GET", "/marketplace/services"));
  return items.find(({ id }: { id: string }) => id === serviceId).buy_url;
}

/**
 * A stock client of today with its spend controls set for the market's token, and nothing else.
 *
 * @param select which way to pay, of those that the 402 answer offers; left out: as the client does by itself
 */
export function stockFetch(
  market: Market,
  payer: Pick<LocalAccount, "address" | "signTypedData"> = market.buyer.account,
  select?: ConstructorParameters<typeof x402Client>[0],
): typeof fetch {
  const { chain_id, token } = market.chain.chain;
  const network = `eip155:${chain_id}` as const;
  const client = new x402Client(select).register(network, new ExactEvmScheme(payer));
  client.setSpendControls({ allowedAssets: [{ network, asset: token.address }] });
  return wrapFetchWithPayment(fetch, client) as typeof fetch;
}

/** Returns the token balance of an address, in base units. */
export function balanceOf({ chain }: Market, account: Address): Promise<bigint> {
  return chain.publicClient.readContract({
    address: chain.chain.token.address,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [account],
  });
}

/** Returns how many base units the funding transaction of an order moved into the escrow contract. */
export async function readEscrowed({ api, buyerKey, chain }: Market, order: { id: string }): Promise<bigint> {
  const path = `/orders/${order.id}/events`;
  const { items } = expectStatus(200, await api.request("GET", path, { apiKey: buyerKey }));
  const { hash } = items.find(({ type }: { type: string }) => type === "order.funded").transaction;
  const change = await readEscrowChange(chain, hash);
  // A batch creates escrows of other tests in the same transaction.
  const { logs } = await chain.publicClient.getTransactionReceipt({ hash });
  const created = parseEventLogs({ abi: escrowAbi, eventName: "EscrowCreated", logs });
  expect(change).toBe(created.reduce((sum, { args }) => sum + args.terms.amount, 0n));
  const { escrow } = expectStatus(200, await api.request("GET", `/orders/${order.id}`, { apiKey: buyerKey }));
  const own = created.find(({ args }) => args.escrowId === escrow.escrow_id);
  if (!own) throw new Error(`${hash} creates no escrow of ${order.id}.`);
  return own.args.terms.amount;
}

/** Waits until the order has this status, as its buyer sees it. */
export async function reach(market: Market, order: { id: string }, status: string): Promise<Answer["body"]> {
  let now: Answer["body"];
  await expect
    .poll(
      async () => {
        now = expectStatus(
          200,
          await market.api.request("GET", `/orders/${order.id}`, { apiKey: market.buyerKey }),
        );
        return now.status;
      },
      { interval: 50 },
    )
    .toBe(status);
  return now;
}

/** Waits until the order's payment has this status, as its buyer sees it. */
export async function reachPayment(
  market: Market,
  order: { id: string },
  status: string,
): Promise<Answer["body"]> {
  let now: Answer["body"];
  const read = async () => {
    const path = `/orders/${order.id}/payment`;
    now = expectStatus(200, await market.api.request("GET", path, { apiKey: market.buyerKey })).payment;
    return now?.status;
  };
  await expect.poll(read, { interval: 50 }).toBe(status);
  return now;
}

export function newAccount(): LocalAccount {
  return privateKeyToAccount(generatePrivateKey());
}

/** Works as the provider: delivers the next order that is funded. */
export async function deliverNext({ api, providerKey: apiKey }: Market, output: unknown): Promise<void> {
  const find = async () => {
    const { items } = expectStatus(
      200,
      await api.request("GET", "/orders/received?status=funded&include=payloads", { apiKey }),
    );
    return items.find(({ input_payload }: Answer["body"]) => input_payload !== null)?.id;
  };
  let id: string | undefined;
  await expect
    .poll(
      async () => {
        id = await find();
        return id;
      },
      { interval: 100 },
    )
    .toBeDefined();
  expectStatus(200, await api.request("POST", `/orders/${id}/start`, { apiKey }));
  const body = { output_payload: output };
  expectStatus(200, await api.request("POST", `/orders/${id}/deliver`, { apiKey, body }));
}
