import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountErasure, auditEntry, fact } from "../../../db/schema.ts";
import { factKeys } from "../../../protocol/facts/fact-words.ts";
import { createOrders, type Orders } from "../../harness/market/orders.ts";

let orders: Orders;
beforeAll(async () => {
  orders = await createOrders();
});
afterAll(() => orders?.close());

async function erase(data: object, keepsHashes = true) {
  const { rows } = await orders.db.execute<{ erased: object }>(sql`
    select earnest.erase_words(${JSON.stringify(data)}::jsonb, ${keepsHashes}) as erased`);
  return rows[0]?.erased;
}
const hashOf = (text: string) => `0x${createHash("sha256").update(text).digest("hex")}`;

test("the database empties exactly the keys of facts that have words", async () => {
  for (const [key, isWord] of Object.entries(factKeys)) {
    const expected = { ...(key === "url" ? {} : { [key]: "erased" }), [`${key}_sha256`]: hashOf("A wörd") };
    expect(await erase({ [key]: "A wörd" }), key).toEqual(isWord ? expected : { [key]: "A wörd" });
  }
});

test("a word leaves its hash unless one is beside it, at any depth, and a second erasure changes nothing", async () => {
  const statement = {
    text: "Late.",
    text_hash: hashOf("Late."),
    attachments: [{ name: "a.png", url: "https://a.example", sha256: "0x00" }],
    stages: [{ title: "Draft", amount: "1.00" }],
    number: 7,
  };
  const erased = {
    text: "erased",
    text_hash: hashOf("Late."),
    attachments: [{ name: "erased", sha256: "0x00" }],
    stages: [{ title: "erased", title_sha256: hashOf("Draft"), amount: "1.00" }],
    number: 7,
  };
  expect(await erase(statement)).toEqual(erased);
  expect(await erase(erased)).toEqual(erased);
  expect(await erase({ order: { agent: { name: "Ada", slug: "ada" } } }, false)).toEqual({
    order: { agent: { name: "erased", slug: "erased" } },
  });
});

test("the ledger and the audit log take an erasure of words and no other change", async () => {
  const { row } = await orders.reach("funded");
  const { db } = orders;
  const id = typeid("fct").toString();
  const said = {
    orderId: row.id,
    type: "order.dispute_intent",
    actor: "buyer",
    key: id,
    occurredAt: new Date(),
  };
  await db.insert(fact).values({ ...said, id, data: { reason: "Late." } });
  const entry = {
    id: typeid("aud").toString(),
    accountId: row.buyerAccountId,
    actorAccountId: row.buyerAccountId,
    action: "key.revoked",
    target: "key",
    data: { name: "Shop" },
    clientAddress: "10.0.0.1",
    requestId: "req",
  };
  await db.insert(auditEntry).values(entry);
  const change = (statement: ReturnType<typeof sql>) =>
    db.execute(statement).then(
      () => "taken",
      () => "refused",
    );
  const changes = {
    "other data": sql`update earnest.fact set data = '{"reason":"erased"}' where id = ${id}`,
    "another key": sql`update earnest.fact set data = earnest.erase_words(data, true), key = 'other' where id = ${id}`,
    "without a hash": sql`update earnest.fact set data = earnest.erase_words(data, false) where id = ${id}`,
    "a deletion": sql`delete from earnest.fact where id = ${id}`,
    "an entry's action": sql`update earnest.audit_entry set data = '{}', action = 'key.created' where id = ${entry.id}`,
    "an entry's words": sql`update earnest.audit_entry set data = '{"name":"Store"}' where id = ${entry.id}`,
    "an entry's deletion": sql`delete from earnest.audit_entry where id = ${entry.id}`,
  };
  const erasure = {
    "a fact's words": sql`update earnest.fact set data = earnest.erase_words(data, true) where id = ${id}`,
    "an entry": sql`update earnest.audit_entry set data = '{}', client_address = null where id = ${entry.id}`,
  };
  // No account of these rows is being erased.
  for (const [name, statement] of Object.entries({ ...changes, ...erasure }))
    expect([name, await change(statement)]).toEqual([name, "refused"]);
  const now = new Date();
  await db
    .insert(accountErasure)
    .values({ accountId: row.buyerAccountId, status: "running", dueAt: now, nextAt: now });
  for (const [name, statement] of Object.entries(changes))
    expect([name, await change(statement)]).toEqual([name, "refused"]);
  for (const [name, statement] of Object.entries(erasure))
    expect([name, await change(statement)]).toEqual([name, "taken"]);
});
