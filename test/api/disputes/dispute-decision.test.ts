import { eq } from "drizzle-orm";
import { decodeFunctionData, type Hex, type LocalAccount, sha256, stringToBytes, zeroHash } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import { escrow, escrowEvent } from "../../../db/chain-index.ts";
import { order, relay, wallet } from "../../../db/schema.ts";
import { type Answer, expectStatus, type Session } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { deployWallet } from "../../harness/contract-wallet.ts";
import { type Court, createCourt, placeDisputed, readDispute } from "../../harness/market/court.ts";
import {
  asIndexer,
  ask,
  expectRefusal,
  placeFunded,
  randomHash,
  settleNow,
} from "../../harness/market/market.ts";

let chain: TestChain;
let court: Court;
beforeAll(async () => {
  chain = await forkChain();
  court = await createCourt({ chain });
});
afterAll(async () => {
  await court?.api.close();
  await chain?.close();
});

type Decision = {
  provider_amount: string;
  signature: Hex;
  deadline: string;
  ruling?: string;
  ruling_hash?: Hex;
};

const ruling = "Half of the work, half of the money.";
const hashOf = (text: string) => sha256(stringToBytes(text));
const read = (id: string, query: string, who: Session = court.arbiter) =>
  ask(court, who, "GET", `/orders/${id}/dispute/decision?${query}`);
const decide = (id: string, body: unknown, who: Session = court.arbiter) =>
  ask(court, who, "POST", `/orders/${id}/dispute/decision`, body);
const relaysOf = (orderId: string) => court.api.db.select().from(relay).where(eq(relay.orderId, orderId));

async function sign(
  id: string,
  provider_amount: string,
  rulingHash: Hex = zeroHash,
  account: LocalAccount = court.arbiter.account,
): Promise<Decision> {
  const query = `provider_amount=${provider_amount}&ruling_hash=${rulingHash}`;
  const { typed_data } = expectStatus(200, await read(id, query));
  const signature = await account.signTypedData(typed_data);
  return { provider_amount, signature, deadline: typed_data.message.deadline };
}

test("is 200 with what the arbiter signs or sends for this amount and ruling", async () => {
  const { id, row } = await placeDisputed(court);
  const rulingHash = randomHash();
  const { typed_data, call } = expectStatus(
    200,
    await read(id, `provider_amount=1.25&ruling_hash=${rulingHash}`),
  );
  expect(typed_data).toMatchObject({
    primaryType: "DecideDispute",
    message: { escrowId: row.escrowId, providerAmount: "1250000", rulingHash },
  });
  expect(Number(typed_data.message.deadline) - Date.now() / 1000).toBeGreaterThan(86_000);
  expect(call).toMatchObject({ function: "decideDispute", to: chain.chain.escrow_contract });
  expect(call.args).toMatchObject({ providerAmount: "1250000", rulingHash });
});

test("is 202 with one relay of the signed call, however many requests race, and stores the ruling", async () => {
  const { id } = await placeDisputed(court);
  const signed = { ...(await sign(id, "1.25", hashOf(ruling))), ruling };
  const answers = await Promise.all(Array.from({ length: 4 }, () => decide(id, signed)));
  expect(new Set(answers.map((answer) => expectStatus(202, answer).relay.id)).size).toBe(1);
  const [queued, ...more] = await relaysOf(id);
  expect(more).toEqual([]);
  expect(queued).toMatchObject({ accountId: court.arbiter.accountId });
  const { functionName, args } = decodeFunctionData({ abi: escrowAbi, data: queued?.data ?? "0x" });
  expect(functionName).toBe("decideDisputeWithSignature");
  expect(args?.slice(1)).toEqual([1_250_000n, hashOf(ruling), BigInt(signed.deadline), signed.signature]);
  const { statements } = await readDispute(court, court.buyer, id);
  expect(statements).toMatchObject([{ by: "arbiter", text: ruling, text_hash: hashOf(ruling) }]);
});

test("repeats its answer after the decision, and another decision is 409", async () => {
  const { id, chain: indexed } = await placeDisputed(court);
  const [signed, other] = [await sign(id, "2.5"), await sign(id, "0")];
  const { relay: first } = expectStatus(202, await decide(id, signed));
  await expectRefusal(court, () => decide(id, other), 409, "conflict", "another amount");
  const withRuling = { ...signed, ruling };
  await expectRefusal(court, () => decide(id, withRuling), 409, "conflict", "another amount or ruling");
  await indexed.decided(2_500_000n);
  await settleNow(court);
  expect(expectStatus(202, await decide(id, signed)).relay.id).toBe(first.id);
  await expectRefusal(court, () => decide(id, other), 409, "conflict");
  await expectRefusal(court, () => read(id, "provider_amount=1"), 409, "invalid_state", "decided already");
});

test("starts a failed relay again with the new decision", async () => {
  const { id } = await placeDisputed(court);
  const { relay: first } = expectStatus(202, await decide(id, await sign(id, "1")));
  await court.api.db.update(relay).set({ status: "failed" }).where(eq(relay.id, first.id));
  const again = expectStatus(202, await decide(id, await sign(id, "2")));
  expect(again.relay).toMatchObject({ id: first.id, status: "queued" });
});

test("is 409 where the arbiter's own transaction decided", async () => {
  const { id, chain: indexed } = await placeDisputed(court);
  const signed = await sign(id, "1");
  await indexed.decided(0n);
  await expectRefusal(court, () => decide(id, signed), 409, "invalid_state", "decided already");
});

test("is 202 for a contract wallet that arbitrates, whose contract checks the signature", async () => {
  const { id } = await placeDisputed(court);
  const address = await deployWallet(chain, court.arbiter.account.address);
  await court.api.db.update(order).set({ arbiter: address }).where(eq(order.id, id));
  await court.api.db
    .insert(wallet)
    .values({ id: "wal_contract", accountId: court.arbiter.accountId, address, provedBy: "key" });
  const outsiders = await sign(id, "1", zeroHash, court.outsider.account);
  await expectRefusal(court, () => decide(id, outsiders), 400, "invalid_request", "signature");
  expectStatus(202, await decide(id, await sign(id, "1")));
});

test("is 409 for a party, and 404 for other accounts and for the arbiter before the dispute", async () => {
  const { id } = await placeDisputed(court);
  const signed = await sign(id, "1");
  for (const who of [court.buyer, court.provider]) {
    await expectRefusal(
      court,
      () => read(id, "provider_amount=1", who),
      409,
      "invalid_state",
      "Only the arbiter",
    );
    await expectRefusal(court, () => decide(id, signed, who), 409, "invalid_state", "Only the arbiter");
  }
  await expectRefusal(court, () => decide(id, signed, court.outsider), 404, "not_found");
  const funded = await placeFunded(court);
  await expectRefusal(court, () => read(funded.id, "provider_amount=1"), 404, "not_found");
  await expectRefusal(court, () => decide(funded.id, signed), 404, "not_found");
});

test("is 409 after the arbiter's deadline and after the end", async () => {
  const late = await placeDisputed(court, { decideBy: Math.floor(Date.now() / 1000) - 10 });
  const any = { provider_amount: "1", signature: `0x${"11".repeat(65)}`, deadline: "9999999999" };
  await expectRefusal(court, () => read(late.id, "provider_amount=1"), 409, "invalid_state", "had until");
  await expectRefusal(court, () => decide(late.id, any), 409, "invalid_state", "had until");
  const ended = await placeDisputed(court);
  await ended.chain.ended("Refunded");
  await settleNow(court);
  await expectRefusal(court, () => decide(ended.id, any), 409, "invalid_state", "No dispute is open");
});

test("is 409 where a reorganisation removed the dispute and the ledger still has it", async () => {
  const { id, row } = await placeDisputed(court);
  const signed = await sign(id, "1");
  await asIndexer(court, async (tx) => {
    await tx.delete(escrowEvent).where(eq(escrowEvent.escrowId, row.escrowId));
    await tx
      .update(escrow)
      .set({ status: "funded", disputedAt: null, decideBy: null })
      .where(eq(escrow.escrowId, row.escrowId));
  });
  await expectRefusal(court, () => decide(id, signed), 409, "invalid_state", "No dispute is open");
});

test("is 400 for an amount that is malformed, too fine for the token or above the escrow's", async () => {
  const { id } = await placeDisputed(court);
  const good = await sign(id, "1");
  const wrong = ["2.500001", "1.0000001", "-1", "1e3", "0x10", "", " 1", "1,5", "9".repeat(99)];
  for (const provider_amount of wrong) {
    const query = `provider_amount=${encodeURIComponent(provider_amount)}`;
    const refused: Answer["body"] = await expectRefusal(court, () => read(id, query), 400, "invalid_request");
    expect(refused.details).toMatchObject([{ path: "/provider_amount" }]);
    await expectRefusal(court, () => decide(id, { ...good, provider_amount }), 400, "invalid_request");
  }
  await expectRefusal(court, () => read(id, ""), 400, "invalid_request");
  await expectRefusal(court, () => decide(id, { ...good, provider_amount: 1 }), 400, "invalid_request");
});

test("is 400 for a signature of another signer, amount, ruling, order or deadline, and for one that expired", async () => {
  const { id } = await placeDisputed(court);
  const elsewhere = await placeDisputed(court);
  const good = await sign(id, "1");
  const over = String(Math.floor(Date.now() / 1000) - 60);
  const bad: Decision[] = [
    await sign(id, "1", zeroHash, court.buyer.account),
    await sign(elsewhere.id, "1"),
    { ...good, provider_amount: "1.1" },
    { ...good, ruling },
    { ...good, ruling_hash: randomHash() },
    { ...good, ruling, ruling_hash: randomHash() },
    { ...good, deadline: String(BigInt(good.deadline) + 1n) },
    { ...good, deadline: over },
    { ...good, deadline: "-1" },
    { ...good, signature: "0x12" },
  ];
  for (const body of bad) await expectRefusal(court, () => decide(id, body), 400, "invalid_request");
  const mismatch = { ...good, ruling, ruling_hash: zeroHash };
  await expectRefusal(court, () => decide(id, mismatch), 400, "invalid_request", "SHA-256 of the ruling");
  expect((await readDispute(court, court.arbiter, id)).statements).toEqual([]);
});

test("is 503 while the index has no escrow", async () => {
  const { id, row } = await placeDisputed(court);
  const signed = await sign(id, "1");
  await asIndexer(court, (tx) => tx.delete(escrow).where(eq(escrow.escrowId, row.escrowId)));
  await expectRefusal(court, () => decide(id, signed), 503, "dependency_unavailable");
  await expectRefusal(
    court,
    () => ask(court, court.buyer, "GET", `/orders/${id}/dispute`),
    503,
    "dependency_unavailable",
  );
});
