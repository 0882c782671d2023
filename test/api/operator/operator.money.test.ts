import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localAccounts } from "../../../tools/stack/anvil.ts";
import { createKey, expectStatus, type Session, signIn } from "../../harness/api.ts";
import { operationsIn } from "../../harness/documented.ts";
import { writeReadyFile } from "../../harness/files/ready-file.ts";
import { ask, indexer, placeDelivered, placeFunded, settleNow } from "../../harness/market/market.ts";
import { createModeration, signInOperator } from "../../harness/market/moderation.ts";
import { createReviewMarket, type ReviewMarket } from "../../harness/market/reviews.ts";

let on: ReviewMarket;
let moderation: ReturnType<typeof createModeration>;
let operator: Session;
beforeAll(async () => {
  on = await createReviewMarket();
  moderation = createModeration(on.market.api);
  operator = await signInOperator(on.market.api);
});
afterAll(() => on?.market.api.close());

/** The tables of orders, money, what is sent to a chain, and what is signed. */
const tables = [
  ...["order", "fact", "receipt", "relay", "relay_attempt", "relayer", "payment", "stage_output"],
  ...["order_outcome", "escrow_sum", "settlement_day", "account_settlement", "refused_payout", "log_queue"],
  ...[
    "wallet",
    "agent_wallet",
    "execution",
    "key_spending",
    "subscription_order",
    "quote",
    "organisation_member",
  ],
];

/** A hash of every row of these tables, and of the payout wallet of each agent. */
async function readMoney(): Promise<Record<string, string>> {
  const { db } = on.market.api;
  const entries = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await db.execute<{ hash: string }>(sql`
        select md5(coalesce(string_agg(line, ',' order by line), '')) as hash
        from (select row::text as line from earnest.${sql.identifier(table)} as row) as lines`);
      return [table, rows[0]?.hash ?? ""] as const;
    }),
  );
  const { rows } = await db.execute<{ payouts: string }>(
    sql`select string_agg(id || payout_wallet, ',' order by id) as payouts from earnest.agent`,
  );
  return { ...Object.fromEntries(entries), payouts: rows[0]?.payouts ?? "" };
}

test("no operation of the operator API changes an order, a payment, a fact, a relay or a payout wallet", async () => {
  const { market } = on;
  const { api, agent, service, provider, buyer } = market;
  const { review } = await on.placeReviewed();
  await placeFunded(market);
  await placeDelivered(market);
  await indexer(market, (await placeFunded(market)).row).disputed();
  await settleNow(market);
  await createKey(api, provider, ["webhooks:write"]);
  await api.db.execute(sql`
    insert into earnest.webhook_endpoint (id, account_id, url, host, events)
    values ('whe_01jd3w8x2mfhz8w9q4t6n5k7ra', ${provider.accountId}, 'https://hooks.example/', 'hooks.example', '{*}')`);
  const delivery = "whd_01jd3w8x2mfhz8w9q4t6n5k7ra";
  await api.db.execute(sql`
    insert into earnest.webhook_delivery (id, endpoint_id, type, status, test_body)
    values (${delivery}, 'whe_01jd3w8x2mfhz8w9q4t6n5k7ra', 'order.created', 'failed', '{}')`);
  const subjects = [
    [agent.id, "suspend"],
    [service.id, "suspend"],
    [review.id, "hide"],
    [provider.accountId, "ban"],
    [buyer.accountId, "ban"],
  ] as const;
  for (const [kind, id] of [
    ["agent", agent.id],
    ["review", review.id],
  ] as const) {
    expectStatus(201, await moderation.report(market.outsider, kind, id));
  }

  const called = new Set<string>();
  const call = async (status: number, method: string, path: string, name: string, body?: unknown) => {
    const before = await readMoney();
    expectStatus(status, await moderation.request(method, path, operator, body));
    called.add(`${method} ${name}`);
    expect(await readMoney(), `${method} ${path}`).toEqual(before);
  };
  await call(200, "GET", "/operator/state", "/operator/state");
  await call(200, "GET", "/operator/subjects", "/operator/subjects");
  await call(200, "GET", "/operator/acts", "/operator/acts");
  for (const [id, act] of subjects) {
    const path = `/operator/subjects/${id}`;
    await call(200, "GET", path, "/operator/subjects/{subject}");
    for (const one of [act, "restore"]) {
      const body = { act: one, reason: "A reason.", answer: "An answer." };
      await call(201, "POST", `${path}/acts`, "/operator/subjects/{subject}/acts", body);
    }
  }
  await call(202, "POST", `/operator/deliveries/${delivery}/resend`, "/operator/deliveries/{id}/resend", {
    reason: "The host is back.",
  });

  const reported = await writeReadyFile(api.db, market.provider.accountId);
  const link = `/operator/files/${reported.file_id}/link`;
  await call(404, "POST", link, "/operator/files/{id}/link");

  // Every operation of the operator API was called. A new one needs a line here.
  const document = expectStatus(200, await api.request("GET", "/openapi.json"));
  const operations = operationsIn(document).filter(({ path }) => path.startsWith("/operator/"));
  expect(new Set(operations.map(({ method, path }) => `${method} ${path}`))).toEqual(called);
});

test("an operator decides no dispute, moves no payout and reads no order of others", async () => {
  const { market } = on;
  const { id } = await placeFunded(market);
  const arbiter = await signIn(market.api, localAccounts.arbiter);
  const disputed = await placeFunded(market);
  await indexer(market, disputed.row).disputed();
  await settleNow(market);
  const [release, decision] = [`/orders/${id}/release`, `/orders/${disputed.id}/dispute/decision`];
  const sign = async (who: Session, path: string) => {
    const { typed_data } = expectStatus(200, await ask(market, who, "GET", path));
    return {
      signature: await who.account.signTypedData(typed_data),
      deadline: typed_data.message.deadline,
    };
  };
  // The right party has signed each act, so an operator is refused as an operator.
  const released = await sign(market.buyer, release);
  const decided = {
    provider_amount: "1",
    ...(await sign(arbiter, `${decision}?provider_amount=1`)),
  };
  const { address } = operator.account;
  const attempts: [number, string, string, unknown][] = [
    [404, "GET", `/orders/${id}`, undefined],
    [404, "POST", release, released],
    [404, "POST", decision, decided],
    [404, "PUT", `/agents/${market.agent.slug}/payout-wallet`, { address }],
    [404, "POST", `/agents/${market.agent.slug}/retire`, undefined],
    [404, "POST", `/organisations/${market.provider.accountId}/invitations`, { address, role: "owner" }],
  ];
  const before = await readMoney();
  for (const [status, method, path, body] of attempts) {
    expect((await moderation.request(method, path, operator, body)).status, `${method} ${path}`).toBe(status);
  }
  expect(await readMoney()).toEqual(before);
  expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${id}`));
  expectStatus(202, await ask(market, market.buyer, "POST", release, released));
  expectStatus(202, await ask(market, arbiter, "POST", decision, decided));
});
