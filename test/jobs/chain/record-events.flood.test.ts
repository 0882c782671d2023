import { and, eq } from "drizzle-orm";
import { type Address, encodeFunctionData, getAddress, type Hex, maxUint256, zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import { escrowEvent, escrowTally, readIndexedBlocks } from "../../../db/chain-index.ts";
import { event, fact, receipt } from "../../../db/schema.ts";
import { termsOf } from "../../../protocol/settlement/terms.ts";
import type { Answer } from "../../harness/api.ts";
import { placeOrder } from "../../harness/flows/x402-order.ts";
import { randomHash, until } from "../../harness/jobs/ledger.ts";
import { type PaymentBench, startPaymentBench } from "../../harness/jobs/payments.ts";
import { compile } from "../../harness/solidity.ts";

const abi = [
  {
    type: "function",
    name: "run",
    stateMutability: "payable",
    inputs: [
      { name: "escrow", type: "address" },
      { name: "call", type: "bytes" },
      { name: "token", type: "address" },
      { name: "deposit", type: "address" },
      { name: "value", type: "uint256" },
      { name: "times", type: "uint256" },
    ],
    outputs: [],
  },
] as const;

let bench: PaymentBench;
let outsider: Awaited<ReturnType<PaymentBench["newPatron"]>>;
let flood: Address;
let worthless: Address;

beforeAll(async () => {
  bench = await startPaymentBench();
  outsider = await bench.newPatron();
  const { Flood, Worthless } = await compile(new URL("./flood.sol", import.meta.url));
  [flood, worthless] = [await deploy(Flood), await deploy(Worthless)];
  await bench.transfer(outsider, flood, 1_000_000n);
});
afterAll(() => bench?.close());

async function deploy(code: Hex | undefined): Promise<Address> {
  const hash = await bench.testChain.wallet(outsider).deployContract({ abi: [], bytecode: code as Hex });
  const { contractAddress } = await bench.reader.waitForTransactionReceipt({ hash });
  return contractAddress as Address;
}

/** Another account returns a deposit repeatedly in one transaction; then the index has the events. */
async function returnOften(order: Answer["body"], token: Address, value: bigint, times: number) {
  const [terms, { chain, reader }] = [termsOf(await bench.rowOf(order)), bench];
  const call = encodeFunctionData({ abi: escrowAbi, functionName: "returnDeposit", args: [terms, token] });
  const hash = await bench.testChain.wallet(outsider).writeContract({
    abi,
    address: flood,
    functionName: "run",
    gas: 29_000_000n,
    args: [chain.escrow_contract, call, token, order.escrow.deposit_address, value, BigInt(times)],
    value: token === zeroAddress ? value * BigInt(times) : 0n,
  });
  const { status } = await reader.waitForTransactionReceipt({ hash });
  expect(status).toBe("success");
  await indexed();
}

async function indexed() {
  const head = await bench.reader.getBlockNumber();
  await until(async () => {
    const position = (await readIndexedBlocks(bench.db)).get(bench.chain.chain_id);
    return position && position.block >= head;
  }, "the index has the chain's head");
}

async function fund(order: Answer["body"]) {
  await bench.fundDirectly(order, outsider);
  await bench.reach(order, "funded");
}

const factsOf = async (order: Answer["body"]) =>
  (await bench.db.select().from(fact).where(eq(fact.orderId, order.id)).orderBy(fact.seq)).map(
    ({ type }) => type,
  );
const talliesOf = (order: Answer["body"]) =>
  bench.db.select().from(escrowTally).where(eq(escrowTally.escrowId, order.escrow.escrow_id));
const eventsOf = (order: Answer["body"]) =>
  bench.db.select().from(escrowEvent).where(eq(escrowEvent.escrowId, order.escrow.escrow_id));

test("endless returns by another account are one row, no fact, and a count in the trail", async () => {
  const order = await placeOrder(bench.market);
  // Only the order knows its token yet; two such amounts are more than any column holds.
  await returnOften(order, zeroAddress, 1n, 1);
  await returnOften(order, worthless, 0n, 40);
  await fund(order);
  await returnOften(order, worthless, 0n, 200);
  await returnOften(order, bench.chain.token.address, 3n, 40);
  await bench.workUntil(
    async () => (await bench.trail(order)).every(({ confirmed }) => confirmed),
    "confirmed",
  );

  expect(await factsOf(order)).toEqual(["order.created", "order.funded"]);
  expect((await eventsOf(order)).map(({ name }) => name)).toEqual(["EscrowCreated"]);
  expect(await bench.db.$count(event, eq(event.orderId, order.id))).toBe(4);
  const tallies = await talliesOf(order);
  expect(tallies.map(({ token, times, amount, first }) => [token, times, amount, first.length])).toEqual(
    expect.arrayContaining([
      [zeroAddress, 1, 1n, 1],
      [worthless.toLowerCase(), 40, maxUint256, 16],
      [bench.chain.token.address.toLowerCase(), 40, 120n, 16],
    ]),
  );
  expect(tallies).toHaveLength(3);

  const trail = await bench.trail(order);
  expect(trail).toHaveLength(2 + 16 + 1);
  const returned = trail.filter(({ type }) => type === "deposit.returned");
  expect(new Set(returned.map(({ data }) => data.token))).toEqual(new Set([bench.chain.token.address]));
  expect(
    returned.slice(0, 16).every(({ data }) => data.amount_base_units === "3" && !("times" in data)),
  ).toBe(true);
  expect(returned.at(-1)?.data).toEqual({
    amount: "0.000072",
    amount_base_units: "72",
    token: bench.chain.token.address,
    recipient: getAddress(order.buyer_address),
    times: 24,
  });

  // The pages together are the same.
  const paged: unknown[] = [];
  for (let cursor = ""; ; ) {
    const page = await bench.read(order, `events?limit=5${cursor && `&cursor=${cursor}`}`);
    expect(page.items.length).toBeLessThanOrEqual(5);
    paged.push(...page.items);
    if (!page.next_cursor) break;
    cursor = page.next_cursor;
  }
  expect(paged).toEqual(trail);
  expect(await bench.read(order, "reconcile")).toMatchObject({ consistent: true, differences: [] });
});

test("returns whose block leaves the chain are not counted", async () => {
  const order = await placeOrder(bench.market);
  await fund(order);
  const token = bench.chain.token.address;
  await returnOften(order, token, 1n, 20);
  const id = await bench.testChain.node.snapshot();
  await returnOften(order, token, 1n, 20);
  expect((await talliesOf(order)).map(({ times }) => times)).toEqual([40]);
  const head = await bench.reader.getBlockNumber();
  await bench.testChain.node.revert({ id });
  await bench.testChain.node.mine({ blocks: Number(head - (await bench.reader.getBlockNumber())) + 2 });
  await until(async () => (await talliesOf(order))[0]?.times === 20, "the index has gone back");
  const last = (await bench.trail(order)).at(-1);
  expect(last).toMatchObject({ type: "deposit.returned", data: { times: 4, amount_base_units: "4" } });
});

test("a provider that records deliveries without end makes 16 facts; the newest is in the trail and in the receipt", async () => {
  const order = await placeOrder(bench.market);
  await fund(order);
  const terms = termsOf(await bench.rowOf(order));
  const { provider, buyer } = bench.market;
  await bench.testChain.fund(provider.account);
  let newest = randomHash();
  for (let number = 1; number <= 20; number += 1) {
    newest = randomHash();
    const args = [terms, newest] as const;
    const data = encodeFunctionData({ abi: escrowAbi, functionName: "recordDelivery", args });
    await bench.call(provider.account, bench.chain.escrow_contract, { data });
  }
  await indexed();
  await bench.workUntil(
    async () => (await bench.trail(order)).every(({ confirmed }) => confirmed),
    "confirmed",
  );
  expect((await factsOf(order)).filter((type) => type === "delivery.recorded")).toHaveLength(16);
  const trail = await bench.trail(order);
  expect(trail).toHaveLength(2 + 16 + 1);
  expect(trail.at(-1)).toMatchObject({
    type: "delivery.recorded",
    data: { number: 20, output_hash: newest, times: 4 },
  });
  expect(await bench.read(order, "reconcile")).toMatchObject({
    consistent: true,
    contract: { delivery_count: 20 },
  });
  const bundle = (await bench.read(order, "dispute")).evidence.bundle;
  expect(bundle.trail).toEqual(trail);

  await bench.testChain.fund(buyer.account);
  await bench.callEscrow(buyer.account, order, "release");
  await bench.reach(order, "released");
  const [issued] = await bench.db
    .select()
    .from(receipt)
    .where(and(eq(receipt.orderId, order.id), eq(receipt.claim, "released")));
  expect(issued?.document).toMatchObject({ output_hash: newest });
});
