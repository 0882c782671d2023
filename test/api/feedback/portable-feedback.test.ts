import { eq } from "drizzle-orm";
import { getAddress, type Hex, keccak256 } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { feedback, feedbackFile } from "../../../db/schema.ts";
import { createKey, expectStatus } from "../../harness/api.ts";
import { compared } from "../../harness/documents/outputs.ts";
import { changeIdentities, registriesOf } from "../../harness/identities.ts";
import { createFeedbackMarket, sampleFeedback } from "../../harness/market/feedback.ts";
import { ask, indexer, place, placeFunded, randomHash, settleNow } from "../../harness/market/market.ts";
import { serveMcp, use } from "../../harness/mcp.ts";

let on: Awaited<ReturnType<typeof createFeedbackMarket>>;
beforeAll(async () => {
  on = await createFeedbackMarket();
});
afterAll(() => on?.close());

describe("portable feedback is prepared", () => {
  test("as a file that is public under its hash, and a call for the buyer's wallet", async () => {
    const { id, row, settlement } = await on.placeSettled();
    expect((await on.get(id)).body).toEqual({ order_id: id, feedback: null });
    const made = await on.prepared(id);
    const { identity_registry, reputation_registry } = registriesOf(on.chain);
    const hash = made.feedback_hash as Hex;
    const receipts = expectStatus(
      200,
      await ask(on.market, on.market.buyer, "GET", `/orders/${id}/receipts`),
    ).items;
    const released = receipts.find((one: { claim: string }) => one.claim === "released");
    expect(made).toMatchObject({
      status: "prepared",
      agent: `eip155:31337:${identity_registry}:${on.tokenId}`,
      client_address: on.market.buyer.account.address,
      ...sampleFeedback,
      value_decimals: 0,
      file_url: `http://localhost:42069/api/v1/feedback/${hash}.json`,
      transaction: null,
      feedback_index: null,
      revoked: false,
    });
    expect(made.file).toEqual({
      agentRegistry: `eip155:31337:${identity_registry}`,
      agentId: Number(on.tokenId),
      clientAddress: `eip155:31337:${on.market.buyer.account.address}`,
      createdAt: expect.any(String),
      value: 87,
      valueDecimals: 0,
      tag1: "starred",
      tag2: "swift",
      comment: "Delivered within the hour.",
      proofOfPayment: {
        fromAddress: on.market.buyer.account.address,
        toAddress: on.market.provider.account.address,
        chainId: "31337",
        txHash: settlement.transactionHash,
      },
      settlement: {
        claim: "released",
        escrowContract: getAddress(row.escrowContract),
        escrowId: row.escrowId,
        token: getAddress(row.token),
        amount: row.amount.toString(),
        receipt: `http://localhost:42069/api/v1/receipts/${released.id}`,
      },
    });
    expect(made.call).toEqual({
      function: "giveFeedback",
      to: reputation_registry,
      value: "0",
      data: expect.any(String),
      args: {
        agentId: on.tokenId.toString(),
        value: "87",
        valueDecimals: 0,
        tag1: "starred",
        tag2: "swift",
        endpoint: "",
        feedbackURI: made.file_url,
        feedbackHash: hash,
      },
    });

    const served = await on.market.api.app.request(`/api/v1/feedback/${hash}.json`);
    const bytes = new Uint8Array(await served.arrayBuffer());
    expect(keccak256(bytes)).toBe(hash);
    expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual(made.file);
    expect(served.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(served.headers.get("content-type")).toMatch(/^application\/json/);
  });

  test("as docs/erc8004.md shows it", async () => {
    const { id } = await on.placeSettled();
    const { file } = await on.prepared(id, {
      value: 87,
      tag1: sampleFeedback.tag1,
      comment: sampleFeedback.comment,
    });
    const [actual, sample] = compared(file, "docs/erc8004.md: Feedback on a settled order 2");
    expect(actual).toEqual(sample);
  });

  test("of a refund, with the refund as its proof", async () => {
    const { id, row, settlement } = await on.placeSettled("Refunded");
    const { file } = await on.prepared(id, { value: -32, value_decimals: 1 });
    expect(file).toMatchObject({ value: -32, valueDecimals: 1, settlement: { claim: "refunded" } });
    expect(file.proofOfPayment).toEqual({
      fromAddress: getAddress(row.escrowContract),
      toAddress: on.market.buyer.account.address,
      chainId: "31337",
      txHash: settlement.transactionHash,
    });
    expect(file).not.toHaveProperty("tag1");
    expect(file).not.toHaveProperty("comment");
  });

  test("again before it is given, at most ten times, and the same words give the same file", async () => {
    const { id } = await on.placeSettled();
    const first = await on.prepared(id);
    expect(await on.prepared(id)).toEqual(first);
    for (let value = 1; value < 10; value += 1) {
      const next = await on.prepared(id, { ...sampleFeedback, value });
      expect(next.feedback_hash).not.toBe(first.feedback_hash);
    }
    const refused = await on.prepare(id, { ...sampleFeedback, value: 11 });
    expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"]);
    expect((await on.get(id)).body.feedback.value).toBe(9);
    // The buyer may have signed the first file.
    expect((await on.market.api.request("GET", `/feedback/${first.feedback_hash}.json`)).status).toBe(200);
  });

  test("as one file by ten requests that race", async () => {
    const { id } = await on.placeSettled();
    const answers = await Promise.all(Array.from({ length: 10 }, () => on.prepare(id)));
    const hashes = answers.map((answer) => expectStatus(201, answer).feedback.feedback_hash);
    expect(new Set(hashes).size).toBe(1);
    expect(await on.market.api.db.$count(feedbackFile, eq(feedbackFile.orderId, id))).toBe(1);
  });

  test("only by the buyer, and only once the order is settled", async () => {
    const { id, row } = await placeFunded(on.market);
    const early = await on.prepare(id);
    expect([early.status, early.body.error.code]).toEqual([409, "not_settled"]);
    await indexer(on.market, row).ended("Released");
    // The chain has the event, and the ledger has not confirmed it.
    expect((await on.prepare(id)).body.error.code).toBe("not_settled");
    await settleNow(on.market);

    for (const [who, status, code] of [
      [on.market.provider, 409, "invalid_state"],
      [on.market.outsider, 404, "not_found"],
    ] as const) {
      for (const answer of [
        await on.prepare(id, sampleFeedback, who),
        await on.submit(id, randomHash(), who),
        await on.get(id, who),
      ]) {
        expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      }
    }
    const apiKey = await createKey(on.market.api, on.market.buyer, ["orders:read"]);
    const unscoped = await on.market.api.request("POST", `/orders/${id}/portable-feedback`, {
      apiKey,
      body: sampleFeedback,
    });
    expect(unscoped.body.error.code).toBe("insufficient_scope");
    expect(await on.market.api.db.$count(feedback, eq(feedback.orderId, id))).toBe(0);
  });

  test.each([
    ["no value", { tag1: "starred" }],
    ["a fraction", { value: 1.5 }],
    ["a value that JSON numbers do not hold", { value: 2 ** 53 }],
    ["a value as text", { value: "87" }],
    ["19 decimals", { value: 1, value_decimals: 19 }],
    ["a tag over 64 characters", { value: 1, tag1: "x".repeat(65) }],
    ["a comment over 2000 characters", { value: 1, comment: "x".repeat(2001) }],
    ["a hash of its own", { value: 1, feedback_hash: randomHash() }],
  ])("and is refused with %s", async (_, body) => {
    const { id } = await on.placeSettled();
    const refused = await on.prepare(id, body);
    expect([refused.status, refused.body.error.code]).toEqual([400, "invalid_request"]);
    expect(await on.market.api.db.$count(feedback, eq(feedback.orderId, id))).toBe(0);
  });

  test("and is refused where the buyer controls the agent or the agent has no identity", async () => {
    const { id } = await on.placeSettled();
    const { account } = on.market.provider;
    const operator = on.market.buyer.account.address;
    await changeIdentities(on.chain, account, "setApprovalForAll", [operator, true]);
    const own = await on.prepare(id);
    expect([own.status, own.body.error.code]).toEqual([409, "invalid_state"]);
    expect(own.body.error.message).toMatch(/an owner cannot rate their own agent/);
    await changeIdentities(on.chain, account, "setApprovalForAll", [operator, false]);

    const { token } = on.market.provider;
    await on.market.api.request("DELETE", `/agents/${on.market.agent.slug}/erc8004`, { token });
    const without = await on.prepare(id);
    expect([without.status, without.body.error.code]).toEqual([409, "invalid_state"]);
    await on.linkIdentity();
    expect((await on.prepare(id)).status).toBe(201);
  });

  test("and an unknown file is 404", async () => {
    for (const name of [`${randomHash()}.json`, randomHash(), "x.json", `${"0".repeat(500)}.json`]) {
      expect((await on.market.api.request("GET", `/feedback/${name}`)).status, name).toBe(404);
    }
  });
});

test("and an order that was only placed has none", async () => {
  const { id } = await place(on.market);
  expect((await on.prepare(id)).body.error.code).toBe("not_settled");
});

test("an assistant prepares feedback, and gets the call for the buyer's wallet", async () => {
  const { id: order_id } = await on.placeSettled();
  const mcp = await serveMcp(on.market.api.app);
  try {
    const client = await mcp.connect(await createKey(on.market.api, on.market.buyer, ["orders:write"]));
    const given = { order_id, value: 87, tag1: "starred", comment: "Delivered within the hour." };
    const { facts } = await use(client, "prepare_feedback", given);
    const { reputation_registry } = registriesOf(on.chain);
    expect(facts).toMatchObject({
      status: "prepared",
      wallet: on.market.buyer.account.address,
      call: { function: "giveFeedback", to: reputation_registry },
    });
    expect((await use(client, "prepare_feedback", { ...given, value: 0.5 })).code).toBe("invalid_arguments");
  } finally {
    await mcp.close();
  }
});
