import { eq, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { account, mailMessage } from "../../../db/schema.ts";
import { addTask } from "../../../db/task-queue.ts";
import { runTasks } from "../../../jobs/tasks.ts";
import { type Session, signIn } from "../../harness/api.ts";
import { log, type MailBench, startMailBench } from "../../harness/jobs/mail.ts";
import { makeParty } from "../../harness/party.ts";

let bench: MailBench;
beforeAll(async () => {
  bench = await startMailBench();
});
afterAll(() => bench?.close());
afterEach(() => bench.clear());

test("the messages of an hour are bounded in all; the rest waits", async () => {
  const who = [await bench.subscriber(), await bench.subscriber(), await bench.subscriber()];
  for (const { accountId } of who) await makeParty(bench.api.db, accountId);
  for (const one of who) await bench.tell(one, "one");
  const sent = await bench.api.db.$count(mailMessage, eq(mailMessage.status, "sent"));
  await bench.run({ perHour: sent + 2 });
  expect(bench.mail.taken).toHaveLength(2);
  await bench.run();
  expect(bench.mail.taken).toHaveLength(3);
});

test("the messages of an hour are bounded across several workers, and each is sent once", async () => {
  const { databaseUrl } = bench.api.config;
  const who = [
    await bench.subscriber(),
    await bench.subscriber(),
    await bench.subscriber(),
    await bench.subscriber(),
  ];
  for (const { accountId } of who) await makeParty(bench.api.db, accountId);
  for (const one of who) await bench.tell(one, "one");
  const sent = await bench.api.db.$count(mailMessage, eq(mailMessage.status, "sent"));
  const stop = new AbortController();
  let runs = 0;
  const workers = [1, 2, 3].map(() => {
    const send = bench.mailer({ perHour: sent + 2 });
    const run = () =>
      send().finally(() => {
        runs += 1;
      });
    const tasks = { mail: { run } };
    return runTasks(tasks, { db: bench.api.db, databaseUrl, log, signal: stop.signal });
  });
  for (const _ of who) await addTask(bench.api.db, "mail");
  await expect.poll(() => runs).toBeGreaterThanOrEqual(workers.length);
  stop.abort();
  await Promise.all(workers);
  expect(bench.mail.taken).toHaveLength(2);
});

test("verifications are capped by account, and by address in any spelling", async () => {
  const who = await signIn(bench.api);
  const statuses: number[] = [];
  for (let at = 0; at < 6; at += 1) {
    statuses.push((await bench.put(who, { address: `${at}@example.org`, events: ["*"] })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  const victims = [
    "Vic.Tim@example.org",
    "victim+1@example.org",
    "vic.tim@Example.org",
    "victim@example.org",
  ];
  const answers = [];
  for (const address of victims)
    answers.push(await bench.put(await signIn(bench.api), { address, events: ["*"] }));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(Number(answers[3]?.headers.get("retry-after"))).toBeGreaterThan(0);
});

/** The messages to many unproven accounts. */
async function crowd(
  many: number,
  { network = null, site = null }: { network?: string | null; site?: string | null } = {},
): Promise<void> {
  const ids = Array.from({ length: many }, () => typeid("acc").toString());
  await bench.api.db.insert(account).values(ids.map((id) => ({ id, network })));
  await bench.api.db.insert(mailMessage).values(
    ids.map((id, at) => ({
      id: typeid("eml").toString(),
      accountId: id,
      kind: "verification" as const,
      key: `verification:${id}`,
      address: `${at}@${site ?? `${at}.example`}`,
      canonicalAddress: `${id}@crowd.example`,
      network,
      site: site ?? `${at}.example`,
      status: "sent" as const,
      finishedAt: sql`now()`,
    })),
  );
}
const verify = async (who: Session, address: string) =>
  (await bench.put(who, { address, events: ["*"] })).status;

test("free accounts use up half of a day's verifications, and a party of a funded order gets its own", async () => {
  const [outsider, party] = [await signIn(bench.api), await signIn(bench.api)];
  await makeParty(bench.api.db, party.accountId);
  await crowd(999);
  expect(await verify(await signIn(bench.api), "last@example.org")).toBe(200);
  const refused = await bench.put(outsider, { address: "late@example.org", events: ["*"] });
  expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
  expect(refused.body.error.message).toContain("never had a funded order");
  expect(await verify(party, "owner@example.org")).toBe(200);
  await bench.run();
  expect(bench.mail.taken.map((one) => one.to)).toContain("owner@example.org");
});

test("one network or recipient domain cannot use up the unproven accounts' share of a day's verifications", async () => {
  const of = async (network: string) => {
    const who = await signIn(bench.api);
    await bench.api.db.update(account).set({ network }).where(eq(account.id, who.accountId));
    return who;
  };
  await crowd(250, { network: "198.51.100.0/24" });
  expect(await verify(await of("198.51.100.0/24"), "one@example.org")).toBe(429);
  expect(await verify(await of("203.0.113.0/24"), "two@example.org")).toBe(200);
  await crowd(500, { site: "flooded.example" });
  expect(await verify(await of("203.0.113.0/24"), "three@below.flooded.example")).toBe(429);
  expect(await verify(await of("203.0.113.0/24"), "four@example.org")).toBe(200);
  const party = await of("198.51.100.0/24");
  await makeParty(bench.api.db, party.accountId);
  expect(await verify(party, "five@flooded.example")).toBe(200);
});

test("free accounts use up half of an hour's messages, and a party of a funded order gets its own", async () => {
  const [party, outsider] = [await bench.subscriber(), await bench.subscriber()];
  await bench.api.db.delete(mailMessage);
  await makeParty(bench.api.db, party.accountId);
  await crowd(100);
  for (const who of [outsider, party]) await bench.tell(who, "one");
  await bench.run({ perHour: 200 });
  expect([bench.to(party).length, bench.to(outsider).length]).toEqual([1, 0]);
  await bench.run({ perHour: 202 });
  expect(bench.to(outsider)).toHaveLength(1);
});

test("one network or recipient domain cannot use up an hour's messages", async () => {
  const [one, other] = [await bench.subscriber(), await bench.subscriber()];
  await bench.api.db.delete(mailMessage);
  await bench.api.db.update(account).set({ network: "198.51.100.0/24" }).where(eq(account.id, one.accountId));
  await crowd(25, { network: "198.51.100.0/24" });
  for (const who of [one, other]) await bench.tell(who, "one");
  await bench.run({ perHour: 200 });
  expect([bench.to(one).length, bench.to(other).length]).toEqual([0, 1]);
  await crowd(49, { site: "example.org" });
  await bench.tell(other, "two");
  await bench.letTimePass();
  await bench.run({ perHour: 200 });
  expect(bench.to(other)).toHaveLength(1);
  await makeParty(bench.api.db, other.accountId);
  await bench.letTimePass();
  await bench.run({ perHour: 200 });
  expect(bench.to(other)).toHaveLength(2);
});
