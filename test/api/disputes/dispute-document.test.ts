import { eq } from "drizzle-orm";
import { getAddress, sha256, stringToBytes, zeroHash } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lockOrder, recordFacts } from "../../../db/ledger.ts";
import { event, fact, order, wallet } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { digestOf, escrowIdOf } from "../../../protocol/settlement/terms.ts";
import { expectStatus, type Session } from "../../harness/api.ts";
import { type Court, createCourt, output, placeDisputed, readDispute } from "../../harness/market/court.ts";
import {
  accept,
  ask,
  expectRefusal,
  indexer,
  place,
  placeDelivered,
  placeFunded,
  randomHash,
  settleNow,
} from "../../harness/market/market.ts";

let court: Court;
beforeAll(async () => {
  court = await createCourt();
});
afterAll(() => court.api.close());

const hashOf = (text: string) => sha256(stringToBytes(text));
const seconds = () => Math.floor(Date.now() / 1000);

describe("an order's dispute", () => {
  test("has no status before a dispute, then an intent, and gives a party what to sign", async () => {
    const { id, row } = await placeFunded(court);
    const none = await readDispute(court, court.buyer, id);
    expect(none).toMatchObject({ stage: "none", opened: null, decision: null, settleable_at: null });
    const reason = randomHash();
    const answer = await ask(court, court.provider, "GET", `/orders/${id}/dispute?reason_hash=${reason}`);
    expect(expectStatus(200, answer).typed_data).toMatchObject({
      primaryType: "Dispute",
      message: { escrowId: row.escrowId, reasonHash: reason },
    });
    expectStatus(
      200,
      await ask(court, court.buyer, "POST", `/orders/${id}/dispute-intent`, { reason: "Late." }),
    );
    expect(await readDispute(court, court.provider, id)).toMatchObject({
      stage: "intent",
      your_role: "provider",
      intents: [{ by: "buyer", reason: "Late." }],
    });
  });

  test("shows who opened it, its deadline, and its outcome without a decision", async () => {
    const decideBy = seconds() + 600;
    const { id } = await placeDisputed(court, { by: "provider", decideBy });
    expect(await readDispute(court, court.buyer, id)).toMatchObject({
      stage: "open",
      opened: { by: "provider", confirmed: true, reason_hash: null, reason: null },
      decide_by: new Date(decideBy * 1000).toISOString(),
      // The delivery is not recorded on the chain, so the provider still has time to do it.
      default_outcome: { provider_amount: "0.000000", buyer_amount: "2.500000" },
      typed_data: null,
    });
    const recorded = await placeDisputed(court, { recorded: true, decideBy });
    expect(await readDispute(court, court.buyer, recorded.id)).toMatchObject({
      default_outcome: { provider_amount: "2.500000", buyer_amount: "0.000000" },
      settleable_at: new Date((decideBy + 1) * 1000).toISOString(),
    });
  });

  test("offers no decision after the arbiter's deadline", async () => {
    const { id } = await placeDisputed(court, { recorded: true, decideBy: seconds() - 60 });
    const dispute = await readDispute(court, court.arbiter, id);
    expect(dispute).toMatchObject({ stage: "silent", decision: null });
    expect(Date.parse(dispute.settleable_at)).toBeLessThan(Date.now());
  });

  test("is decided, then settleable, then settled with both shares", async () => {
    const { id, row, chain } = await placeDisputed(court);
    await chain.decided(1_000_000n, zeroHash, seconds() + 600);
    await settleNow(court);
    const shares = {
      provider_amount: "1.000000",
      buyer_amount: "1.500000",
      provider_amount_base_units: "1000000",
    };
    expect(await readDispute(court, court.arbiter, id)).toMatchObject({
      stage: "decided",
      decision: { ...shares, ruling_hash: null, ruling: null, confirmed: true },
      default_outcome: null,
      settled: null,
    });
    await chain.ended("Released", 1_000_000n);
    await chain.ended("Refunded", 1_500_000n);
    await settleNow(court);
    expect(await readDispute(court, court.arbiter, id)).toMatchObject({ stage: "settled", settled: shares });
    const soon = await placeDisputed(court);
    await indexer(court, soon.row).decided(row.amount, zeroHash, seconds() - 1);
    await settleNow(court);
    expect(await readDispute(court, court.buyer, soon.id)).toMatchObject({
      stage: "settleable",
      decision: { provider_amount: "2.500000", buyer_amount: "0.000000" },
    });
  });

  test("shows the reason and the ruling where their text was given", async () => {
    const [reason, ruling] = ["Half of it is missing.", "Half of the money, then."];
    const { id, path, chain } = await placeDisputed(court, { reasonHash: hashOf(reason) });
    const before = await readDispute(court, court.arbiter, id);
    expect(before.opened).toMatchObject({ reason_hash: hashOf(reason), reason: null });
    expectStatus(201, await ask(court, court.buyer, "POST", `${path}/statements`, { text: reason }));
    await chain.decided(1_250_000n, hashOf(ruling));
    await settleNow(court);
    expectStatus(201, await ask(court, court.arbiter, "POST", `${path}/statements`, { text: ruling }));
    expect(await readDispute(court, court.provider, id)).toMatchObject({
      opened: { reason },
      decision: { ruling_hash: hashOf(ruling), ruling },
    });
  });
});

describe("the evidence of a dispute", () => {
  test("is one bundle for all three, and its digests follow from the answer", async () => {
    const { id, row } = await placeDisputed(court, { recorded: true });
    const readings = await Promise.all(
      [court.buyer, court.provider, court.arbiter].map((who) => readDispute(court, who, id)),
    );
    const [{ evidence }] = readings;
    expect(new Set(readings.map((reading) => JSON.stringify(reading.evidence)))).toHaveLength(1);
    expect(evidence.checks).toEqual({ agreement: true, input: true, output: true });
    const { bundle, digest } = evidence;
    expect(digestOf(bundle)).toBe(digest);
    expect(digestOf(bundle.agreement)).toBe(row.orderHash);
    expect(bundle.agreement.input_digest).toBe(digestOf(bundle.input_payload));
    expect(bundle.agreement.output_schema_digest).toBe(digestOf(bundle.output_schema));
    expect(bundle.output_payload).toEqual(output);
    expect(bundle.deliveries).toMatchObject([
      { output_hash: digestOf(output), note: null, recorded: { at: expect.any(String) } },
    ]);
    expect(bundle.trail.map((entry: { type: string }) => entry.type)).toEqual([
      "order.created",
      "order.funded",
      "order.started",
      "order.delivered",
      "delivery.recorded",
      "order.disputed",
    ]);
    expect(bundle.receipts.map((receipt: { claim: string }) => receipt.claim)).toEqual(["funded"]);
    // The escrow's id is the hash of the terms, all of which are in the agreement.
    const { agreement } = bundle;
    expect(
      escrowIdOf(row.chainId, agreement.escrow_contract, {
        buyer: agreement.buyer,
        provider: agreement.provider,
        token: agreement.token.address,
        amount: BigInt(agreement.amount_base_units),
        fundBy: agreement.fund_by,
        deliveryWindow: agreement.delivery_window_seconds,
        acceptanceWindow: agreement.acceptance_window_seconds,
        disputeWindow: agreement.dispute_window_seconds,
        appealWindow: agreement.appeal_window_seconds,
        arbiter: agreement.arbiter,
        orderHash: digestOf(agreement),
      }),
    ).toBe(row.escrowId);
  });

  test("has no output and no delivery where none was delivered", async () => {
    const { id } = await placeFunded(court, { input_payload: { text: "Guten Abend" } });
    const { evidence } = await readDispute(court, court.buyer, id);
    expect(evidence.checks).toEqual({ agreement: true, input: true, output: null });
    expect(evidence.bundle).toMatchObject({ deliveries: [], output_payload: null });
  });

  test("reports a stored input or output that differs from what was agreed or delivered", async () => {
    const { id } = await placeDisputed(court);
    const forged = { inputPayload: { text: "Moin" }, outputPayload: { translation: "Bad day" } };
    await court.api.db.update(order).set(forged).where(eq(order.id, id));
    const { evidence } = await readDispute(court, court.buyer, id);
    expect(evidence.checks).toEqual({ agreement: true, input: false, output: false });
  });
});

describe("the arbiter of an order", () => {
  const readable = ["", "/events", "/agreement", "/settlement-options", "/receipts", "/dispute"];
  const closed = ["/payment-instructions", "/payment", "/delivery-record", "/release", "/refund"];
  const acts: [path: string, body?: unknown][] = [
    ["/start"],
    ["/deliver", { output_payload: output }],
    ["/revision", { reason: "More." }],
    ["/dispute-intent", { reason: "Why not." }],
    ["/delivery-record", { signature: `0x${"11".repeat(65)}` }],
    ...["/release", "/refund", "/dispute"].map((path): [string, unknown] => [
      path,
      { signature: `0x${"11".repeat(65)}`, deadline: "9999999999" },
    ]),
  ];

  test("sees an order only once its dispute is confirmed on the chain", async () => {
    const { id, row } = await placeDelivered(court);
    expectStatus(
      200,
      await ask(court, court.buyer, "POST", `/orders/${id}/dispute-intent`, { reason: "Late." }),
    );
    await indexer(court, row).disputed();
    for (const path of readable) {
      await expectRefusal(
        court,
        () => ask(court, court.arbiter, "GET", `/orders/${id}${path}`),
        404,
        "not_found",
      );
    }
    await settleNow(court);
    for (const path of readable) {
      expectStatus(200, await ask(court, court.arbiter, "GET", `/orders/${id}${path}`));
    }
  });

  test("reads all of a disputed order, with input and output, and can do nothing else with it", async () => {
    const { id } = await placeDisputed(court);
    expect(expectStatus(200, await ask(court, court.arbiter, "GET", `/orders/${id}`))).toMatchObject({
      status: "disputed",
      disputed_at: expect.any(String),
      input_payload: { text: "Guten Tag" },
      output_payload: output,
    });
    for (const path of closed) {
      await expectRefusal(
        court,
        () => ask(court, court.arbiter, "GET", `/orders/${id}${path}`),
        404,
        "not_found",
      );
    }
    for (const [path, body] of acts) {
      const act = () => ask(court, court.arbiter, "POST", `/orders/${id}${path}`, body);
      await expectRefusal(court, act, 404, "not_found");
    }
    const { your_roles, actions } = expectStatus(
      200,
      await ask(court, court.arbiter, "GET", `/orders/${id}/settlement-options`),
    );
    expect(your_roles).toEqual(["arbiter"]);
    const available = actions.filter((one: { available: boolean }) => one.available);
    expect(available.map((one: { action: string }) => one.action)).toEqual(["decideDispute"]);
    expect(available[0]).toMatchObject({
      call: null,
      choices: [
        { choice: "all_to_provider", call: { args: { providerAmount: "2500000" } } },
        { choice: "all_to_buyer", typed_data: { message: { providerAmount: "0" } } },
      ],
    });
  });

  test("is only the named address", async () => {
    const other = privateKeyToAccount(generatePrivateKey()).address;
    await accept(court, other);
    const { id, row } = await placeFunded(court, { arbiter: other });
    await indexer(court, row).disputed();
    await settleNow(court);
    for (const who of [court.arbiter, court.outsider]) {
      await expectRefusal(court, () => ask(court, who, "GET", `/orders/${id}`), 404, "not_found");
    }
  });

  test("may be any wallet of an account", async () => {
    const second = privateKeyToAccount(generatePrivateKey()).address;
    await addWallet(court.outsider, second);
    await accept(court, second);
    const { id, row } = await placeFunded(court, { arbiter: second });
    await indexer(court, row).disputed();
    await settleNow(court);
    expect(await readDispute(court, court.outsider, id)).toMatchObject({
      your_role: "arbiter",
      arbiter: getAddress(second),
    });
  });

  test("is refused at placement where it is a wallet of the buyer's or the provider's account", async () => {
    for (const who of [court.buyer, court.provider]) {
      const second = privateKeyToAccount(generatePrivateKey()).address;
      await addWallet(who, second);
      await accept(court, second);
      const body = { service_id: court.service.id, input_payload: { text: "Hallo" }, arbiter: second };
      const error = await expectRefusal(
        court,
        () => ask(court, court.buyer, "POST", "/orders", body),
        400,
        "invalid_request",
        "is a party",
      );
      expect(error.details).toMatchObject([{ path: "/arbiter" }]);
    }
  });

  test("loses access, with an event, when a reorganisation removes the dispute", async () => {
    const { id, row } = await placeDisputed(court);
    const [disputed] = await court.api.db
      .select()
      .from(fact)
      .where(eq(fact.orderId, id))
      .then((facts) => facts.filter(({ type }) => type === "order.disputed"));
    await inTransaction(court.api.db, async (tx) => {
      const locked = await lockOrder(tx, id);
      await recordFacts(tx, locked ?? row, [
        {
          type: "fact.reverted",
          actor: "chain",
          key: `${disputed?.key}:reverted`,
          occurredAt: new Date(),
          data: { fact_id: disputed?.id },
        },
      ]);
    });
    await expectRefusal(court, () => ask(court, court.arbiter, "GET", `/orders/${id}`), 404, "not_found");
    expect(await eventsOf(id, court.arbiter)).toEqual(["order.disputed", "fact.reverted"]);
  });

  test("gets the events of the dispute, its decision and its end, and no earlier ones", async () => {
    const { id, chain } = await placeDisputed(court);
    await chain.decided(2_000_000n);
    await settleNow(court);
    await chain.ended("Released", 2_000_000n);
    await chain.ended("Refunded", 500_000n);
    await settleNow(court);
    const types = ["order.disputed", "order.dispute_decided", "order.released", "order.refunded"];
    expect(await eventsOf(id, court.arbiter)).toEqual(types);
    expect((await eventsOf(id, court.buyer)).slice(-4)).toEqual(types);
    const feed = expectStatus(200, await ask(court, court.arbiter, "GET", "/events?limit=100"));
    const disputed = feed.items.find(
      (one: { type: string; data: { order: { id: string } } }) =>
        one.type === "order.disputed" && one.data.order.id === id,
    );
    expect(disputed.data).toMatchObject({
      order: { your_role: "arbiter", status: "disputed" },
      entry: {
        data: {
          party: "buyer",
          reason_hash: zeroHash,
          decide_by: expect.any(String),
          arbiter: court.arbiter.account.address,
          appeal_window_seconds: expect.any(Number),
        },
      },
    });
  });

  test("gets no event of an order without a dispute", async () => {
    const { id, row } = await placeFunded(court);
    await indexer(court, row).ended("Refunded");
    await settleNow(court);
    expect(await eventsOf(id, court.arbiter)).toEqual([]);
  });
});

describe("GET /disputes", () => {
  test("lists the orders to arbitrate, newest dispute first, open or settled, in pages", async () => {
    const arbiter = court.outsider;
    const named = { arbiter: arbiter.account.address };
    await accept(court, named.arbiter);
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const { id, row } = await placeFunded(court, named);
      await indexer(court, row).disputed();
      await settleNow(court);
      await court.api.db
        .update(order)
        .set({ disputedAt: new Date(Date.now() + i * 1000) })
        .where(eq(order.id, id));
      if (i === 0) {
        await indexer(court, row).ended("Refunded");
        await settleNow(court);
      }
      ids.unshift(id);
    }
    await placeFunded(court, named);
    const list = async (query: string) =>
      expectStatus(200, await ask(court, arbiter, "GET", `/disputes${query}`));
    const idsOf = (page: { items: { id: string }[] }) =>
      page.items.map(({ id }) => id).filter((id) => ids.includes(id));
    const [newest, second, settled] = ids as [string, string, string];
    expect(new Set(idsOf(await list("")))).toEqual(new Set(ids));
    expect(idsOf(await list("?open=true"))).toEqual([newest, second]);
    expect(idsOf(await list("?open=false"))).toEqual([settled]);
    const first = await list("?limit=1&open=true");
    expect(idsOf(first)).toEqual([newest]);
    expect(idsOf(await list(`?limit=1&open=true&cursor=${first.next_cursor}`))).toEqual([second]);
    expect(expectStatus(200, await ask(court, court.buyer, "GET", "/disputes"))).toMatchObject({
      items: [],
      total: 0,
    });
  });

  test("is 400 for a value other than true or false", async () => {
    await expectRefusal(
      court,
      () => ask(court, court.arbiter, "GET", "/disputes?open=1"),
      400,
      "invalid_request",
    );
  });
});

test("is 404 for other accounts on each path, and for an unknown order", async () => {
  const { id } = await placeDisputed(court);
  const statement = { text: "Let me in." };
  for (const orderId of [id, "ord_00000000000000000000000000", "x"]) {
    const path = `/orders/${orderId}/dispute`;
    for (const request of [
      () => ask(court, court.outsider, "GET", path),
      () => ask(court, court.outsider, "POST", `${path}/statements`, statement),
      () => ask(court, court.outsider, "GET", `${path}/decision?provider_amount=1`),
    ]) {
      await expectRefusal(court, request, 404, "not_found");
    }
  }
});

test("is 400 for a malformed reason hash, and 200 for an order that is not funded", async () => {
  const { id } = await place(court);
  const path = `/orders/${id}/dispute`;
  await expectRefusal(
    court,
    () => ask(court, court.buyer, "GET", `${path}?reason_hash=0x12`),
    400,
    "invalid_request",
  );
  expect(await readDispute(court, court.buyer, id)).toMatchObject({
    stage: "none",
    typed_data: null,
    evidence: { checks: { agreement: null } },
  });
});

async function addWallet(who: Session, address: `0x${string}`): Promise<void> {
  await court.api.db
    .insert(wallet)
    .values({ id: `wal_${address.slice(2, 28)}`, accountId: who.accountId, address, provedBy: "key" });
}

/** The types of the events that an account got of an order, in order. */
async function eventsOf(orderId: string, { accountId }: Session): Promise<string[]> {
  const events = await court.api.db.select().from(event).where(eq(event.orderId, orderId)).orderBy(event.seq);
  return events.filter((one) => one.accountId === accountId).map(({ type }) => type);
}
