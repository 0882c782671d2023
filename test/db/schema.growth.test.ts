import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStoredAnswerQuota } from "../../api/http/stored-answer-quota.ts";
import { unpaidCaps } from "../../config/limits.ts";
import { account, idempotencyRecord, keySpending, order, session, signInNonce } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { removeOldRows } from "../../jobs/retention.ts";
import { requireBelowUnpaidCaps, type UnpaidCaps } from "../../trade/orders/unpaid-check.ts";
import { expectStatus, publishService, signIn } from "../harness/api.ts";
import { ask, createMarket, type Market, place, placeFunded, rowOf } from "../harness/market/market.ts";
import { makeParty } from "../harness/party.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket({ env: { RATE_LIMITS: "credential=100000,account=100000" } });
});
afterAll(() => market?.api.close());

const rules = {
  capped: "so many of an account: trade/account-caps.ts, or the verb that makes them",
  retained: "removed after a time: jobs/retention.ts",
  ofOrder: "a few for an order",
  paid: "follows what was signed or mined for an order that is paid",
  ofAgent: "one for an agent or a service, which are capped",
  limited: "kept for good; the requests that write it are limited (api/http/rate-limit.ts)",
  operator: "written by the operator's programs alone",
};

/** The bound of each table. A new table needs a line here, and a rule that holds it. */
const bounds: Record<string, string> = {
  account: rules.limited,
  account_settlement: rules.paid,
  account_erasure: "one of an account: trade/privacy/erasure.ts",
  agent: rules.capped,
  agent_domain: rules.ofAgent,
  agent_identity: rules.ofAgent,
  agent_probe: rules.ofAgent,
  agent_record: rules.ofAgent,
  agent_wallet: rules.paid,
  api_key: rules.capped,
  audit_entry: rules.limited,
  billing_details: "one of an account",
  chain_anchor: rules.operator,
  chain_watch: rules.operator,
  counterparty: rules.paid,
  data_export: "one a day of an account for some days: trade/privacy/data-export.ts",
  delivery_day: rules.paid,
  device_sign_in: rules.retained,
  divergence: rules.ofOrder,
  escrow_sum: rules.paid,
  event: rules.retained,
  execution: rules.ofOrder,
  execution_attempt: rules.retained,
  execution_endpoint: rules.ofAgent,
  execution_host: rules.retained,
  fact: rules.ofOrder,
  feedback: rules.paid,
  feedback_file: rules.paid,
  file: "so many of an account, and unused ones are removed after a time: trade/files/file-quota.ts",
  file_tally: "one of all files, one of new accounts and one of a network: the triggers of file",
  file_use: "as many of an order as its payloads and messages name: trade/files/file-use.ts",
  idempotency_record: rules.retained,
  index_audit: rules.operator,
  invoice: rules.ofOrder,
  key_log: rules.operator,
  key_spending: rules.retained,
  lease: rules.operator,
  listed_agent: rules.ofAgent,
  log_entry: rules.paid,
  log_head: rules.operator,
  log_queue: rules.paid,
  log_tile: rules.paid,
  log_witness: rules.operator,
  log_publisher: rules.operator,
  mail_message: rules.retained,
  mail_setting: "one of an account",
  market_word: rules.retained,
  moderation: "so many an hour of an operator: trade/moderation/act.ts",
  moderation_month: "a few for each month",
  moderation_subject: "one of a subject that somebody reported: trade/moderation/report.ts",
  notification_mark: rules.retained,
  notification_read: "one of a member of an account",
  oauth_client: "so many without a grant, of a network and in all: api/oauth/registration.ts",
  oauth_record: rules.retained,
  offer: rules.ofAgent,
  offer_tally: rules.ofAgent,
  open_request: rules.capped,
  operator: rules.operator,
  order: "unpaid ones are capped for a buyer, a provider and in all: trade/orders/unpaid-check.ts",
  order_correspondent: rules.ofOrder,
  order_day: rules.ofOrder,
  order_message: "so many of an account a day, and on an order: trade/messages/message-limits.ts",
  order_outcome: rules.paid,
  organisation_invitation: rules.limited,
  organisation_member: rules.limited,
  passkey: "one of a wallet that has signed in here",
  payment: rules.paid,
  periodic_task: rules.operator,
  probe_tally: rules.retained,
  probe_target: rules.ofAgent,
  proved_wallet: rules.limited,
  provenance: rules.paid,
  quote: rules.capped,
  rate_limit: rules.retained,
  receipt: rules.paid,
  refused_payout: rules.paid,
  report:
    "open ones are bounded for a subject and in all, and answered ones retained: trade/moderation/report.ts, jobs/retention.ts",
  receipt_status_list: rules.operator,
  record_due: rules.ofAgent,
  record_statement: rules.ofAgent,
  relay: rules.paid,
  relay_attempt: rules.paid,
  relay_gas: rules.retained,
  relayer: rules.operator,
  market_figures_due: rules.ofAgent,
  review: rules.paid,
  review_tally: rules.ofAgent,
  score_day: rules.retained,
  service: rules.capped,
  session: rules.retained,
  settlement_day: rules.paid,
  sign_in_nonce: rules.retained,
  ranked_offer: rules.ofAgent,
  signing_key: rules.operator,
  stage_output: rules.ofOrder,
  subscription: rules.capped,
  subscription_order: rules.ofOrder,
  traded_service: rules.ofOrder,
  wallet: rules.limited,
  wallet_age: rules.limited,
  wallet_paid: rules.paid,
  webhook_day: rules.retained,
  webhook_attempt: rules.retained,
  webhook_delivery: rules.retained,
  webhook_endpoint: rules.capped,
  webhook_host: rules.retained,
  webhook_recovery: rules.retained,
  webhook_sender: rules.limited,
};

test("every table has a rule that bounds it", async () => {
  const { rows } = await market.api.db.execute<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = 'earnest'::regnamespace and relkind in ('r', 'p') and not relispartition`);
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(bounds).sort());
});

test("a large unpaid order is stored once: its stored answer refers to it and is returned whole", async () => {
  const note = "x".repeat(200_000);
  const { service } = await publishService(market.api, await signIn(market.api));
  const write = () =>
    ask(
      market,
      market.buyer,
      "POST",
      "/orders",
      { service_id: service.id, input_payload: { note } },
      {
        headers: { "idempotency-key": "large" },
      },
    );
  const first = expectStatus(201, await write());
  const again = await write();
  expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([201, first, "true"]);
  const [record] = await market.api.db
    .select({ size: sql<number>`octet_length(answer)` })
    .from(idempotencyRecord);
  expect(record?.size).toBeLessThan(8192);

  // The answer to a delivery holds the buyer's input too, which no request of the provider has.
  const { id } = await placeFunded(market, { input_payload: { text: note.slice(0, 100_000) } });
  const deliver = (step: string, body?: unknown) =>
    ask(market, market.provider, "POST", `/orders/${id}/${step}`, body, {
      headers: { "idempotency-key": step },
    });
  expectStatus(200, await deliver("start"));
  const output = { output_payload: { translation: note } };
  const delivered = expectStatus(200, await deliver("deliver", output));
  expect((await deliver("deliver", output)).body).toEqual(delivered);
  const sizes = await market.api.db
    .select({ size: sql<number>`octet_length(answer)` })
    .from(idempotencyRecord);
  expect(Math.max(...sizes.map(({ size }) => size))).toBeLessThan(8192);
});

test("an answer without room is not stored, and its write is not repeated", async () => {
  const { api, buyer } = market;
  const body = { service_id: market.service.id, input_payload: { text: "x" } };
  const write = () => ask(market, buyer, "POST", "/orders", body, { headers: { "idempotency-key": "full" } });
  await api.db.execute(sql`
    insert into earnest.rate_limit (bucket, full_at)
    values (${`stored_answers ${buyer.accountId}`}, now() + interval '1 day')
    on conflict (bucket) do update set full_at = excluded.full_at`);
  expectStatus(201, await write());
  const before = await api.db.$count(order);
  const again = await write();
  expect([again.status, again.body.error.code]).toEqual([409, "conflict"]);
  expect(again.body.error.message).toMatch(/answered 201/);
  expect(await api.db.$count(order)).toBe(before);
  await api.db.execute(sql`delete from earnest.rate_limit`);
});

test("a party's own room for answers stays while unproven accounts use up theirs", async () => {
  const { db, context } = market.api;
  const { accountId } = await signIn(market.api);
  await makeParty(db, accountId);
  await db.execute(sql`
    insert into earnest.rate_limit (bucket, full_at) values ('stored_answers unproven', now() + interval '1 day')`);
  const hasRoom = createStoredAnswerQuota(context);
  const found: boolean[] = [];
  for (let at = 0; at < 12; at += 1) found.push(await hasRoom(accountId, null, 3 * 1024 * 1024));
  expect([found[0], found.at(-1)]).toEqual([true, false]);
  await db.execute(sql`delete from earnest.rate_limit`);
});

test("unpaid orders are capped, and new buyers cannot use up the cap of those who paid", async () => {
  const { api } = market;
  const newcomer = await signIn(api);
  const [offer] = [await rowOf(market, (await placeFunded(market)).id)];
  const before = await api.db.$count(order, eq(order.status, "created"));
  const withProvider = await api.db.$count(
    order,
    sql`status = 'created' and provider_account_id = ${offer.providerAccountId}`,
  );
  const own = await api.db.$count(
    order,
    sql`status = 'created' and buyer_account_id = ${offer.buyerAccountId}`,
  );
  const attempt = (who: { accountId: string }, caps: Partial<UnpaidCaps>) =>
    inTransaction(api.db, (tx) =>
      requireBelowUnpaidCaps(
        tx,
        { buyerAccountId: who.accountId, providerAccountId: offer.providerAccountId },
        { ...unpaidCaps, ...caps },
      ),
    ).then(
      () => "room",
      (error) => error,
    );
  expect(await attempt(newcomer, { ofNewBuyer: 0 })).toMatchObject({ code: "too_many_unpaid_orders" });
  expect(await attempt(newcomer, { withProvider })).toMatchObject({ code: "too_many_unpaid_orders" });
  expect(await attempt(newcomer, { inAll: before })).toMatchObject({ code: "too_many_unpaid_orders" });
  expect(await attempt(newcomer, { withProvider: withProvider + 1, inAll: before + 1 })).toBe("room");
  // The market's buyer has paid an order.
  expect(await attempt(market.buyer, { ofNewBuyer: 0, withProvider, inAll: before })).toBe("room");
  const refused = await attempt(market.buyer, { ofBuyer: own });
  expect(refused).toMatchObject({ code: "too_many_unpaid_orders" });
  expect(refused.retryAfter).toBeGreaterThan(60);
});

test("unpaid orders of one network block only new buyers of that network", async () => {
  const { api } = market;
  const from = async (network: string) => {
    const who = await signIn(api);
    await api.db.update(account).set({ network }).where(eq(account.id, who.accountId));
    return who;
  };
  const [crowd, near, elsewhere] = [
    await from("198.51.100.0/24"),
    await from("198.51.100.0/24"),
    await from("203.0.113.0/24"),
  ];
  const body = { service_id: market.service.id, input_payload: { text: "x" } };
  const offer = await rowOf(market, (await place(market)).id);
  // Enough that a cap four times as high leaves room for others.
  const many = await api.db.$count(order, eq(order.status, "created"));
  for (let at = 0; at < many; at += 1) expectStatus(201, await ask(market, crowd, "POST", "/orders", body));
  const attempt = ({ accountId: buyerAccountId }: { accountId: string }, caps: Partial<UnpaidCaps>) =>
    inTransaction(api.db, (tx) =>
      requireBelowUnpaidCaps(
        tx,
        { buyerAccountId, providerAccountId: offer.providerAccountId },
        { ...unpaidCaps, ...caps },
      ),
    ).then(
      () => "room",
      (error) => error.message,
    );
  const most = 4 * many;
  expect(await attempt(near, { withProvider: most })).toMatch(/from your network .* with this provider/);
  expect(await attempt(near, { inAll: most })).toMatch(/from your network/);
  expect(await attempt(near, { withProvider: most + 1, inAll: most + 1 })).toBe("room");
  expect(await attempt(elsewhere, { withProvider: most, inAll: most })).toBe("room");
  expect(await attempt(market.buyer, { withProvider: most, inAll: most })).toBe("room");
});

test("a free account can place only so many unpaid orders, and is told how long to wait", async () => {
  const newcomer = await signIn(market.api);
  const body = { service_id: market.service.id, input_payload: { text: "x" } };
  for (let at = 0; at < unpaidCaps.ofNewBuyer; at += 1) {
    expectStatus(201, await ask(market, newcomer, "POST", "/orders", body));
  }
  const refused = await ask(market, newcomer, "POST", "/orders", body);
  expect([refused.status, refused.body.error.code]).toEqual([429, "too_many_unpaid_orders"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(60);
  await place(market);
});

test("expired data is deleted: payloads of expired orders, spending, sessions, sign-in messages", async () => {
  const { api } = market;
  const placed = await place(market);
  const young = await place(market);
  const body = { name: "x", scopes: ["orders:read"] };
  const key = expectStatus(201, await ask(market, market.buyer, "POST", "/api-keys", body));
  const chargedAt = new Date(Date.now() - 63 * 86_400_000);
  const spending = {
    keyId: key.id,
    chainId: market.chain.chain_id,
    token: market.chain.token.address,
    amount: 1n,
    refunded: 0n,
    chargedAt,
  };
  await api.db.insert(keySpending).values([
    { ...spending, orderId: placed.id, isPlaced: true, isOpen: false },
    { ...spending, orderId: young.id, isPlaced: true, isOpen: true },
  ]);
  const age = (id: string, days: number) =>
    api.db.execute(sql`
      update earnest."order" set status = 'expired', fund_by = extract(epoch from now()) - ${days * 86_400}
      where id = ${id}`);
  await age(placed.id, 8);
  await age(young.id, 6);
  await signIn(api);
  const sessions = await api.db.$count(session);
  await api.db.execute(sql`
    update earnest.session set expires_at = now() - interval '8 days'
    where id = (select id from earnest.session order by created_at desc limit 1)`);
  await api.db.execute(sql`update earnest.sign_in_nonce set expires_at = now() - interval '2 days'`);

  await removeOldRows(api.db);
  const [old, recent] = [await rowOf(market, placed.id), await rowOf(market, young.id)];
  expect([old.inputPayload, old.inputSchema, old.outputSchema]).toEqual([null, null, null]);
  expect(old.agreement).toMatchObject({ order_id: placed.id, input_digest: expect.stringMatching(/^0x/) });
  expect(recent.inputPayload).toEqual({ text: "Guten Tag" });
  const counted = await api.db.select().from(keySpending);
  expect(counted.map(({ orderId }) => orderId)).toEqual([young.id]);
  expect(await api.db.$count(session)).toBe(sessions - 1);
  expect(await api.db.$count(signInNonce)).toBe(0);
});
