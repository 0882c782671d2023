import { eq } from "drizzle-orm";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ReceiptSigner, readReceiptSigner } from "../../../config/keys/signing-key.ts";
import { agent, agentRecord, recordStatement } from "../../../db/schema.ts";
import { publishKeys } from "../../../jobs/receipts/key-publication.ts";
import { createStatementRounds } from "../../../jobs/receipts/record-statements.ts";
import { verifyReceipt, verifyRecordStatement } from "../../../receipts/index.ts";
import { createSigningKey } from "../../../receipts/signing-keys.ts";
import { expectStatus } from "../../harness/api.ts";
import { createMarket, expectRefusal, type Market } from "../../harness/market/market.ts";
import { hash, PROVIDER, sampleRecord } from "../../harness/receipts/documents.ts";

const log = pino({ level: "silent" });
let market: Market;
let signer: ReceiptSigner;

beforeAll(async () => {
  market = await createMarket();
  signer = readReceiptSigner(market.api.config);
  await publishKeys(market.api.db, signer);
});
afterAll(() => market?.api.close());
beforeEach(async () => {
  await market.api.db.delete(recordStatement);
  await market.api.db.delete(agentRecord);
});

const round = (by = signer) => createStatementRounds(market.api.db, market.api.config, by, { log })();
const path = () => `/agents/${market.agent.slug}/record/statement`;
const read = async () => expectStatus(200, await market.api.request("GET", path()));
const fetchOwn = ((url: string, init?: RequestInit) =>
  market.api.app.request(new URL(url).pathname, init)) as unknown as typeof fetch;
const verify = (statement: unknown, of = market.agent.slug) =>
  verifyRecordStatement(JSON.stringify(statement), { issuer: signer.issuer, fetch: fetchOwn, agent: of });

/** A record as the computing job leaves it. */
async function compute(fields: Partial<typeof agentRecord.$inferInsert> = {}): Promise<void> {
  const { ever, days_90, days_30 } = sampleRecord({ url: "", did: "" });
  const values = {
    id: market.agent.id,
    agentId: market.agent.id,
    record: { ever, days_90, days_30 },
    version: 1,
    score: 300,
    upper: 900,
    share: 800,
    evidence: 1500,
    orders: 2,
    onTime: 500,
    outcomes: 2,
    outcomesRoot: hash("66"),
    asOf: new Date(),
    ...fields,
  };
  await market.api.db
    .insert(agentRecord)
    .values(values)
    .onConflictDoUpdate({ target: agentRecord.id, set: { ...values, statedAsOf: undefined } });
}

describe("the statement of an agent's record", () => {
  test("is signed when the record was computed, and is valid for any verifier, for this agent only", async () => {
    await expectRefusal(market, () => market.api.request("GET", path()), 404, "not_found");
    await compute();
    await round();
    const statement = await read();
    expect(await verify(statement)).toMatchObject({ valid: true, kind: "record_statement" });
    expect(await verify(statement, "another")).toMatchObject({ valid: false, code: "unexpected_value" });
    const asReceipt = { issuer: signer.issuer, fetch: fetchOwn };
    expect(await verifyReceipt(JSON.stringify(statement), asReceipt)).toMatchObject({ code: "wrong_kind" });
    expect(statement).toMatchObject({
      agent: { id: market.agent.id, slug: market.agent.slug },
      score: {
        formula: expect.stringMatching(/^earnest-score-/),
        value: 300,
        upper: 900,
        share: 800,
        evidence: 1500,
      },
      ever: { orders: 2 },
      outcomes_root: hash("66"),
    });
    expect(new URL(statement.id).pathname).toBe(`/api/v1${path()}`);
    const days = (Date.parse(statement.valid_until) - Date.parse(statement.issued_at)) / 86_400_000;
    expect(days).toBe(30);
  });

  test("is signed once for each computation, however often it is requested", async () => {
    await compute();
    await round();
    const first = await read();
    await round();
    expect(await read()).toEqual(first);
    await compute({ score: 400, asOf: new Date(Date.now() + 1000) });
    expect(await read()).toEqual(first);
    await round();
    expect(await read()).toMatchObject({ score: { value: 400 } });
  });

  test("of a record without evidence has the interval 0 to 1000", async () => {
    await compute({ score: null, upper: null, share: null, evidence: 0 });
    await round();
    const statement = await read();
    expect(statement.score).toMatchObject({ value: 0, upper: 1000, share: null });
    expect(await verify(statement)).toMatchObject({ valid: true });
  });

  test("names the wallet that the agent is paid at", async () => {
    const { db } = market.api;
    await db.update(agent).set({ payoutWallet: PROVIDER }).where(eq(agent.id, market.agent.id));
    await compute();
    await round();
    expect((await read()).agent.wallets).toEqual([PROVIDER]);
  });

  test("of a key that has another owner, or of another issuer's name, is signed again", async () => {
    await compute();
    const [old] = signer.keys;
    if (!old) throw new Error("There is no key.");
    const newer = createSigningKey("key-9", new Date(Date.now() - 1000));
    await round();
    const before = await read();
    await round({ ...signer, keys: [{ ...old, compromised_since: new Date().toISOString() }, newer] });
    const after = await read();
    expect(before.proof.verificationMethod).toBe(`${signer.issuer}#${old.kid}-mb`);
    expect(after.proof.verificationMethod).toBe(`${signer.issuer}#key-9-mb`);
    await round({ ...signer, issuer: "did:web:moved.example" });
    expect((await read()).issuer).toBe("did:web:moved.example");
  });

  test("of one agent that cannot be signed blocks no other", async () => {
    await compute({ record: { ever: "nothing" } });
    await round();
    await expectRefusal(market, () => market.api.request("GET", path()), 404, "not_found");
    const [row] = await market.api.db.select().from(agentRecord);
    expect(row?.statedAsOf).toEqual(row?.asOf);
  });
});
