import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { type Address, erc20Abi } from "viem";
import { expect } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import type { Database } from "../../../db/client.ts";
import { event, fact, order, receipt, relay } from "../../../db/schema.ts";
import type { Session, TestApi } from "../../harness/api.ts";
import { agree, type Case, nameOf } from "./case.ts";
import type { ModelChain } from "./chain.ts";
import { amount } from "./plan.ts";
import { matchedAt, statusOf } from "./rules.ts";

const phases = ["none", "funded", "disputed", "decided", "released", "refunded", "split"] as const;
const idsOf = (cases: Case[]) => cases.map(({ row }) => row.id);

/**
 * Compares the model with the order's row, its facts, its relays, the contract's state and the contract's
 * money.
 */
export async function compareAll(
  { db, chain, token }: { db: Database; chain: ModelChain; token: Address },
  cases: Case[],
): Promise<void> {
  const contract = cases[0]?.row.escrowContract as Address;
  const [rows, trails, relays, states] = await Promise.all([
    db
      .select()
      .from(order)
      .where(inArray(order.id, idsOf(cases))),
    readTrails(db, cases),
    readRelays(db, cases),
    readContract(chain, contract, cases),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const unix = (time: Date | null | undefined) => (time ? time.getTime() / 1000 : null);
  for (const [at, one] of cases.entries()) {
    const { order: model } = one;
    const { deal, fundedAt, deliveredAt } = model;
    const row = byId.get(one.row.id);
    const status = statusOf(model);
    const matched = matchedAt(model);
    const found = {
      status: row?.status,
      trail: trails.get(one.row.id),
      deadline: unix(row?.deliveryDeadline),
      autoRelease: unix(row?.autoReleaseAt),
      releaseDue: unix(row?.releaseDueAt),
      ended: row?.completedAt !== null,
      contract: states[at],
      relays: (relays.get(one.row.id) ?? [])
        .filter((stored) => stored.status === "mined" || stored.status === "failed")
        .map((stored) => `${nameOf(one, stored.key)} ${stored.status}`)
        .sort(),
    };
    const expected: typeof found = {
      status,
      trail: model.trail,
      deadline: fundedAt ? fundedAt + deal.delivery : null,
      autoRelease: deliveredAt ? deliveredAt + deal.acceptance : null,
      releaseDue: matched === null ? null : matched + deal.acceptance,
      ended: status === "released" || status === "refunded",
      contract: [model.phase, model.records, fundedAt, deliveredAt, model.disputedAt],
      relays: Object.entries(model.relays)
        .filter(([, { state }]) => state !== "waiting")
        .map(([key, { state }]) => `${key} ${state}`)
        .sort(),
    };
    agree(found, expected, one);
  }
  const open = cases.filter(({ order: { phase } }) => ["funded", "disputed", "decided"].includes(phase));
  const balance = { abi: erc20Abi, address: token, functionName: "balanceOf", args: [contract] } as const;
  expect(await chain.client.readContract(balance)).toBe(BigInt(open.length) * amount);
}

async function readContract({ client }: ModelChain, address: Address, cases: Case[]) {
  const states = await client.multicall({
    contracts: cases.map(({ row }) => ({
      abi: escrowAbi,
      address,
      functionName: "getEscrow" as const,
      args: [row.escrowId] as const,
    })),
    allowFailure: false as const,
    deployless: true,
    batchSize: 64 * 36,
  });
  return states.map(({ status, deliveryCount, fundedAt, deliveredAt, disputedAt }) => [
    ...[phases[status], deliveryCount, fundedAt, deliveredAt, disputedAt],
  ]);
}

/** Returns the types of the orders' facts, in ledger order. */
export async function readTrails(db: Database, cases: Case[]): Promise<Map<string, string[]>> {
  const facts = await db
    .select({ orderId: fact.orderId, type: fact.type })
    .from(fact)
    .where(inArray(fact.orderId, idsOf(cases)))
    .orderBy(asc(fact.seq));
  return group(facts, ({ type }) => type);
}

export async function readRelays(db: Database, cases: Case[]) {
  const rows = await db
    .select()
    .from(relay)
    .where(inArray(relay.orderId, idsOf(cases)));
  return group(rows, (row) => row);
}

/** Compares the model with the buyer's view: the API, the events and the receipts. */
export async function compareOverApi(
  { api, db }: { api: TestApi; db: Database },
  buyer: Session,
  cases: Case[],
) {
  const ids = idsOf(cases);
  const [eventRows, receiptRows] = await Promise.all([
    db
      .select({ orderId: event.orderId, name: event.type })
      .from(event)
      .where(and(eq(event.accountId, buyer.accountId), inArray(event.orderId, ids))),
    db
      .select({ orderId: receipt.orderId, name: receipt.claim })
      .from(receipt)
      .where(and(isNull(receipt.revokedAt), inArray(receipt.orderId, ids))),
  ]);
  const [events, receipts] = [group(eventRows, ({ name }) => name), group(receiptRows, ({ name }) => name)];
  await inLanes(cases, async (one) => {
    const { id } = one.row;
    const { trail, phase, returns } = one.order;
    const read = async (path: string) => (await api.request("GET", path, { token: buyer.token })).body;
    const [shown, listed] = [await read(`/orders/${id}`), await read(`/orders/${id}/events`)];
    const types: string[] = listed.items.map((entry: { type: string }) => entry.type);
    const found = {
      trail: types.filter((type) => type !== "deposit.returned"),
      returns: types.filter((type) => type === "deposit.returned").length,
      status: [shown.status, shown.escrow.status],
      events: events.get(id)?.sort(),
      receipts: receipts.get(id)?.sort() ?? [],
    };
    const paid = { released: ["released"], refunded: ["refunded"], split: ["refunded", "released"] };
    const expected = {
      trail,
      returns,
      status: [statusOf(one.order), phase],
      events: [...trail].sort(),
      receipts: phase === "none" ? [] : ["funded", ...(paid[phase as keyof typeof paid] ?? [])],
    };
    agree(found, expected, one);
  });
}

/** Concurrent requests. */
const lanes = 8;

export async function inLanes<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const lane = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function group<Row extends { orderId: string | null }, Value>(rows: Row[], pick: (row: Row) => Value) {
  const groups = new Map<string, Value[]>();
  for (const row of rows) {
    const { orderId } = row;
    if (orderId === null) continue;
    const values = groups.get(orderId) ?? [];
    groups.set(orderId, values);
    values.push(pick(row));
  }
  return groups;
}
