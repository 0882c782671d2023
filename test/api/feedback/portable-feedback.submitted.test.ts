import { encodeDeployData, encodeFunctionData, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { reputationRegistryAbi } from "../../../abis/registries.ts";
import { reputationRegistryBytecode } from "../../../abis/registryBytecode.ts";
import { newFeedbackProgress } from "../../../jobs/chain/follow-feedback.ts";
import { expectStatus } from "../../harness/api.ts";
import { registerIdentity, registriesOf, sendCall } from "../../harness/identities.ts";
import { createFeedbackMarket } from "../../harness/market/feedback.ts";
import { randomHash } from "../../harness/market/market.ts";

let on: Awaited<ReturnType<typeof createFeedbackMarket>>;
beforeAll(async () => {
  on = await createFeedbackMarket();
});
afterAll(() => on?.close());

describe("portable feedback is submitted", () => {
  let id: string;
  let made: Awaited<ReturnType<typeof on.prepared>>;
  beforeEach(async () => {
    ({ id } = await on.placeSettled());
    made = await on.prepared(id);
  });
  const give = (call = made.call) => sendCall(on.chain, on.market.buyer.account, call);

  async function expectUnsubmitted(transaction: Hex, keyword: string) {
    const refused = await on.submit(id, transaction);
    expect([refused.status, refused.body.error.code], refused.body.error?.message).toEqual([
      400,
      "invalid_request",
    ]);
    expect(refused.body.error.details).toEqual([
      { path: "/transaction_hash", keyword, message: expect.any(String) },
    ]);
    expect((await on.get(id)).body.feedback).toMatchObject({ status: "prepared", transaction: null });
  }

  test("with the wallet's transaction: pending, then confirmed once the index has its block", async () => {
    const { request } = on.market.api;
    const written = await request("POST", `/orders/${id}/review`, {
      token: on.market.buyer.token,
      body: { rating: 4 },
    });
    const readReview = async () =>
      expectStatus(200, await request("GET", `/reviews/${expectStatus(201, written).id}`));
    // Feedback that is only prepared is private.
    expect((await readReview()).erc8004).toBeNull();
    const transaction = await give();
    const answer = expectStatus(202, await on.submit(id, transaction));
    expect(answer.feedback).toMatchObject({
      status: "submitted",
      call: null,
      transaction: { chain_id: 31_337, hash: transaction },
    });
    const index = await on.chain.publicClient.readContract({
      address: registriesOf(on.chain).reputation_registry,
      abi: reputationRegistryAbi,
      functionName: "getLastIndex",
      args: [on.tokenId, on.market.buyer.account.address],
    });
    expect(answer.feedback.feedback_index).toBe(Number(index));
    expect(expectStatus(202, await on.submit(id, transaction.toUpperCase().replace("0X", "0x")))).toEqual(
      answer,
    );

    const { blockNumber } = await on.indexFeedback(transaction);
    await on.indexUpTo(blockNumber - 1n);
    expect((await on.follow()).confirmed).toBe(0);
    await on.indexUpTo(blockNumber);
    expect((await on.follow()).confirmed).toBe(1);
    expect((await on.get(id)).body.feedback).toMatchObject({ ...answer.feedback, status: "confirmed" });
    expect((await readReview()).erc8004).toMatchObject({
      status: "confirmed",
      client_address: on.market.buyer.account.address,
      value: 87,
      tag1: "starred",
      revoked: false,
      transaction: { hash: transaction },
    });
    expect((await on.prepare(id, { value: 1 })).body.error.code).toBe("conflict");
    expect((await on.submit(id, randomHash())).body.error.code).toBe("conflict");
    expect((await on.submit(id, transaction)).status).toBe(202);
  });

  test("without a request, with whichever of the order's files the wallet signed", async () => {
    const transaction = await give();
    await on.prepared(id, { value: 3 });
    const { blockNumber } = await on.indexFeedback(transaction);
    await on.indexUpTo(blockNumber);
    expect(await on.follow()).toMatchObject({ found: 1, confirmed: 1 });
    expect((await on.get(id)).body.feedback).toMatchObject({
      status: "confirmed",
      feedback_hash: made.feedback_hash,
      value: 87,
      transaction: { hash: transaction },
    });
  });

  test("once although ten requests race", async () => {
    const transaction = await give();
    const answers = await Promise.all(Array.from({ length: 10 }, () => on.submit(id, transaction)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  });

  test("and is refused before it was prepared", async () => {
    const other = await on.placeSettled();
    const refused = await on.submit(other.id, await give());
    expect([refused.status, refused.body.error.code]).toEqual([409, "invalid_state"]);
  });

  test("and is refused with a transaction that is not mined or has no feedback", async () => {
    await expectUnsubmitted(randomHash(), "unknown");
    const { account } = on.market.buyer;
    const plain = await on.chain.wallet(account).sendTransaction({ to: account.address, value: 1n });
    await on.chain.publicClient.waitForTransactionReceipt({ hash: plain });
    await expectUnsubmitted(plain, "event");
    expect((await on.submit(id, "0x12")).body.error.code).toBe("invalid_request");
  });

  test("and is refused with a transaction that reverted", async () => {
    const { account } = on.market.buyer;
    const data = encodeFunctionData({
      abi: reputationRegistryAbi,
      functionName: "revokeFeedback",
      args: [on.tokenId, 1_000_000n],
    });
    const to = registriesOf(on.chain).reputation_registry;
    const hash = await on.chain.wallet(account).sendTransaction({ to, data, gas: 200_000n });
    await on.chain.publicClient.waitForTransactionReceipt({ hash });
    await expectUnsubmitted(hash, "reverted");
  });

  test("and is refused with another wallet's feedback on the same file", async () => {
    const other = privateKeyToAccount(generatePrivateKey());
    await on.chain.fund(other);
    await expectUnsubmitted(await sendCall(on.chain, other, made.call), "client");
  });

  test("and is refused with the feedback of another order or another file", async () => {
    const other = await on.placeSettled();
    const theirs = await sendCall(on.chain, on.market.buyer.account, (await on.prepared(other.id)).call);
    await expectUnsubmitted(theirs, "file");
    expect((await on.submit(other.id, theirs)).status).toBe(202);
  });

  test("and is refused with feedback to another agent", async () => {
    const elsewhere = await registerIdentity(on.chain, on.market.provider.account);
    const { value, valueDecimals, tag1, tag2, feedbackURI } = made.call.args;
    const data = encodeFunctionData({
      abi: reputationRegistryAbi,
      functionName: "giveFeedback",
      args: [elsewhere, BigInt(value), valueDecimals, tag1, tag2, "", feedbackURI, made.feedback_hash],
    });
    await expectUnsubmitted(await give({ ...made.call, data }), "agent");
  });

  test("and is refused with the same event of another registry", async () => {
    const { account } = on.market.buyer;
    const { identity_registry } = registriesOf(on.chain);
    const data = encodeDeployData({
      abi: reputationRegistryAbi,
      bytecode: reputationRegistryBytecode,
      args: [identity_registry],
    });
    const deployed = await on.chain.wallet(account).sendTransaction({ data });
    const { contractAddress } = await on.chain.publicClient.waitForTransactionReceipt({ hash: deployed });
    await expectUnsubmitted(await give({ ...made.call, to: contractAddress }), "registry");
  });

  test("again after a reorganisation dropped it", async () => {
    const transaction = await give();
    expectStatus(202, await on.submit(id, transaction));
    const seen = await on.indexFeedback(transaction);
    await on.indexUpTo(seen.blockNumber);
    expect((await on.follow()).confirmed).toBe(1);

    await seen.remove();
    const progress = newFeedbackProgress();
    // The chain has the feedback and the index lacks it, so nothing changes.
    expect((await on.follow(progress)).reopened).toBe(0);
    await on.chain.node.request({ method: "anvil_reorg", params: [1, []] } as never);
    await on.chain.node.mine({ blocks: 1 });
    expect((await on.follow(progress)).reopened).toBe(1);
    expect((await on.get(id)).body.feedback).toMatchObject({
      status: "prepared",
      transaction: null,
      feedback_index: null,
      call: made.call,
    });
    const again = await give();
    expect(expectStatus(202, await on.submit(id, again)).feedback.status).toBe("submitted");
  });

  test("and is shown as revoked once its buyer revoked it", async () => {
    const transaction = await give();
    expectStatus(202, await on.submit(id, transaction));
    const seen = await on.indexFeedback(transaction);
    expect((await on.get(id)).body.feedback.revoked).toBe(false);
    await seen.revoke();
    expect((await on.get(id)).body.feedback.revoked).toBe(true);
  });
});
