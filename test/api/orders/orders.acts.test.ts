import { eq } from "drizzle-orm";
import { type Hex, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lockOrder, readFacts, recordFacts } from "../../../db/ledger.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { order as orderTable } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { typedDataOf } from "../../../protocol/settlement/signatures.ts";
import { digestOf } from "../../../protocol/settlement/terms.ts";
import { type Answer, expectStatus, type RequestOptions, type Session, signIn } from "../../harness/api.ts";
import {
  accept,
  countRows,
  indexer,
  place,
  placeDelivered,
  placeFunded,
  placeStarted,
  rowOf,
  settleNow,
} from "../../harness/market/market.ts";
import { createPaymentMarket, type PaymentMarket, signPayment } from "../../harness/market/payments.ts";

const statuses = [
  ...(["created", "expired", "funded", "started", "delivered", "disputed", "released", "refunded"] as const),
];
type Status = (typeof statuses)[number];
const roles = ["buyer", "provider", "arbiter", "outsider", "nobody"] as const;
type Role = (typeof roles)[number];

/**
 * The result of each act by each role in each status: `ok` or the refusal. `state` is 409 invalid_state,
 * `-` is 404 not_found, `null` is a document with nothing to sign. Other accounts always get 404, and
 * anonymous callers 401.
 */
const table = `
act               role      created  expired  funded  started  delivered  disputed  released  refunded
payment           buyer     ok       state    state   state    state      state     state     state
payment           provider  state    state    state   state    state      state     state     state
payment           arbiter   -        -        -       -        -          -         -         -
start             buyer     state    state    state   state    state      state     state     state
start             provider  state    state    ok      state    state      state     state     state
start             arbiter   -        -        -       -        -          -         -         -
deliver           buyer     state    state    state   state    state      state     state     state
deliver           provider  state    state    state   ok       state      ok        state     state
deliver           arbiter   -        -        -       -        -          -         -         -
revision          buyer     state    state    state   state    ok         state     state     state
revision          provider  state    state    state   state    state      state     state     state
revision          arbiter   -        -        -       -        -          -         -         -
dispute-intent    buyer     state    state    ok      ok       ok         state     state     state
dispute-intent    provider  state    state    ok      ok       ok         state     state     state
dispute-intent    arbiter   -        -        -       -        -          -         -         -
delivery-record?  buyer     state    state    state   state    state      state     state     state
delivery-record?  provider  state    state    state   state    ok         ok        state     state
delivery-record?  arbiter   -        -        -       -        -          -         -         -
delivery-record   buyer     state    state    state   state    state      state     state     state
delivery-record   provider  state    state    state   state    ok         ok        state     state
delivery-record   arbiter   -        -        -       -        -          -         -         -
release?          buyer     state    state    ok      ok       ok         state     state     state
release?          provider  state    state    state   state    state      state     state     state
release?          arbiter   -        -        -       -        -          -         -         -
release           buyer     state    state    ok      ok       ok         state     state     state
release           provider  state    state    state   state    state      state     state     state
release           arbiter   -        -        -       -        -          -         -         -
refund?           buyer     state    state    state   state    state      state     state     state
refund?           provider  state    state    ok      ok       ok         state     state     state
refund?           arbiter   -        -        -       -        -          -         -         -
refund            buyer     state    state    state   state    state      state     state     state
refund            provider  state    state    ok      ok       ok         state     state     state
refund            arbiter   -        -        -       -        -          -         -         -
dispute?          buyer     null     null     ok      ok       ok         null      null      null
dispute?          provider  null     null     ok      ok       ok         null      null      null
dispute?          arbiter   -        -        -       -        -          null      -         -
dispute           buyer     state    state    ok      ok       ok         state     state     state
dispute           provider  state    state    ok      ok       ok         state     state     state
dispute           arbiter   -        -        -       -        -          -         -         -
statements        buyer     state    state    state   state    state      ok        state     state
statements        provider  state    state    state   state    state      ok        state     state
statements        arbiter   -        -        -       -        -          ok        -         -
decision?         buyer     state    state    state   state    state      state     state     state
decision?         provider  state    state    state   state    state      state     state     state
decision?         arbiter   -        -        -       -        -          ok        -         -
decision          buyer     state    state    state   state    state      state     state     state
decision          provider  state    state    state   state    state      state     state     state
decision          arbiter   -        -        -       -        -          ok        -         -
`;

let market: PaymentMarket;
let sessions: Record<Exclude<Role, "nobody">, Session>;
/** An order in each status, on which only refused acts run. */
const orders = new Map<Status, OrderRow>();

beforeAll(async () => {
  market = await createPaymentMarket();
  const { buyer, provider, outsider } = market;
  sessions = { buyer, provider, outsider, arbiter: await signIn(market.api) };
  await accept(market, sessions.arbiter.account.address);
  for (const status of statuses) orders.set(status, await placeIn(status));
});
afterAll(() => market?.close());

/** An order in this status, with an arbiter, to be paid by signature. */
async function placeIn(status: Status): Promise<OrderRow> {
  const terms = { settlement_rail: "x402", arbiter: sessions.arbiter.account.address };
  const { api } = market;
  const { id } = await placeUntil(status, terms);
  const chain = indexer(market, await rowOf(market, id));
  if (status === "expired") await expire(id);
  if (status === "disputed") await chain.disputed();
  if (status === "released") await chain.ended("Released");
  if (status === "refunded") await chain.ended("Refunded");
  await settleNow(market);
  const row = await rowOf(market, id);
  expect(row.status).toBe(status);
  return row;

  async function expire(orderId: string): Promise<void> {
    const fundBy = Math.floor(Date.now() / 1000) - 60;
    await api.db.update(orderTable).set({ fundBy }).where(eq(orderTable.id, orderId));
    await inTransaction(api.db, async (tx) => {
      const locked = (await lockOrder(tx, orderId)) as OrderRow;
      const key = `${orderId}:expired`;
      await recordFacts(tx, locked, [
        { type: "order.expired", actor: "service", key, occurredAt: new Date() },
      ]);
    });
  }
}

function placeUntil(status: Status, terms: Record<string, unknown>): Promise<{ id: string }> {
  if (status === "created" || status === "expired") return place(market, terms);
  if (status === "funded") return placeFunded(market, terms);
  if (status === "started") return placeStarted(market, terms);
  return placeDelivered(market, { translation: "Good day" }, terms);
}

type Act = { method: "GET" | "POST"; path: string; body?: unknown };

/** The request of an act, with the caller's own signature where the act needs one. */
async function requestOf(act: string, row: OrderRow, role: Role): Promise<Act> {
  const post = (path: string, body?: unknown): Act => ({ method: "POST", path, body });
  const signer = (role === "nobody" ? sessions.outsider : sessions[role]).account;
  const of = { chainId: row.chainId, escrowContract: row.escrowContract };
  const { escrowId } = row;
  const deadline = BigInt(Math.floor(Date.now() / 1000) + 3600);
  const sign = async (data: ReturnType<typeof typedDataOf>) => ({
    signature: (await signer.signTypedData(data as never)) as Hex,
  });
  const dated = async (data: ReturnType<typeof typedDataOf>) => ({
    ...(await sign(data)),
    deadline: deadline.toString(),
  });
  switch (act) {
    case "payment": {
      const order = expectStatus(200, await send("buyer", { method: "GET", path: "" }, row));
      return post("payment", await signPayment(market.testChain, order, signer));
    }
    case "deliver":
      return post("deliver", { output_payload: { translation: "Good day" } });
    case "revision":
    case "dispute-intent":
      return post(act, { reason: "Not what was agreed." });
    case "delivery-record": {
      const outputHash = digestOf({ translation: "Good day" });
      const until = BigInt((row.deliveryDeadline?.getTime() ?? 0) / 1000);
      return post(
        act,
        await sign(typedDataOf(of, "RecordDelivery", { escrowId, outputHash, number: 1, deadline: until })),
      );
    }
    case "release":
      return post(act, await dated(typedDataOf(of, "Release", { escrowId, deadline })));
    case "refund":
      return post(act, await dated(typedDataOf(of, "Refund", { escrowId, deadline })));
    case "dispute":
      return post(act, await dated(typedDataOf(of, "Dispute", { escrowId, reasonHash: zeroHash, deadline })));
    case "statements":
      return post("dispute/statements", { text: "It was not what was agreed." });
    case "decision?":
      return { method: "GET", path: "dispute/decision?provider_amount=1.5" };
    case "decision": {
      const decision = { escrowId, providerAmount: 1_500_000n, rulingHash: zeroHash, deadline };
      const data = await dated(typedDataOf(of, "DecideDispute", decision));
      return post("dispute/decision", { provider_amount: "1.5", ...data });
    }
    default:
      return act.endsWith("?") ? { method: "GET", path: act.slice(0, -1) } : post(act);
  }
}

function send(role: Role, { method, path, body }: Act, row: OrderRow): Promise<Answer> {
  const access: RequestOptions = role === "nobody" ? {} : { token: sessions[role].token };
  return market.api.request(method, `/orders/${row.id}${path && `/${path}`}`, { body, ...access });
}

/** All data that an act could change. */
async function everythingOf(row: OrderRow) {
  return [await rowOf(market, row.id), await readFacts(market.api.db, row.id), await countRows(market)];
}

const [, ...lines] = table
  .trim()
  .split("\n")
  .map((line) => line.split(/\s+/));
const acts = [...new Set(lines.map(([act]) => act as string))];

describe.each(acts)("%s", (act) => {
  test.each(roles)("by the %s: done, or refused with its code and nothing changed", async (role) => {
    const written = lines.find((line) => line[0] === act && line[1] === role)?.slice(2);
    const expected = written ?? statuses.map(() => (role === "nobody" ? "401" : "-"));
    const found: string[] = [];
    for (const [at, status] of statuses.entries()) {
      const may = expected[at] === "ok";
      const row = may ? await placeIn(status) : (orders.get(status) as OrderRow);
      const request = await requestOf(act, row, role);
      const before = await everythingOf(row);
      const answer = await send(role, request, row);
      found.push(nameOf(answer));
      const after = await everythingOf(row);
      if (!may || request.method === "GET") expect(after, `${act} when ${status}`).toEqual(before);
      else expect(after, `${act} when ${status}`).not.toEqual(before);
    }
    expect(found).toEqual(expected);
  });
});

function nameOf({ status, body }: Answer): string {
  if (status < 300) return body.typed_data === null ? "null" : "ok";
  const code = `${status} ${body.error?.code}`;
  return { "409 invalid_state": "state", "404 not_found": "-", "401 unauthenticated": "401" }[code] ?? code;
}
