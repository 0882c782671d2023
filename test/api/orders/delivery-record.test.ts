import { eq } from "drizzle-orm";
import { decodeFunctionData, getAddress, type Hex, type LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import { escrow } from "../../../db/chain-index.ts";
import { relay } from "../../../db/schema.ts";
import { recordSignedDeliveryCall } from "../../../protocol/settlement/calls.ts";
import { digestOf, termsOf } from "../../../protocol/settlement/terms.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import {
  asIndexer,
  ask,
  createMarket,
  expectRefusal,
  indexer,
  type Market,
  placeDelivered,
  placeStarted,
  randomHash,
  settleNow,
} from "../../harness/market/market.ts";

let chain: TestChain;
let market: Market;

beforeAll(async () => {
  chain = await forkChain();
  market = await createMarket({ chain });
});
afterAll(async () => {
  await market.api.close();
  await chain.close();
});

const outputHash = digestOf({ translation: "Good day" });
const read = (id: string, who = market.provider) => ask(market, who, "GET", `/orders/${id}/delivery-record`);
const send = (id: string, signature: Hex, who = market.provider) =>
  ask(market, who, "POST", `/orders/${id}/delivery-record`, { signature });

async function typedDataOf(id: string): Promise<Answer["body"]> {
  return expectStatus(200, await read(id)).typed_data;
}

/** Signs typed data from the HTTP answer, as a wallet does. */
async function sign(id: string, account: LocalAccount = market.provider.account): Promise<Hex> {
  return account.signTypedData(await typedDataOf(id));
}

const relaysOf = (orderId: string) => market.api.db.select().from(relay).where(eq(relay.orderId, orderId));

describe("GET /orders/{id}/delivery-record", () => {
  test("is typed data of the latest delivery, valid until the escrow's own deadline", async () => {
    const { id, row } = await placeDelivered(market);
    const { delivery_deadline } = expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${id}`));
    expect(await typedDataOf(id)).toEqual({
      domain: {
        name: "Earnest Escrow",
        version: "1",
        chainId: 31_337,
        verifyingContract: market.chain.escrow_contract,
      },
      types: {
        EIP712Domain: [
          { name: "name", type: "string" },
          { name: "version", type: "string" },
          { name: "chainId", type: "uint256" },
          { name: "verifyingContract", type: "address" },
        ],
        RecordDelivery: [
          { name: "escrowId", type: "bytes32" },
          { name: "outputHash", type: "bytes32" },
          { name: "number", type: "uint32" },
          { name: "deadline", type: "uint256" },
        ],
      },
      primaryType: "RecordDelivery",
      message: {
        escrowId: row.escrowId,
        outputHash,
        number: 1,
        deadline: String(Date.parse(delivery_deadline) / 1000),
      },
    });
  });

  test("is 409 before a delivery, once it is recorded, and for the buyer", async () => {
    const started = await placeStarted(market);
    await expectRefusal(market, () => read(started.id), 409, "invalid_state", "There is no delivery");
    const { id, row } = await placeDelivered(market);
    await expectRefusal(market, () => read(id, market.buyer), 409, "invalid_state", "Only the provider");
    await indexer(market, row).delivered(outputHash);
    await expectRefusal(market, () => read(id), 409, "invalid_state", "recorded already");
  });
});

describe("POST /orders/{id}/delivery-record", () => {
  test("is 202 with the relay of exactly the signed call", async () => {
    const { id, row } = await placeDelivered(market);
    const signature = await sign(id);
    const answer = await send(id, signature);
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      relay: { id: expect.stringMatching(/^rly_/), status: "queued", transaction_hash: null, error: null },
    });
    const [queued, ...more] = await relaysOf(id);
    expect(more).toEqual([]);
    expect(queued).toMatchObject({
      id: answer.body.relay.id,
      key: `${row.escrowId}:recordDelivery:1`,
      chainId: 31_337,
      to: row.escrowContract,
    });
    const { functionName, args } = decodeFunctionData({ abi: escrowAbi, data: queued?.data ?? "0x" });
    expect([functionName, args?.[1], args?.[3]]).toEqual([
      "recordDeliveryWithSignature",
      outputHash,
      signature,
    ]);
  });

  test("is idempotent: the same request, at once or later, gives the same relay", async () => {
    const { id } = await placeDelivered(market);
    const signature = await sign(id);
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(id, signature)));
    expect(new Set(answers.map(({ body }) => body.relay.id)).size).toBe(1);
    expect(await relaysOf(id)).toHaveLength(1);
  });

  test("gives the same relay for the same request after it was recorded", async () => {
    const { id, row } = await placeDelivered(market);
    const signature = await sign(id);
    const first = expectStatus(202, await send(id, signature));
    const transactionHash = randomHash();
    await market.api.db
      .update(relay)
      .set({ status: "mined", transactionHash })
      .where(eq(relay.id, first.relay.id));
    await indexer(market, row).delivered(outputHash);
    await settleNow(market);
    const again = expectStatus(202, await send(id, signature));
    expect(again.relay).toEqual({
      id: first.relay.id,
      status: "mined",
      transaction_hash: transactionHash,
      error: null,
    });
  });

  test("is 409 when the provider recorded it on the chain", async () => {
    const { id, row } = await placeDelivered(market);
    const signature = await sign(id);
    await indexer(market, row).delivered(outputHash);
    await expectRefusal(market, () => send(id, signature), 409, "invalid_state", "recorded already");
  });

  test("starts a failed relay again", async () => {
    const { id } = await placeDelivered(market);
    const signature = await sign(id);
    const { relay: first } = expectStatus(202, await send(id, signature));
    const columns = { status: "failed" as const, error: "TooLate()" };
    await market.api.db.update(relay).set(columns).where(eq(relay.id, first.id));
    expect(expectStatus(200, await read(id)).relay).toMatchObject({ id: first.id, ...columns });
    const again = expectStatus(202, await send(id, signature));
    expect(again.relay).toMatchObject({ id: first.id, status: "queued", error: null });
  });

  test("is 409 while the record of another output is in flight under the same number", async () => {
    const { id, row } = await placeDelivered(market);
    const { relay: first } = expectStatus(202, await send(id, await sign(id)));
    const escrowContract = getAddress(row.escrowContract);
    const { data } = recordSignedDeliveryCall(
      { escrowContract, terms: termsOf(row) },
      { outputHash: randomHash(), deadline: 1n, signature: "0x12" },
    );
    await market.api.db.update(relay).set({ data }).where(eq(relay.id, first.id));
    const mine = await sign(id);
    await expectRefusal(market, () => send(id, mine), 409, "conflict", "as number 1");
    expect((await relaysOf(id))[0]).toMatchObject({ data, key: `${row.escrowId}:recordDelivery:1` });
  });

  test("is 409 when the provider recorded it on the chain and another output's record had its number", async () => {
    const { id, row } = await placeDelivered(market);
    const signature = await sign(id);
    const { relay: first } = expectStatus(202, await send(id, signature));
    const { data } = recordSignedDeliveryCall(
      { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) },
      { outputHash: randomHash(), deadline: 1n, signature: "0x12" },
    );
    await market.api.db.update(relay).set({ data }).where(eq(relay.id, first.id));
    await indexer(market, row).delivered(outputHash);
    await expectRefusal(market, () => send(id, signature), 409, "invalid_state", "recorded already");
  });

  test("is 400 for another signer, another message and no signature", async () => {
    const { id } = await placeDelivered(market);
    const other = await placeDelivered(market);
    const bad: Hex[] = [
      await sign(id, market.buyer.account),
      await sign(id, privateKeyToAccount(generatePrivateKey())),
      await sign(other.id),
      `0x${"00".repeat(65)}`,
      `0x${"ff".repeat(65)}`,
      "0x12",
    ];
    for (const signature of bad) {
      const error = await expectRefusal(
        market,
        () => send(id, signature),
        400,
        "invalid_request",
        "This is not",
      );
      expect(error.details[0].path).toBe("/signature");
    }
  });

  test("is 400 for a signature whose form the contract would refuse", async () => {
    const { id } = await placeDelivered(market);
    const good = await sign(id);
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const s = BigInt(`0x${good.slice(66, 130)}`);
    const flipped = good.endsWith("1b") ? "1c" : "1b";
    const highS: Hex = `${good.slice(0, 66) as Hex}${(order - s).toString(16).padStart(64, "0")}${flipped}`;
    await expectRefusal(market, () => send(id, highS), 400, "invalid_request");
    const compact = good.slice(0, 130) as Hex;
    await expectRefusal(market, () => send(id, compact), 400, "invalid_request");
  });

  test("sends a bare parity, as some wallets give, in the contract's form", async () => {
    const { id } = await placeDelivered(market);
    const good = await sign(id);
    const bare = (good.slice(0, 130) + (good.endsWith("1b") ? "00" : "01")) as Hex;
    expectStatus(202, await send(id, bare));
    const [queued] = await relaysOf(id);
    expect(queued?.data).toContain(good.slice(2));
  });

  test("is 409 before a delivery and after the delivery deadline", async () => {
    const started = await placeStarted(market);
    const any: Hex = `0x${"11".repeat(65)}`;
    await expectRefusal(market, () => send(started.id, any), 409, "invalid_state", "There is no delivery");
    const { id, row } = await placeDelivered(market);
    const signature = await sign(id);
    const deliveryDeadline = BigInt(Math.floor(Date.now() / 1000) - 1);
    await asIndexer(market, (tx) =>
      tx.update(escrow).set({ deliveryDeadline }).where(eq(escrow.escrowId, row.escrowId)),
    );
    await expectRefusal(market, () => send(id, signature), 409, "invalid_state", "delivery deadline was");
  });

  test("is 409 for the buyer", async () => {
    const { id } = await placeDelivered(market);
    const signature = await sign(id);
    await expectRefusal(
      market,
      () => send(id, signature, market.buyer),
      409,
      "invalid_state",
      "Only the provider",
    );
  });

  test("is 503 while the index has no escrow", async () => {
    const { id, row } = await placeDelivered(market);
    const signature = await sign(id);
    await asIndexer(market, (tx) => tx.delete(escrow).where(eq(escrow.escrowId, row.escrowId)));
    await expectRefusal(market, () => send(id, signature), 503, "dependency_unavailable", "catching up");
  });
});
