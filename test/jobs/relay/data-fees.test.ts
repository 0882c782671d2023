import {
  encodeAbiParameters,
  type Hex,
  parseEther,
  parseGwei,
  type TransactionReceipt,
  zeroHash,
} from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blockOf, executionGasOf } from "../../../jobs/relay/data-fees.ts";
import { answering } from "../../harness/deploy.ts";
import { type RelayBench, startRelayBench } from "../../harness/jobs/relays.ts";

const oracle = "0x420000000000000000000000000000000000000F";
const arbSys = "0x0000000000000000000000000000000000000064";
const nodeInterface = "0x00000000000000000000000000000000000000C8";

let bench: RelayBench;
beforeAll(async () => {
  bench = await startRelayBench();
});
afterAll(() => bench?.close());

const place = (address: Hex, bytecode: Hex) => bench.node.setCode({ address, bytecode });
const chargeFee = (wei: bigint) =>
  place(oracle, answering({ "getL1Fee(bytes)": encodeAbiParameters([{ type: "uint256" }], [wei]) }));
const hold = (value: bigint) => bench.node.setBalance({ address: bench.wallet.address, value });

/** Relays a call with a relayer that has just started. */
async function relayOne(gasBound?: number) {
  const row = await bench.fundedOrder();
  const queued = await bench.queue(
    row,
    await bench.deliveryCall(row),
    undefined,
    gasBound ? { gasBound } : {},
  );
  const run = async (max_fee_per_gas = parseGwei("1000")) => {
    await bench.newRelayer({ max_fee_per_gas }).relay(bench.chain.chain_id);
    return [(await bench.read(queued)).status, (await bench.readWallet())?.waiting ?? null];
  };
  await bench.newRelayer().beat();
  return run;
}

test("a relayer on the OP Stack keeps the fee for data beside the gas", async () => {
  const rich = parseEther("10");
  try {
    await chargeFee(parseEther("0.02"));
    // Enough for the gas of many calls, and not for the data of one with the room that its fee may rise by.
    await hold(parseEther("0.024"));
    const run = await relayOne();
    expect(await run()).toEqual(["queued", "balance"]);
    await hold(parseEther("0.03"));
    expect(await run()).toEqual(["mined", null]);

    // Gas is cheap, and the data costs more than the bound of 400,000 gas at the highest price.
    await hold(rich);
    const dear = await relayOne();
    expect(await dear(parseGwei("50"))).toEqual(["queued", "gas_price"]);
    expect(await dear(parseGwei("70"))).toEqual(["mined", null]);
  } finally {
    await hold(rich);
    await place(oracle, "0x");
  }
});

test("a call on Arbitrum may take the gas for its data beside its bound", async () => {
  const words = [{ type: "uint64" }, { type: "uint256" }, { type: "uint256" }] as const;
  const takeGas = (gas: bigint) =>
    place(
      nodeInterface,
      answering({
        "gasEstimateL1Component(address,bool,bytes)": encodeAbiParameters(words, [gas, 1n, 1n]),
      }),
    );
  try {
    await place(arbSys, "0xfe");
    await takeGas(200_000n);
    // The call itself takes more than 30,000 gas, as the data of the call would on that chain.
    const run = await relayOne(30_000);
    expect(await run()).toEqual(["mined", null]);
    const dear = await relayOne(30_000);
    // The price of gas is within the limit, and the call takes more than twice its bound.
    const { reader } = bench.actions;
    const [{ baseFeePerGas }, tip] = [await reader.getBlock(), await reader.estimateMaxPriorityFeePerGas()];
    expect(await dear(((baseFeePerGas ?? 0n) + tip) * 2n)).toEqual(["queued", "gas_price"]);
    expect(await dear()).toEqual(["mined", null]);
  } finally {
    for (const address of [arbSys, nodeInterface] as const) await place(address, "0x");
  }
});

test("budgets are charged with the fee for data, as gas at the highest price, and blame counts the execution alone", () => {
  const chain = { max_fee_per_gas: parseGwei("5") };
  const block = { blockNumber: 7n, blockHash: zeroHash, gasUsed: 60_000n };
  const receiptOf = (more: object) => ({ ...block, ...more }) as unknown as TransactionReceipt;
  const charged = (more: object) => blockOf(receiptOf(more), chain).gasCharged;
  expect(charged({})).toBe(60_000n);
  // As nodes write it, and as viem formats it.
  for (const l1Fee of ["0x2540be401", 10_000_000_001n]) expect(charged({ l1Fee })).toBe(60_003n);
  expect(charged({ l1Fee: null })).toBe(60_000n);
  expect(blockOf(receiptOf({ l1Fee: "0x1" }), chain).gasUsed).toBe(60_000n);
  expect(executionGasOf(receiptOf({ gasUsedForL1: "0x7530" }))).toBe(30_000n);
  expect(executionGasOf(receiptOf({}))).toBe(60_000n);
});
