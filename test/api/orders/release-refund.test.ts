import { eq } from "drizzle-orm";
import { decodeFunctionData, type Hex, type LocalAccount, sha256, stringToBytes, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import { escrow } from "../../../db/chain-index.ts";
import { order, relay } from "../../../db/schema.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { deployWallet } from "../../harness/contract-wallet.ts";
import {
  asIndexer,
  ask,
  createMarket,
  expectRefusal,
  indexer,
  type Market,
  place,
  placeFunded,
  randomHash,
  rowOf,
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

type Who = "buyer" | "provider";
type Act = "release" | "refund" | "dispute";
type Signed = { signature: Hex; deadline: string; reason?: string; reason_hash?: Hex };

/** Each act, with each party that may sign it. */
const cases: { act: Act; who: Who; type: string }[] = [
  { act: "release", who: "buyer", type: "Release" },
  { act: "refund", who: "provider", type: "Refund" },
  { act: "dispute", who: "buyer", type: "Dispute" },
  { act: "dispute", who: "provider", type: "Dispute" },
];

const read = (id: string, act: Act, who: Who, query = "") =>
  ask(market, market[who], "GET", `/orders/${id}/${act}${query}`);
const send = (id: string, act: Act, who: Who, body: Signed) =>
  ask(market, market[who], "POST", `/orders/${id}/${act}`, body);
const dataOf = async (id: string, act: Act, who: Who): Promise<Answer["body"]> =>
  expectStatus(200, await read(id, act, who)).typed_data;

async function sign(
  id: string,
  act: Act,
  who: Who,
  account: LocalAccount = market[who].account,
): Promise<Signed> {
  const typedData = await dataOf(id, act, who);
  return { signature: await account.signTypedData(typedData), deadline: typedData.message.deadline };
}

const relaysOf = (orderId: string) => market.api.db.select().from(relay).where(eq(relay.orderId, orderId));

describe.each(cases)("$act, signed by the $who", ({ act, who, type }) => {
  test("is 200 with typed data that is valid for a day", async () => {
    const { id, row } = await placeFunded(market);
    expect(expectStatus(200, await read(id, act, who)).relay).toBeNull();
    const data = await dataOf(id, act, who);
    expect(data).toMatchObject({ primaryType: type, message: { escrowId: row.escrowId } });
    const left = Number(data.message.deadline) - Date.now() / 1000;
    expect(left).toBeGreaterThan(86_000);
    expect(left).toBeLessThan(87_000);
  });

  test("is 202 with one relay of exactly the signed call, however often it is requested", async () => {
    const { id, row } = await placeFunded(market);
    const signed = await sign(id, act, who);
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(id, act, who, signed)));
    const ids = answers.map((answer) => expectStatus(202, answer).relay.id);
    expect(new Set(ids).size).toBe(1);
    const [queued, ...more] = await relaysOf(id);
    expect(more).toEqual([]);
    expect(queued).toMatchObject({ to: row.escrowContract, accountId: market[who].accountId });
    const { functionName, args } = decodeFunctionData({ abi: escrowAbi, data: queued?.data ?? "0x" });
    expect(functionName).toBe(`${act}WithSignature`);
    const signatureArguments = [BigInt(signed.deadline), signed.signature];
    expect(args?.slice(1)).toEqual(
      act === "dispute" ? [market[who].account.address, zeroHash, ...signatureArguments] : signatureArguments,
    );
    await market.api.db.update(relay).set({ status: "mined" }).where(eq(relay.orderId, id));
    await indexer(market, row).ended("Released");
    await settleNow(market);
    expect(expectStatus(202, await send(id, act, who, signed)).relay).toMatchObject({
      id: queued?.id,
      status: "mined",
    });
  });

  test("starts a failed relay again with the new signature", async () => {
    const { id } = await placeFunded(market);
    const { relay: first } = expectStatus(202, await send(id, act, who, await sign(id, act, who)));
    const columns = { status: "failed" as const, error: "TooLate()" };
    await market.api.db.update(relay).set(columns).where(eq(relay.id, first.id));
    expect(expectStatus(200, await read(id, act, who)).relay).toMatchObject(columns);
    const again = expectStatus(202, await send(id, act, who, await sign(id, act, who)));
    expect(again.relay).toMatchObject({ id: first.id, status: "queued" });
  });

  test("is 202 for a contract wallet's signature, which its contract checks", async () => {
    const { id } = await placeFunded(market);
    const wallet = await deployWallet(chain, market[who].account.address);
    const column = who === "buyer" ? { buyerAddress: wallet } : { providerAddress: wallet };
    await market.api.db.update(order).set(column).where(eq(order.id, id));
    const owners = await sign(id, act, who);
    expectStatus(202, await send(id, act, who, owners));
  });

  test("is 400 for another signer, deadline or order, and for an expired signature", async () => {
    const { id } = await placeFunded(market);
    const elsewhere = await placeFunded(market);
    const good = await sign(id, act, who);
    const over = String(Math.floor(Date.now() / 1000) - 60);
    const outsider = market.outsider.account;
    const bad: Signed[] = [
      await sign(id, act, who, outsider),
      await sign(elsewhere.id, act, who),
      { ...good, deadline: String(BigInt(good.deadline) + 1n) },
      { ...good, deadline: over },
      { ...good, deadline: "-1" },
      { ...good, deadline: String(2n ** 256n) },
      { ...good, signature: "0x12" },
    ];
    for (const signed of bad) {
      await expectRefusal(market, () => send(id, act, who, signed), 400, "invalid_request");
    }
  });

  test("is 400 for a signature that is valid for more than two days", async () => {
    const { id } = await placeFunded(market);
    const data = await dataOf(id, act, who);
    const signFor = async (seconds: number): Promise<Signed> => {
      const deadline = String(Math.floor(Date.now() / 1000) + seconds);
      const message = { ...data.message, deadline };
      return { signature: await market[who].account.signTypedData({ ...data, message }), deadline };
    };
    const far = await signFor(180_000);
    const refused = () => send(id, act, who, far);
    await expectRefusal(market, refused, 400, "invalid_request", "more than two days away");
    expectStatus(202, await send(id, act, who, await signFor(160_000)));
  });

  test("is 409 before funding, after the end, and while disputed", async () => {
    const placed = await place(market);
    const any: Signed = { signature: `0x${"11".repeat(65)}`, deadline: "9999999999" };
    const refused = async (id: string, message: string) => {
      if (act === "dispute") expect(await dataOf(id, act, who)).toBeNull();
      else await expectRefusal(market, () => read(id, act, who), 409, "invalid_state", message);
      await expectRefusal(market, () => send(id, act, who, any), 409, "invalid_state", message);
    };
    await refused(placed.id, "not funded");
    const disputed = await placeFunded(market);
    await asIndexer(market, (tx) =>
      tx.update(escrow).set({ status: "disputed" }).where(eq(escrow.escrowId, disputed.row.escrowId)),
    );
    await refused(disputed.id, "dispute is open");
    const ended = await placeFunded(market);
    await indexer(market, ended.row).ended("Refunded");
    await refused(ended.id, "has ended");
  });
});

describe.each([
  { act: "release", who: "buyer", other: "provider" },
  { act: "refund", who: "provider", other: "buyer" },
] as const)("$act", ({ act, who, other }) => {
  test("is 409 for the other party, whose signature the contract would refuse", async () => {
    const { id } = await placeFunded(market);
    const signed = await sign(id, act, who);
    await expectRefusal(market, () => read(id, act, other), 409, "invalid_state", "Only the");
    await expectRefusal(market, () => send(id, act, other, signed), 409, "invalid_state", "Only the");
  });
});

describe("a dispute's reason", () => {
  test("is signed and sent as its hash, and another one later is 409", async () => {
    const { id } = await placeFunded(market);
    const reason = randomHash();
    const { typed_data } = expectStatus(200, await read(id, "dispute", "buyer", `?reason_hash=${reason}`));
    expect(typed_data.message.reasonHash).toBe(reason);
    const signature = await market.buyer.account.signTypedData(typed_data);
    const signed = { signature, deadline: typed_data.message.deadline };
    await expectRefusal(market, () => send(id, "dispute", "buyer", signed), 400, "invalid_request");
    expectStatus(202, await send(id, "dispute", "buyer", { ...signed, reason_hash: reason }));
    await expectRefusal(
      market,
      () => send(id, "dispute", "buyer", signed),
      409,
      "conflict",
      "another reason",
    );
    const [queued] = await relaysOf(id);
    expect(decodeFunctionData({ abi: escrowAbi, data: queued?.data ?? "0x" }).args?.[2]).toBe(reason);
  });

  test("may be sent as text: its hash is signed, and both parties read it as a statement", async () => {
    const { id } = await placeFunded(market);
    const reason = " Half of it is missing. ";
    const hash = sha256(stringToBytes(reason));
    const { typed_data } = expectStatus(200, await read(id, "dispute", "buyer", `?reason_hash=${hash}`));
    const signature = await market.buyer.account.signTypedData(typed_data);
    const signed = { signature, deadline: typed_data.message.deadline, reason };
    for (const wrong of [
      { ...signed, reason_hash: randomHash() },
      { ...signed, reason_hash: zeroHash },
    ]) {
      const why = "use the SHA-256 of the reason";
      await expectRefusal(market, () => send(id, "dispute", "buyer", wrong), 400, "invalid_request", why);
    }
    for (const wrong of ["", "x".repeat(4001), reason.trim()]) {
      const body = { ...signed, reason: wrong };
      await expectRefusal(market, () => send(id, "dispute", "buyer", body), 400, "invalid_request");
    }
    const { relay: first } = expectStatus(202, await send(id, "dispute", "buyer", signed));
    const again = { ...signed, reason_hash: hash };
    expect(expectStatus(202, await send(id, "dispute", "buyer", again)).relay.id).toBe(first.id);
    const { statements } = expectStatus(200, await read(id, "dispute", "provider"));
    expect(statements).toMatchObject([{ by: "buyer", text: reason, text_hash: hash }]);
  });

  test("is 400 for a malformed hash", async () => {
    const { id } = await placeFunded(market);
    await expectRefusal(
      market,
      () => read(id, "dispute", "buyer", "?reason_hash=0x12"),
      400,
      "invalid_request",
    );
  });
});

test("concurrent acts of a party on one order are all 202, whatever they lock", async () => {
  for (let turn = 0; turn < 10; turn += 1) {
    const { id } = await placeFunded(market);
    const refund = await sign(id, "refund", "provider");
    const dispute = await sign(id, "dispute", "provider");
    const answers = await Promise.all([
      send(id, "refund", "provider", refund),
      send(id, "dispute", "provider", dispute),
    ]);
    for (const answer of answers) expectStatus(202, answer);
  }
});

test("an act is 503 while the index has no escrow", async () => {
  const { id, row } = await placeFunded(market);
  const signed = await sign(id, "release", "buyer");
  await asIndexer(market, (tx) => tx.delete(escrow).where(eq(escrow.escrowId, row.escrowId)));
  await expectRefusal(market, () => read(id, "release", "buyer"), 503, "dependency_unavailable");
  await expectRefusal(market, () => send(id, "release", "buyer", signed), 503, "dependency_unavailable");
  expect((await rowOf(market, id)).status).toBe("funded");
});
