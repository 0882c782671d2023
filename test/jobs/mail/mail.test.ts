import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { mailMessage, mailSetting } from "../../../db/schema.ts";
import { removeOldRows } from "../../../jobs/retention.ts";
import { expectStatus, type Session, signIn } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";
import { baseChainSettings } from "../../harness/fixtures/fixture.ts";
import { linkIn, type MailBench, startMailBench } from "../../harness/jobs/mail.ts";
import { spawnWorker } from "../../harness/jobs/processes.ts";

let bench: MailBench;
beforeAll(async () => {
  bench = await startMailBench();
});
afterAll(() => bench?.close());
afterEach(() => bench.clear());

test("an address gets only a link until it is confirmed; the link works once, and opening it does nothing", async () => {
  const who = await signIn(bench.api);
  expectStatus(404, await bench.api.request("GET", "/me/email", { token: who.token }));
  const set = expectStatus(
    200,
    await bench.put(who, { address: bench.addressOf(who), events: ["request.matched"] }),
  );
  expect(set).toMatchObject({ status: "unverified", mode: "at_once", events: ["request.matched"] });
  await bench.tell(who, "before");
  await bench.run();
  const [verification, ...others] = bench.to(who);
  expect(others).toEqual([]);
  expect(verification?.headers.get("subject")).toBe("Confirm your address for Earnest");
  expect(verification?.headers.get("auto-submitted")).toBe("auto-generated");
  const link = linkIn(verification?.text ?? "", "verify");
  const page = await bench.api.app.request(link);
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'.*form-action 'self'/);
  expect((await bench.read(who)).status).toBe("unverified");
  expect((await bench.post(link)).status).toBe(200);
  expect((await bench.read(who)).status).toBe("active");
  expect((await bench.post(link)).status).toBe(400);
  await bench.run();
  // Earlier events are not sent.
  expect(bench.to(who)).toHaveLength(1);
});

test("an account that chose German gets its mails in German", async () => {
  const who = await signIn(bench.api);
  const body = { address: bench.addressOf(who), events: ["*"], language: "de" };
  expect(expectStatus(200, await bench.put(who, body)).language).toBe("de");
  await bench.run();
  const [verification] = bench.to(who);
  expect(verification?.text).toContain("bestätigen Sie die Adresse innerhalb eines Tages");
  const link = linkIn(verification?.text ?? "", "verify");
  const page = await bench.api.app.request(link, { headers: { "accept-language": "de-AT" } });
  expect(await page.text()).toMatch(/<html lang="de">.*<h1>Bestätigen Sie Ihre Adresse<\/h1>/s);
  expect((await bench.post(link)).status).toBe(200);
  await bench.tell(who, "anything");
  await bench.run();
  expect(bench.to(who)[1]?.text).toContain("Neue Anfrage, die zu Ihren Diensten passt");
});

test("a token of another account, an old one, or a made-up one confirms nothing", async () => {
  const [who, other] = [await signIn(bench.api), await signIn(bench.api)];
  expectStatus(200, await bench.put(who, { address: bench.addressOf(who), events: ["*"] }));
  await bench.run();
  const token = linkIn(bench.to(who)[0]?.text ?? "", "verify").replace(/.*token=/, "");
  const verify = (by: Session, text: string) =>
    bench.api.request("POST", "/me/email/verify", { token: by.token, body: { token: text } });
  expect((await verify(other, token)).status).toBe(400);
  expect((await verify(who, `${who.accountId}.${"A".repeat(43)}`)).status).toBe(400);
  await bench.api.db.update(mailSetting).set({ verificationExpiresAt: sql`now() - interval '1 second'` });
  expect((await verify(who, token)).status).toBe(400);
  await bench.api.db.update(mailSetting).set({ verificationExpiresAt: sql`now() + interval '1 hour'` });
  expect(expectStatus(200, await verify(who, token)).status).toBe("active");
});

test("sends each chosen event once, in plain words, without text of other accounts", async () => {
  const who = await bench.subscriber({ events: ["request.matched", "quote.received"] });
  const hostile = "x\r\nBcc: victim@example.org\r\n<a href=https://evil.example>";
  await bench.tell(who, hostile);
  await bench.tell(who, "not wanted", "order.created");
  await bench.run();
  await bench.run();
  const [message, ...others] = bench.to(who);
  expect(others).toEqual([]);
  expect(message?.headers.get("subject")).toBe("New request that matches your services");
  expect(message?.headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
  expect(message?.raw).not.toMatch(/victim|evil|Bcc|est_|esk_/);
  expect(message?.text).not.toContain("order.created");
  // Events that follow soon wait, and come together.
  for (const title of ["a", "b", "c"]) await bench.tell(who, title);
  await bench.run();
  expect(bench.to(who)).toHaveLength(1);
  await bench.letTimePass();
  await Promise.all([bench.run(), bench.run(), bench.run()]);
  expect(bench.to(who).map(({ headers }) => headers.get("subject"))).toEqual([
    "New request that matches your services",
    "3 updates on Earnest",
  ]);
});

test("a digest waits for its day", async () => {
  const who = await bench.subscriber({ mode: "digest" });
  await bench.tell(who, "one");
  await bench.run();
  expect(bench.to(who)).toHaveLength(1);
  await bench.tell(who, "two");
  await bench.tell(who, "three");
  await bench.api.db.execute(sql`update earnest.mail_setting set next_at = next_at - interval '23 hours'`);
  await bench.run();
  expect(bench.to(who)).toHaveLength(1);
  await bench.api.db.execute(sql`update earnest.mail_setting set next_at = next_at - interval '1 hour'`);
  await bench.run();
  expect(bench.to(who)[1]?.headers.get("subject")).toBe("2 updates on Earnest");
});

test("one click ends all mail, without a sign-in; another's token, or opening the link, does not", async () => {
  const who = await bench.subscriber();
  await bench.tell(who, "one");
  await bench.run();
  const header = bench.to(who)[0]?.headers.get("list-unsubscribe") ?? "";
  const link = linkIn(header, "unsubscribe");
  await bench.api.app.request(link);
  await bench.post(link.replace(/.{5}$/, "AAAAA"), "List-Unsubscribe=One-Click");
  expect((await bench.read(who)).status).toBe("active");
  await bench.tell(who, "on its way");
  await bench.letTimePass();
  const { status } = await bench.post(link, "List-Unsubscribe=One-Click");
  expect(status).toBe(200);
  expect((await bench.read(who)).status).toBe("unsubscribed");
  await bench.run();
  expect(bench.to(who)).toHaveLength(1);
});

test("a greylisting server gets the same message again; one that refuses permanently gets no more", async () => {
  const [patient, gone] = [await bench.subscriber(), await bench.subscriber()];
  bench.mail.treat((address) => (address === bench.addressOf(gone) ? 550 : 451));
  await bench.tell(patient, "one");
  await bench.tell(gone, "one");
  await bench.run();
  expect((await bench.read(gone)).status).toBe("rejected");
  const [waiting] = await bench.api.db.select().from(mailMessage).where(eq(mailMessage.status, "pending"));
  expect(waiting).toMatchObject({ accountId: patient.accountId, attempts: 1, lastError: "EENVELOPE 451" });
  const before = bench.mail.attempts();
  await bench.run();
  expect(bench.mail.attempts()).toBe(before);
  bench.mail.treat(() => null);
  await bench.letTimePass();
  await bench.run();
  expect(bench.to(patient)).toHaveLength(1);
  expect(bench.to(patient)[0]?.headers.get("message-id")).toBe(`<${waiting?.id}@localhost>`);
  expect(bench.to(gone)).toEqual([]);
});

test("a server that hangs is given up, and delays no other message", async () => {
  const [stuck, other] = [await bench.subscriber(), await bench.subscriber()];
  bench.mail.treat((address) => (address === bench.addressOf(stuck) ? "hang" : null));
  await bench.tell(stuck, "one");
  await bench.tell(other, "one");
  await bench.run({ silenceMs: 500 });
  expect(bench.to(other)).toHaveLength(1);
  const [waiting] = await bench.api.db
    .select()
    .from(mailMessage)
    .where(eq(mailMessage.accountId, stuck.accountId))
    .limit(1);
  expect(waiting).toBeDefined();
  bench.mail.treat(() => null);
  await bench.letTimePass();
  await bench.run();
  expect(bench.to(stuck)).toHaveLength(1);
});

test("a killed worker's mail is sent by another", async () => {
  const [held, other] = [await bench.subscriber(), await bench.subscriber()];
  await bench.tell(held, "one");
  const env = {
    DATABASE_URL: bench.api.config.databaseUrl,
    ...(await baseChainSettings()),
    SIGNING_KEY_FILE: bench.api.config.signingKeyFile,
    WEBHOOK_KEY_FILE: bench.api.config.webhookKeyFile,
    SMTP_URL: bench.mail.url,
    MAIL_FROM: "Earnest <mail@example.org>",
  };
  bench.mail.treat((address) => (address === bench.addressOf(held) ? "hang" : null));
  const attempts = bench.mail.attempts();
  const killed = spawnWorker(env);
  await expect.poll(() => bench.mail.attempts()).toBe(attempts + 1);
  await killed.end("SIGKILL");
  bench.mail.treat(() => null);
  await bench.tell(other, "one");
  await bench.letTimePass();
  const next = spawnWorker(env);
  try {
    await expect.poll(() => bench.to(other)).toHaveLength(1);
    await expect.poll(() => bench.to(held)).toHaveLength(1);
  } finally {
    await next.end("SIGTERM");
  }
  expect(next.ended()).toBe(0);
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
  const answer = await bench.put(await signIn(bench.api), { address, events: ["*"] });
  expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_request"]);
});

test("an address that is changed or removed gets no pending mail; old rows are deleted", async () => {
  const who = await bench.subscriber();
  bench.mail.treat(() => 451);
  await bench.tell(who, "one");
  await bench.run();
  bench.mail.treat(() => null);
  expectStatus(200, await bench.put(who, { address: `new-${bench.addressOf(who)}`, events: ["*"] }));
  await bench.letTimePass();
  await bench.run();
  expect(bench.to(who)).toEqual([]);
  expectStatus(200, await bench.api.request("DELETE", "/me/email", { token: who.token }));
  expectStatus(404, await bench.api.request("GET", "/me/email", { token: who.token }));
  const unverified = await signIn(bench.api);
  expectStatus(200, await bench.put(unverified, { address: bench.addressOf(unverified), events: ["*"] }));
  await bench.run();
  await bench.api.db.update(mailSetting).set({ createdAt: sql`now() - interval '8 days'` });
  await bench.api.db.update(mailMessage).set({ createdAt: sql`now() - interval '31 days'` });
  await removeOldRows(bench.api.db);
  expect(await bench.api.db.$count(mailSetting)).toBe(0);
  expect(await bench.api.db.$count(mailMessage)).toBe(0);
});

test("a key cannot set an address, and an installation without mail says so", async () => {
  const who = await signIn(bench.api);
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
    await bench.api.request("POST", "/api-keys", {
      token: who.token,
      body: { name: "k", scopes: ["orders:read"] },
    }),
  );
  const answer = await bench.api.request("GET", "/me/email", { token });
  expect([answer.status, answer.body.error.code]).toEqual([403, "insufficient_scope"]);
});
