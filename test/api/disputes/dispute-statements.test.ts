import { eq } from "drizzle-orm";
import { sha256, stringToBytes } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { event } from "../../../db/schema.ts";
import { expectStatus, type Session } from "../../harness/api.ts";
import { type Court, createCourt, placeDisputed, readDispute } from "../../harness/market/court.ts";
import { ask, expectRefusal, placeFunded, settleNow } from "../../harness/market/market.ts";

let court: Court;
beforeAll(async () => {
  court = await createCourt();
});
afterAll(() => court.api.close());

const say = (who: Session, id: string, body: unknown) =>
  ask(court, who, "POST", `/orders/${id}/dispute/statements`, body);
const file = { name: "page-3.png", url: "https://files.example/3.png", sha256: `0x${"5e".repeat(32)}` };

test("is 201 for both parties and the arbiter, stored word for word in the dispute and the trail", async () => {
  const { id } = await placeDisputed(court);
  const text = "  It ends in the middle.\n„Schade“ 🙁 ";
  const statement = expectStatus(201, await say(court.buyer, id, { text, attachments: [file] }));
  expect(statement).toMatchObject({
    by: "buyer",
    text,
    text_hash: sha256(stringToBytes(text)),
    attachments: [file],
  });
  expectStatus(201, await say(court.provider, id, { text: "It does not." }));
  expectStatus(201, await say(court.arbiter, id, { text: "Where does it?" }));
  const { statements, evidence } = await readDispute(court, court.arbiter, id);
  expect(statements.map((one: { by: string }) => one.by)).toEqual(["buyer", "provider", "arbiter"]);
  expect(statements[0]).toEqual(statement);
  const { items } = expectStatus(200, await ask(court, court.buyer, "GET", `/orders/${id}/events`));
  expect(items.slice(-3)).toMatchObject([
    { id: statement.id, type: "dispute.statement", actor: "buyer", data: { text } },
    { type: "dispute.statement", actor: "provider" },
    { type: "dispute.statement", actor: "arbiter" },
  ]);
  expect(evidence.bundle.trail.slice(-3)).toEqual(items.slice(-3));
});

test("is recorded in the trail only, without an event", async () => {
  const { id } = await placeDisputed(court);
  expectStatus(201, await say(court.buyer, id, { text: "Look." }));
  const events = await court.api.db.select().from(event).where(eq(event.orderId, id));
  expect(events.map(({ type }) => type)).not.toContain("dispute.statement");
});

test("returns the same statement for the same text, however many requests race", async () => {
  const { id } = await placeDisputed(court);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => say(court.buyer, id, { text: "Once.", attachments: [file] })),
  );
  expect(new Set(answers.map((answer) => expectStatus(201, answer).id)).size).toBe(1);
  expectStatus(201, await say(court.provider, id, { text: "Once.", attachments: [file] }));
  expect((await readDispute(court, court.buyer, id)).statements).toHaveLength(2);
});

test("is 409 for the 21st of one author, and others may still write", async () => {
  const { id } = await placeDisputed(court);
  const answers = await Promise.all(
    Array.from({ length: 25 }, (_, i) => say(court.buyer, id, { text: `Statement ${i}` })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  await expectRefusal(court, () => say(court.buyer, id, { text: "One more." }), 409, "invalid_state", "20");
  expectStatus(201, await say(court.provider, id, { text: "Enough." }));
});

test("is 409 before a dispute and after its settlement, and 404 for other accounts", async () => {
  const { id } = await placeFunded(court);
  await expectRefusal(court, () => say(court.buyer, id, { text: "Now?" }), 409, "invalid_state", "disputed");
  await expectRefusal(court, () => say(court.arbiter, id, { text: "Now?" }), 404, "not_found");
  const ended = await placeDisputed(court);
  const early = expectStatus(201, await say(court.buyer, ended.id, { text: "In time." }));
  await ended.chain.ended("Refunded");
  await settleNow(court);
  for (const who of [court.buyer, court.provider, court.arbiter]) {
    await expectRefusal(court, () => say(who, ended.id, { text: "Late." }), 409, "invalid_state");
  }
  expect(expectStatus(201, await say(court.buyer, ended.id, { text: "In time." })).id).toBe(early.id);
  await expectRefusal(court, () => say(court.outsider, ended.id, { text: "Me." }), 404, "not_found");
});

test("is 400 for a malformed statement", async () => {
  const { id } = await placeDisputed(court);
  const bodies: unknown[] = [
    {},
    { text: "" },
    { text: 7 },
    { text: "x".repeat(4001) },
    { text: "half a pair \ud800" },
    { text: "with NUL \u0000" },
    { text: "ok", by: "arbiter" },
    { text: "ok", attachments: [{ ...file, sha256: "0x12" }] },
    { text: "ok", attachments: [{ ...file, url: "file:///etc/passwd" }] },
    { text: "ok", attachments: [{ ...file, url: "javascript:alert(1)" }] },
    { text: "ok", attachments: [{ ...file, name: "x".repeat(201) }] },
    { text: "ok", attachments: [{ ...file, content: "AAAA" }] },
    { text: "ok", attachments: Array.from({ length: 11 }, () => file) },
  ];
  for (const body of bodies) {
    await expectRefusal(court, () => say(court.buyer, id, body), 400, "invalid_request");
  }
  const huge = { text: "x".repeat(300_000) };
  await expectRefusal(court, () => say(court.buyer, id, huge), 413, "payload_too_large");
});
