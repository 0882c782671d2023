import { zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFacts } from "../../../db/ledger.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { hashOfText } from "../../../protocol/settlement/dispute.ts";
import { decideDispute } from "../../../trade/disputes/dispute-decision.ts";
import { signalDispute } from "../../../trade/disputes/dispute-intent.ts";
import { openDispute } from "../../../trade/disputes/dispute-opening.ts";
import { addStatement, mostStatements, readTextHash } from "../../../trade/disputes/dispute-statements.ts";
import { createOrders, type Orders, outsider } from "../../harness/market/orders.ts";

let trade: Orders;
beforeAll(async () => {
  trade = await createOrders();
});
afterAll(() => trade.close());

const signature = `0x${"5a".repeat(65)}` as const;
const countOf = async (id: string, type: string) =>
  (await readFacts(trade.db, id)).filter((fact) => fact.type === type).length;

describe("signalDispute", () => {
  test("is accepted once from each party", async () => {
    const { row, buyer, provider } = await trade.reach("funded");
    const signal = (caller: { accountId: string }, reason: string) =>
      inTransaction(trade.db, (tx) => signalDispute(tx, caller, row.id, reason));
    await expect(signal(outsider, "Late.")).rejects.toMatchObject({ code: "not_found" });
    await signal(buyer, "Late.");
    await signal(buyer, "Late.");
    await expect(signal(buyer, "Wrong.")).rejects.toMatchObject({ code: "conflict" });
    await signal(provider, "No answer.");
    expect(await countOf(row.id, "order.dispute_intent")).toBe(2);
  });
});

describe("addStatement", () => {
  test("takes no statement before a dispute, the same only once, and no more than a party's cap", async () => {
    const state = (id: string, caller: { accountId: string }, text: string) =>
      inTransaction(trade.db, (tx) => addStatement(tx, caller, id, { text }));
    const funded = await trade.reach("funded");
    await expect(state(funded.row.id, funded.buyer, "Half is missing.")).rejects.toMatchObject({
      code: "invalid_state",
    });
    const { row, buyer, provider } = await trade.reach("disputed");
    const first = await state(row.id, buyer, "0");
    expect((await state(row.id, buyer, "0")).id).toBe(first.id);
    for (let made = 1; made < mostStatements; made += 1) await state(row.id, buyer, String(made));
    await expect(state(row.id, buyer, "one more")).rejects.toMatchObject({ code: "invalid_state" });
    await state(row.id, provider, "0");
    expect(await countOf(row.id, "dispute.statement")).toBe(mostStatements + 1);
  });
});

test("readTextHash returns the hash of a text, or the given hash", () => {
  const hash = hashOfText("Late.");
  expect(readTextHash("reason", "Late.", undefined)).toBe(hash);
  expect(readTextHash("reason", undefined, hash)).toBe(hash);
  expect(readTextHash("ruling", undefined, undefined)).toBe(zeroHash);
  expect(() => readTextHash("ruling", "Late", hash)).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      details: [expect.objectContaining({ path: "/ruling_hash" })],
    }),
  );
});

describe("openDispute and decideDispute", () => {
  test("are refused to other roles, and where the contract does not allow them", async () => {
    const { row, buyer, provider } = await trade.place();
    const { context } = trade;
    const dispute = { deadline: 1n, signature };
    await expect(openDispute(context, outsider, row.id, dispute)).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(openDispute(context, buyer, row.id, dispute)).rejects.toMatchObject({
      code: "invalid_state",
    });
    const decision = { ...dispute, providerAmount: "1" };
    await expect(decideDispute(context, provider, row.id, decision)).rejects.toMatchObject({
      code: "invalid_state",
      message: "Only the arbiter can decide the dispute.",
    });
  });
});
