import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { pino } from "pino";
import { typeid } from "typeid-js";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { insertEvents } from "../../db/events.ts";
import { account, mailMessage, mailSetting } from "../../db/schema.ts";
import { addTask } from "../../db/tasks.ts";
import { inTransaction } from "../../db/transaction.ts";
import { createMailer } from "../../jobs/mail/send.ts";
import { removeOld } from "../../jobs/retention.ts";
import { runTasks } from "../../jobs/tasks.ts";
import { expectStatus, type Session, signIn, type TestApi } from "../harness/api.ts";
import { createDocumentedApi } from "../harness/documented.ts";
import { spawnWorker } from "../harness/jobs/processes.ts";
import { startMailServer } from "../harness/mail.ts";
import { makeParty } from "../harness/party.ts";

let api: TestApi;
let mail: Awaited<ReturnType<typeof startMailServer>>;
beforeAll(async () => {
  mail = await startMailServer();
  api = await createDocumentedApi({ env: { SMTP_URL: mail.url, MAIL_FROM: "Earnest <mail@example.org>" } });
});
afterAll(async () => {
  await api?.close();
  await mail?.close();
});
afterEach(async () => {
  mail.treat(() => null);
  await api.db.delete(mailMessage);
  await api.db.delete(mailSetting);
});

const log = pino({ level: "silent" });
function mailer({ perHour = 1000, silence = 5000 } = {}, db = api.db) {
  const { mail: set } = api.config;
  if (!set) throw new Error("This installation sends no mail.");
  return createMailer(db, { ...api.config, mail: { ...set, perHour } }, { log, silence });
}
const run = (options = {}) => mailer(options)();
const addressOf = ({ accountId }: Session) => `${accountId}@example.org`;
const to = (who: Session) => mail.taken.filter(({ to }) => to === addressOf(who));
const put = (who: Session, body: object) => api.request("PUT", "/me/email", { token: who.token, body });
const read = async (who: Session) =>
  expectStatus(200, await api.request("GET", "/me/email", { token: who.token }));
const tell = (who: Session, title: string, type = "request.matched") =>
  inTransaction(api.db, (tx) =>
    insertEvents(tx, [{ accountId: who.accountId, type, orderId: null, key: randomUUID(), data: { title } }]),
  );
/** Lets time pass for whatever waits. */
const letTimePass = async () => {
  await api.db.execute(sql`update earnest.mail_setting set next_at = now()`);
  await api.db.execute(sql`update earnest.mail_message set next_attempt_at = now()`);
};
const post = (path: string, body = "") =>
  api.app.request(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body,
  });
function linkIn(text: string, page: string): string {
  const [, path] = new RegExp(`http://localhost:42069(/mail/${page}\\?token=[\\w.-]+)`).exec(text) ?? [];
  if (!path) throw new Error(`There is no link to ${page} in ${text}`);
  return path;
}

/** Somebody with a verified address. */
async function subscriber(wish: object = {}): Promise<Session> {
  const who = await signIn(api);
  expectStatus(200, await put(who, { address: addressOf(who), events: ["*"], ...wish }));
  await run();
  const answer = await post(linkIn(to(who)[0]?.text ?? "", "verify"));
  expect(answer.status).toBe(200);
  mail.taken.length = 0;
  return who;
}

test("an address gets a link and nothing else until it is confirmed; the link is good once, opening it does nothing", async () => {
  const who = await signIn(api);
  expectStatus(404, await api.request("GET", "/me/email", { token: who.token }));
  const set = expectStatus(200, await put(who, { address: addressOf(who), events: ["request.matched"] }));
  expect(set).toMatchObject({ status: "unverified", mode: "at_once", events: ["request.matched"] });
  await tell(who, "before");
  await run();
  const [verification, ...others] = to(who);
  expect(others).toEqual([]);
  expect(verification?.headers.get("subject")).toBe("Earnest: confirm your address");
  expect(verification?.headers.get("auto-submitted")).toBe("auto-generated");
  const link = linkIn(verification?.text ?? "", "verify");
  const page = await api.app.request(link);
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'.*form-action 'self'/);
  expect((await read(who)).status).toBe("unverified");
  expect((await post(link)).status).toBe(200);
  expect((await read(who)).status).toBe("active");
  expect((await post(link)).status).toBe(400);
  await run();
  // What happened before is not told.
  expect(to(who)).toHaveLength(1);
});

test("a token of another account, an old one, or one made up confirms nothing", async () => {
  const [who, other] = [await signIn(api), await signIn(api)];
  expectStatus(200, await put(who, { address: addressOf(who), events: ["*"] }));
  await run();
  const token = linkIn(to(who)[0]?.text ?? "", "verify").replace(/.*token=/, "");
  const verify = (by: Session, text: string) =>
    api.request("POST", "/me/email/verify", { token: by.token, body: { token: text } });
  expect((await verify(other, token)).status).toBe(400);
  expect((await verify(who, `${who.accountId}.${"A".repeat(43)}`)).status).toBe(400);
  await api.db.update(mailSetting).set({ verificationExpiresAt: sql`now() - interval '1 second'` });
  expect((await verify(who, token)).status).toBe(400);
  await api.db.update(mailSetting).set({ verificationExpiresAt: sql`now() + interval '1 hour'` });
  expect(expectStatus(200, await verify(who, token)).status).toBe("active");
});

test("tells each wanted event once, in plain words, and nothing that a stranger wrote", async () => {
  const who = await subscriber({ events: ["request.matched", "quote.received"] });
  const hostile = "x\r\nBcc: victim@example.org\r\n<a href=https://evil.example>";
  await tell(who, hostile);
  await tell(who, "not wanted", "order.created");
  await run();
  await run();
  const [told, ...others] = to(who);
  expect(others).toEqual([]);
  expect(told?.headers.get("subject")).toBe("Earnest: request.matched");
  expect(told?.headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
  expect(told?.raw).not.toMatch(/victim|evil|Bcc|est_|esk_/);
  expect(told?.text).not.toContain("order.created");
  // What follows soon after waits, and comes together.
  for (const title of ["a", "b", "c"]) await tell(who, title);
  await run();
  expect(to(who)).toHaveLength(1);
  await letTimePass();
  await Promise.all([run(), run(), run()]);
  expect(to(who).map(({ headers }) => headers.get("subject"))).toEqual([
    "Earnest: request.matched",
    "Earnest: 3 events",
  ]);
});

test("a digest waits for its day", async () => {
  const who = await subscriber({ mode: "digest" });
  await tell(who, "one");
  await run();
  expect(to(who)).toHaveLength(1);
  await tell(who, "two");
  await tell(who, "three");
  await api.db.execute(sql`update earnest.mail_setting set next_at = next_at - interval '23 hours'`);
  await run();
  expect(to(who)).toHaveLength(1);
  await api.db.execute(sql`update earnest.mail_setting set next_at = next_at - interval '1 hour'`);
  await run();
  expect(to(who)[1]?.headers.get("subject")).toBe("Earnest: 2 events");
});

test("one click ends all mail, without a sign-in; another's token, or opening the link, does not", async () => {
  const who = await subscriber();
  await tell(who, "one");
  await run();
  const header = to(who)[0]?.headers.get("list-unsubscribe") ?? "";
  const link = linkIn(header, "unsubscribe");
  await api.app.request(link);
  await post(link.replace(/.{5}$/, "AAAAA"), "List-Unsubscribe=One-Click");
  expect((await read(who)).status).toBe("active");
  await tell(who, "on its way");
  await letTimePass();
  const { status } = await post(link, "List-Unsubscribe=One-Click");
  expect(status).toBe(200);
  expect((await read(who)).status).toBe("unsubscribed");
  await run();
  expect(to(who)).toHaveLength(1);
});

test("a greylisting server gets the same message again; one that refuses for good gets no more", async () => {
  const [patient, gone] = [await subscriber(), await subscriber()];
  mail.treat((address) => (address === addressOf(gone) ? 550 : 451));
  await tell(patient, "one");
  await tell(gone, "one");
  await run();
  expect((await read(gone)).status).toBe("rejected");
  const [waiting] = await api.db.select().from(mailMessage).where(eq(mailMessage.status, "pending"));
  expect(waiting).toMatchObject({ accountId: patient.accountId, attempts: 1, lastError: "EENVELOPE 451" });
  const before = mail.attempts();
  await run();
  expect(mail.attempts()).toBe(before);
  mail.treat(() => null);
  await letTimePass();
  await run();
  expect(to(patient)).toHaveLength(1);
  expect(to(patient)[0]?.headers.get("message-id")).toBe(`<${waiting?.id}@localhost>`);
  expect(to(gone)).toEqual([]);
});

test("a server that hangs is given up, and holds up no other message", async () => {
  const [stuck, other] = [await subscriber(), await subscriber()];
  mail.treat((address) => (address === addressOf(stuck) ? "hang" : null));
  await tell(stuck, "one");
  await tell(other, "one");
  await run({ silence: 500 });
  expect(to(other)).toHaveLength(1);
  const [waiting] = await api.db
    .select()
    .from(mailMessage)
    .where(eq(mailMessage.accountId, stuck.accountId))
    .limit(1);
  expect(waiting).toBeDefined();
  mail.treat(() => null);
  await letTimePass();
  await run();
  expect(to(stuck)).toHaveLength(1);
});

test("an hour's messages are bounded in all; what is over waits", async () => {
  const who = [await subscriber(), await subscriber(), await subscriber()];
  for (const { accountId } of who) await makeParty(api.db, accountId);
  for (const one of who) await tell(one, "one");
  const sent = await api.db.$count(mailMessage, eq(mailMessage.status, "sent"));
  await run({ perHour: sent + 2 });
  expect(mail.taken).toHaveLength(2);
  await run();
  expect(mail.taken).toHaveLength(3);
});

test("an hour's messages are bounded for several workers side by side, and each is sent once", async () => {
  const { mail: set, databaseUrl } = api.config;
  if (!set) throw new Error("This installation sends no mail.");
  const who = [await subscriber(), await subscriber(), await subscriber(), await subscriber()];
  for (const { accountId } of who) await makeParty(api.db, accountId);
  for (const one of who) await tell(one, "one");
  const sent = await api.db.$count(mailMessage, eq(mailMessage.status, "sent"));
  const stop = new AbortController();
  const workers = [1, 2, 3].map(() => {
    const send = mailer({ perHour: sent + 2 });
    const tasks = { mail: { run: () => send() } };
    return runTasks(tasks, { db: api.db, databaseUrl, log, signal: stop.signal });
  });
  for (const _ of who) await addTask(api.db, "mail");
  await expect.poll(() => mail.taken.length).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  stop.abort();
  await Promise.all(workers);
  expect(mail.taken).toHaveLength(2);
});

test("a killed worker's mail is sent by another", async () => {
  const [held, other] = [await subscriber(), await subscriber()];
  await tell(held, "one");
  const env = {
    DATABASE_URL: api.config.databaseUrl,
    DEPLOYMENTS_DIR: inject("baseDeployments"),
    RPC_URL_31337: inject("baseRpcUrl"),
    SIGNING_KEY_FILE: api.config.signingKeyFile,
    WEBHOOK_KEY_FILE: api.config.webhookKeyFile,
    SMTP_URL: mail.url,
    MAIL_FROM: "Earnest <mail@example.org>",
  };
  mail.treat((address) => (address === addressOf(held) ? "hang" : null));
  const attempts = mail.attempts();
  const killed = spawnWorker(env);
  await expect.poll(() => mail.attempts(), { timeout: 30_000 }).toBe(attempts + 1);
  await killed.end("SIGKILL");
  mail.treat(() => null);
  await tell(other, "one");
  await letTimePass();
  const next = spawnWorker(env);
  try {
    await expect.poll(() => to(other), { timeout: 50_000 }).toHaveLength(1);
    await expect.poll(() => to(held)).toHaveLength(1);
  } finally {
    await next.end("SIGTERM");
  }
  expect(next.ended()).toBe(0);
}, 90_000);

test("nobody is flooded with verifications: not by one account, nor one address by many, in any spelling", async () => {
  const who = await signIn(api);
  const statuses: number[] = [];
  for (let at = 0; at < 6; at += 1) {
    statuses.push((await put(who, { address: `${at}@example.org`, events: ["*"] })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  const victims = [
    "Vic.Tim@example.org",
    "victim+1@example.org",
    "vic.tim@Example.org",
    "victim@example.org",
  ];
  const answers = [];
  for (const address of victims) answers.push(await put(await signIn(api), { address, events: ["*"] }));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(Number(answers[3]?.headers.get("retry-after"))).toBeGreaterThan(0);
});

/** What was sent to a crowd of accounts that nobody knows. */
async function crowd(
  many: number,
  { network = null, site = null }: { network?: string | null; site?: string | null } = {},
): Promise<void> {
  const ids = Array.from({ length: many }, () => typeid("acc").toString());
  await api.db.insert(account).values(ids.map((id) => ({ id, network })));
  await api.db.insert(mailMessage).values(
    ids.map((id, at) => ({
      id: typeid("msg").toString(),
      accountId: id,
      kind: "verification" as const,
      key: `verification:${id}`,
      ...{ address: `${at}@${site ?? `${at}.example`}`, counted: `${id}@crowd.example`, network },
      site: site ?? `${at}.example`,
      status: "sent" as const,
      finishedAt: sql`now()`,
    })),
  );
}
const verify = async (who: Session, address: string) => (await put(who, { address, events: ["*"] })).status;

test("a crowd of free accounts uses up half of a day's verifications, and a party of a funded order gets its own", async () => {
  const [stranger, party] = [await signIn(api), await signIn(api)];
  await makeParty(api.db, party.accountId);
  await crowd(999);
  expect(await verify(await signIn(api), "last@example.org")).toBe(200);
  const refused = await put(stranger, { address: "late@example.org", events: ["*"] });
  expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
  expect(refused.body.error.message).toContain("never had a funded order");
  expect(await verify(party, "owner@example.org")).toBe(200);
  await run();
  expect(mail.taken.map((one) => one.to)).toContain("owner@example.org");
});

test("neither one network nor one recipient domain uses up what strangers have of a day's verifications", async () => {
  const of = async (network: string) => {
    const who = await signIn(api);
    await api.db.update(account).set({ network }).where(eq(account.id, who.accountId));
    return who;
  };
  await crowd(250, { network: "198.51.100.0/24" });
  expect(await verify(await of("198.51.100.0/24"), "one@example.org")).toBe(429);
  expect(await verify(await of("203.0.113.0/24"), "two@example.org")).toBe(200);
  await crowd(500, { site: "flooded.example" });
  expect(await verify(await of("203.0.113.0/24"), "three@below.flooded.example")).toBe(429);
  expect(await verify(await of("203.0.113.0/24"), "four@example.org")).toBe(200);
  const party = await of("198.51.100.0/24");
  await makeParty(api.db, party.accountId);
  expect(await verify(party, "five@flooded.example")).toBe(200);
});

test("a crowd of free accounts uses up half of an hour's messages, and a party of a funded order gets its own", async () => {
  const [party, stranger] = [await subscriber(), await subscriber()];
  await api.db.delete(mailMessage);
  await makeParty(api.db, party.accountId);
  await crowd(100);
  for (const who of [stranger, party]) await tell(who, "one");
  await run({ perHour: 200 });
  expect([to(party).length, to(stranger).length]).toEqual([1, 0]);
  await run({ perHour: 202 });
  expect(to(stranger)).toHaveLength(1);
});

test("an hour's messages go neither from one network nor to one recipient domain alone", async () => {
  const [one, other] = [await subscriber(), await subscriber()];
  await api.db.delete(mailMessage);
  await api.db.update(account).set({ network: "198.51.100.0/24" }).where(eq(account.id, one.accountId));
  await crowd(25, { network: "198.51.100.0/24" });
  for (const who of [one, other]) await tell(who, "one");
  await run({ perHour: 200 });
  expect([to(one).length, to(other).length]).toEqual([0, 1]);
  await crowd(49, { site: "example.org" });
  await tell(other, "two");
  await letTimePass();
  await run({ perHour: 200 });
  expect(to(other)).toHaveLength(1);
  await makeParty(api.db, other.accountId);
  await letTimePass();
  await run({ perHour: 200 });
  expect(to(other)).toHaveLength(2);
});

test.each([
  "a@b",
  "a b@example.org",
  '"a"@example.org',
  "a@example.org\r\nBcc: b@example.org",
  "a@[127.0.0.1]",
  "<a@example.org>",
  "a@example.org,b@example.org",
])("refuses the address %j", async (address) => {
  const answer = await put(await signIn(api), { address, events: ["*"] });
  expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_request"]);
});

test("an address that is changed or forgotten gets nothing that was on its way; old rows go", async () => {
  const who = await subscriber();
  mail.treat(() => 451);
  await tell(who, "one");
  await run();
  mail.treat(() => null);
  expectStatus(200, await put(who, { address: `new-${addressOf(who)}`, events: ["*"] }));
  await letTimePass();
  await run();
  expect(to(who)).toEqual([]);
  expectStatus(200, await api.request("DELETE", "/me/email", { token: who.token }));
  expectStatus(404, await api.request("GET", "/me/email", { token: who.token }));
  const unverified = await signIn(api);
  expectStatus(200, await put(unverified, { address: addressOf(unverified), events: ["*"] }));
  await run();
  await api.db.update(mailSetting).set({ createdAt: sql`now() - interval '8 days'` });
  await api.db.update(mailMessage).set({ createdAt: sql`now() - interval '31 days'` });
  await removeOld(api.db);
  expect(await api.db.$count(mailSetting)).toBe(0);
  expect(await api.db.$count(mailMessage)).toBe(0);
});

test("a key cannot set an address, and an installation that sends no mail says so", async () => {
  const who = await signIn(api);
  const without = await createDocumentedApi();
  try {
    const session = await signIn(without);
    const body = { address: "a@example.org", events: ["*"] };
    const answer = await without.request("PUT", "/me/email", { token: session.token, body });
    expect([answer.status, answer.body.error.code]).toEqual([409, "email_unavailable"]);
  } finally {
    await without.close();
  }
  const { token } = expectStatus(
    201,
    await api.request("POST", "/api-keys", {
      token: who.token,
      body: { name: "k", scopes: ["orders:read"] },
    }),
  );
  const answer = await api.request("GET", "/me/email", { token });
  expect([answer.status, answer.body.error.code]).toEqual([403, "insufficient_scope"]);
});
