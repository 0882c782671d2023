import { randomBytes } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { type Address, type Hex, zeroAddress, zeroHash } from "viem";
import { expect } from "vitest";
import { readReceiptSigner } from "../../../config/keys/signing-key.ts";
import { escrow, escrowEvent } from "../../../db/chain-index.ts";
import type { Transaction } from "../../../db/client.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { event, fact, order, payment, relay } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { recordChainEvents } from "../../../jobs/chain/record-events.ts";
import {
  type Answer,
  expectStatus,
  publishService,
  type RequestOptions,
  type Session,
  signIn,
  type TestApi,
} from "../api.ts";
import type { TestChain } from "../chain.ts";
import { createDocumentedApi } from "../documented.ts";

export const inputSchema = {
  type: "object",
  properties: { text: { type: "string", minLength: 1 }, pages: { type: "integer" } },
  required: ["text"],
  additionalProperties: false,
};
export const outputSchema = {
  type: "object",
  properties: { translation: { type: "string" } },
  required: ["translation"],
};

/** A buyer, a provider with a published service, and a third person, each signed in with an own wallet. */
export async function createMarket(options: { chain?: TestChain; env?: Record<string, string> } = {}) {
  const api = await createDocumentedApi(options);
  const [buyer, provider, outsider] = [await signIn(api), await signIn(api), await signIn(api)];
  const { agent, service } = await publishService(api, provider, {
    input_schema: inputSchema,
    output_schema: outputSchema,
    acceptance_hours: 48,
  });
  const chain = api.config.defaultChain;
  if (!chain) throw new Error("The API serves no chain.");
  return { api, chain, buyer, provider, outsider, agent, service };
}
export type Market = Awaited<ReturnType<typeof createMarket>>;

/** Sends a request of one of the market's people. */
export function ask(
  { api }: { api: TestApi },
  who: Session,
  method: "GET" | "POST" | "PATCH",
  path: string,
  body?: unknown,
  options: RequestOptions = {},
): Promise<Answer> {
  return api.request(method, path, { token: who.token, body, ...options });
}

/** Lets the market's service accept these arbiters, besides the chain's and none. */
export async function accept({ api, chain, provider, agent, service }: Market, ...arbiters: Address[]) {
  const body = { arbiters: [...new Set([chain.arbiter, zeroAddress, ...arbiters])] };
  const path = `/agents/${agent.slug}/services/${service.slug}`;
  expectStatus(200, await api.request("PATCH", path, { token: provider.token, body }));
}

/** Places an order, which must be accepted. Returns the answer's body. */
export async function place(market: Market, body: Record<string, unknown> = {}): Promise<Answer["body"]> {
  return expectStatus(
    201,
    await ask(market, market.buyer, "POST", "/orders", {
      service_id: market.service.id,
      input_payload: { text: "Guten Tag" },
      ...body,
    }),
  );
}

export async function rowOf({ api }: Market, orderId: string): Promise<OrderRow> {
  const [row] = await api.db.select().from(order).where(eq(order.id, orderId));
  if (!row) throw new Error(`There is no order ${orderId}.`);
  return row;
}

/** Counts the rows of every table that a step of an order may write. */
export async function countRows({ api: { db } }: Market) {
  return {
    orders: await db.$count(order),
    facts: await db.$count(fact),
    events: await db.$count(event),
    relays: await db.$count(relay),
    payments: await db.$count(payment),
  };
}

/** Asserts an error with this status and code, and that the request left no row behind. */
export async function expectRefusal(
  market: Market,
  request: () => Promise<Answer>,
  status: number,
  code: string,
  message?: string | RegExp,
): Promise<Answer["body"]["error"]> {
  const before = await countRows(market);
  const answer = await request();
  expect([answer.status, answer.body.error?.code], JSON.stringify(answer.body)).toEqual([status, code]);
  if (message !== undefined) expect(answer.body.error.message).toMatch(message);
  expect(answer.body.error.request_id).toBe(answer.headers.get("x-request-id"));
  expect(await countRows(market)).toEqual(before);
  return answer.body.error;
}

let logs = 0;

/** The next log index in the one block that holds all logs of the harness. */
export const nextLogIndex = (): number => logs++;

export const randomHash = (): Hex => `0x${randomBytes(32).toString("hex")}`;

/** Moves indexed and confirmed events into the ledger, as the worker does. */
export function settleNow({ api }: Market) {
  return recordChainEvents(api.db, api.config, readReceiptSigner(api.config));
}

/** Runs `work` without Ponder's triggers on its tables, which need a session of Ponder. */
export function asIndexer<T>({ api }: Market, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(api.db, async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    return work(tx);
  });
}

/** Writes rows as the indexer does, without a chain: an event and the escrow after it. */
export function indexer(market: Market, row: OrderRow) {
  const now = Math.floor(Date.now() / 1000);
  const ofEscrow = and(eq(escrow.chainId, row.chainId), eq(escrow.escrowId, row.escrowId));
  return {
    funded: () =>
      asIndexer(market, async (tx) => {
        await tx.insert(escrow).values({
          chainId: row.chainId,
          escrowId: row.escrowId,
          contract: row.escrowContract,
          orderHash: row.orderHash,
          status: "funded",
          buyer: row.buyerAddress,
          provider: row.providerAddress,
          token: row.token,
          amount: row.amount,
          arbiter: row.arbiter,
          fundedAt: BigInt(now),
          deliveryDeadline: BigInt(now + row.deliveryWindow),
          deliveryCount: 0,
          paidAmount: 0n,
          earnedAmount: 0n,
          partCount: 0,
          releasedAmount: 0n,
          refundedAmount: 0n,
        });
        return insertEvent(tx, "EscrowCreated", {
          orderHash: row.orderHash,
          payer: row.buyerAddress,
          terms: { amount: row.amount.toString() },
        });
      }),
    delivered: (outputHash: Hex, number = 1) =>
      asIndexer(market, async (tx) => {
        const autoReleaseAt = now + row.acceptanceWindow;
        await tx
          .update(escrow)
          .set({
            deliveryCount: number,
            earnedAmount: row.amount,
            outputHash,
            deliveredAt: BigInt(now),
            autoReleaseAt: BigInt(autoReleaseAt),
          })
          .where(ofEscrow);
        return insertEvent(tx, "DeliveryRecorded", { outputHash, number, deliveredAt: now, autoReleaseAt });
      }),
    /** The final part of a metered order. @param earned base units */
    deliveredFinally: (workHash: Hex, earned: bigint, number = 1) =>
      asIndexer(market, async (tx) => {
        const acceptedAt = now + row.acceptanceWindow;
        await tx
          .update(escrow)
          .set({
            deliveryCount: number,
            outputHash: workHash,
            earnedAmount: earned,
            deliveredAt: BigInt(now),
            autoReleaseAt: BigInt(acceptedAt),
          })
          .where(ofEscrow);
        const part = { workHash, earned: earned.toString(), number, recordedAt: now, acceptedAt };
        return insertEvent(tx, "PartRecorded", { ...part, isFinal: true });
      }),
    /** The payment of one base unit by a voucher. @param number counts the payments */
    partReleased: (number: number) =>
      asIndexer(market, (tx) =>
        insertEvent(tx, "PartReleased", {
          provider: row.providerAddress,
          token: row.token,
          amount: "1",
          total: String(number),
          workHash: randomHash(),
          number,
        }),
      ),
    /** @param decideBy unix seconds */
    disputed: (party: "buyer" | "provider" = "buyer", reasonHash: Hex = zeroHash, decideBy = now + 3600) =>
      asIndexer(market, async (tx) => {
        await tx
          .update(escrow)
          .set({ status: "disputed", disputedAt: BigInt(now), decideBy: BigInt(decideBy) })
          .where(ofEscrow);
        const address = party === "buyer" ? row.buyerAddress : row.providerAddress;
        return insertEvent(tx, "Disputed", { party: address, reasonHash, decideBy });
      }),
    /** @param settleableAt unix seconds */
    decided: (providerAmount: bigint, rulingHash: Hex = zeroHash, settleableAt = now + 1800) =>
      asIndexer(market, async (tx) => {
        await tx
          .update(escrow)
          .set({
            status: "decided",
            decidedProviderAmount: providerAmount,
            settleableAt: BigInt(settleableAt),
          })
          .where(ofEscrow);
        return insertEvent(tx, "DisputeDecided", {
          arbiter: row.arbiter,
          providerAmount: providerAmount.toString(),
          buyerAmount: (row.amount - providerAmount).toString(),
          rulingHash,
          settleableAt,
        });
      }),
    ended: (name: "Released" | "Refunded", amount = row.amount) =>
      asIndexer(market, async (tx) => {
        await tx
          .update(escrow)
          .set({ status: name === "Released" ? "released" : "refunded" })
          .where(ofEscrow);
        return insertEvent(tx, name, {
          [name === "Released" ? "provider" : "buyer"]:
            name === "Released" ? row.providerAddress : row.buyerAddress,
          token: row.token,
          amount: amount.toString(),
        });
      }),
  };

  async function insertEvent(tx: Transaction, name: string, args: Record<string, unknown>) {
    const [blockHash, logIndex] = [randomHash(), nextLogIndex()];
    const [inserted] = await tx
      .insert(escrowEvent)
      .values({
        id: `${row.chainId}:${blockHash}:${logIndex}`,
        chainId: row.chainId,
        escrowId: row.escrowId,
        contract: row.escrowContract,
        name,
        args: { escrowId: row.escrowId, ...args },
        blockNumber: 1n,
        blockHash,
        transactionHash: randomHash(),
        logIndex,
        timestamp: BigInt(now),
      })
      .returning();
    if (!inserted) throw new Error("The event was not written.");
    return inserted;
  }
}

/** Creates an order that the ledger has as funded. */
export async function placeFunded(market: Market, body: Record<string, unknown> = {}) {
  const placed = await place(market, body);
  const row = await rowOf(market, placed.id);
  await indexer(market, row).funded();
  await settleNow(market);
  return { id: placed.id as string, row };
}

/** Creates an order that the provider has started. */
export async function placeStarted(market: Market, body: Record<string, unknown> = {}) {
  const funded = await placeFunded(market, body);
  expectStatus(200, await ask(market, market.provider, "POST", `/orders/${funded.id}/start`));
  return funded;
}

/** Creates an order that is delivered, and not recorded on the chain. */
export async function placeDelivered(
  market: Market,
  output = { translation: "Good day" },
  body: Record<string, unknown> = {},
) {
  const started = await placeStarted(market, body);
  expectStatus(
    200,
    await ask(market, market.provider, "POST", `/orders/${started.id}/deliver`, { output_payload: output }),
  );
  return started;
}
