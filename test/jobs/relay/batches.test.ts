import { encodeFunctionData, erc20Abi, type Hex, parseGwei } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { relay } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { createEscrowWithReceiveAuthorizationCall } from "../../../protocol/settlement/calls.ts";
import { typedDataOf } from "../../../protocol/settlement/signatures.ts";
import { termsOf } from "../../../protocol/settlement/terms.ts";
import { multicall3Address, receiveAuthorizationData } from "../../../protocol/settlement/x402.ts";
import { multicall3Code } from "../../../tools/deploy/multicall3.ts";
import { gasBounds } from "../../../trade/relay/gas-bounds.ts";
import { type RelayRow, reopenRelay } from "../../../trade/relay/relay-queue.ts";
import { buyer, placeOrder, provider, randomHash, until } from "../../harness/jobs/ledger.ts";
import { forwardRequests } from "../../harness/jobs/processes.ts";
import { areMined, mineUntil, type RelayBench, startRelayBench } from "../../harness/jobs/relays.ts";

let bench: RelayBench;

beforeAll(async () => {
  bench = await startRelayBench({ together: 20 });
});
afterEach(async () => {
  await bench.node.setAutomine(true);
  await bench.node.setCode({ address: multicall3Address, bytecode: multicall3Code });
  await bench.db.update(relay).set({ revertedAt: null });
});
afterAll(() => bench.close());

const work = (settings?: Parameters<RelayBench["newRelayer"]>[0]) =>
  bench.newRelayer(settings).relay(bench.chain.chain_id);
const readAll = (relays: { id: string }[]) => Promise.all(relays.map(bench.read));

type Queued = { order: OrderRow; row: RelayRow };

/** Queued deliveries of this many orders, each with its provider's signature. */
async function queueDeliveries(count: number): Promise<Queued[]> {
  const queued: Queued[] = [];
  for (let index = 0; index < count; index += 1) {
    const order = await bench.fundedOrder();
    const of = { signer: provider.address, accountId: order.providerAccountId, forFunded: true };
    queued.push({ order, row: await bench.queue(order, await bench.deliveryCall(order), undefined, of) });
  }
  return queued;
}

/** A queued release with its buyer's signature. */
async function queueRelease(): Promise<Queued> {
  const order = await bench.fundedOrder();
  const { timestamp } = await bench.actions.reader.getBlock();
  const message = { escrowId: order.escrowId, deadline: timestamp + 86_400n };
  const { chain_id: chainId, escrow_contract: escrowContract } = bench.chain;
  const typedData = typedDataOf({ chainId, escrowContract }, "Release", message);
  const signature = await buyer.signTypedData(typedData as never);
  const args = [termsOf(order), message.deadline, signature] as const;
  const data = encodeFunctionData({ abi: escrowAbi, functionName: "releaseWithSignature", args });
  const of = { signer: buyer.address, forFunded: true };
  return { order, row: await bench.queue(order, data, `${order.escrowId}:release`, of) };
}

/** Sends them in one transaction, which waits to be mined. */
async function sendTogether(queued: Queued[]) {
  const before = await bench.nonceOf();
  await bench.node.setAutomine(false);
  const working = work();
  const rows = queued.map(({ row }) => row);
  await until(async () => (await bench.nonceOf("pending")) === before + 1, "the batch is sent");
  const batchId = (await readAll(rows))[0]?.batchId as string;
  return { working, rows, before, batchId };
}

async function expectDone(queued: Queued[], block: { hash?: Hex | null } = {}): Promise<void> {
  for (const { order, row } of queued) {
    const read = await bench.read(row);
    expect(read).toMatchObject({ status: "mined", error: null, minedBlock: expect.any(BigInt) });
    if (block.hash) expect(read.transactionHash).toBe(block.hash);
    expect(await bench.deliveriesOf(order)).toBe(1);
  }
}

test("calls that wait together are one transaction, and each counts with its own gas", async () => {
  const queued = await queueDeliveries(6);
  const before = await bench.nonceOf();
  const counted = (await bench.readWallet())?.mined ?? 0;
  await work();
  expect(await bench.nonceOf()).toBe(before + 1);
  const rows = await readAll(queued.map(({ row }) => row));
  const [hash] = new Set(rows.map(({ transactionHash }) => transactionHash));
  await expectDone(queued, { hash: hash as Hex });
  const { gasUsed } = await bench.actions.reader.getTransactionReceipt({ hash: hash as Hex });
  const charged = rows.reduce((sum, { gasCharged }) => sum + gasCharged, 0);
  expect(charged).toBeGreaterThanOrEqual(Number(gasUsed));
  expect(charged).toBeLessThan(Number(gasUsed) + rows.length);
  // Alone, such a call takes 42,000.
  for (const { gasCharged } of rows) expect(gasCharged).toBeLessThan(36_000);
  expect((await bench.readWallet())?.mined).toBe(counted + rows.length);
});

test("a call waits for no other: a single one is sent by itself", async () => {
  const [queued] = await queueDeliveries(1);
  await work();
  const row = await bench.read((queued as Queued).row);
  expect(row).toMatchObject({ status: "mined", batchId: null, nonce: expect.any(Number) });
});

test("a call without effect fails by itself with its reason, and may be requested again", async () => {
  const queued = await queueDeliveries(4);
  const [overtaken, ...others] = queued as [Queued, ...Queued[]];
  const { working, rows } = await sendTogether(queued);
  // The provider takes the record's number in the same block, before the batch.
  const other = await bench.actions.writer.writeContract({
    abi: escrowAbi,
    address: bench.chain.escrow_contract,
    functionName: "recordDelivery",
    args: [termsOf(overtaken.order), randomHash()],
    account: provider,
    chain: null,
    maxPriorityFeePerGas: parseGwei("50"),
    maxFeePerGas: parseGwei("500"),
    gas: 400_000n,
  });
  await mineUntil(bench, async () => (await bench.read(overtaken.row)).status === "failed", "it failed");
  await working;
  await bench.actions.confirm(other);
  await expectDone(others);
  const failed = await bench.read(rows[0] as RelayRow);
  expect(failed.error).toMatch(/^InvalidSignature\(/);
  expect(failed.gasCharged).toBeGreaterThan(10_000);
  // A plain key signed it, so no gas was burnt and nobody is blamed.
  expect(failed.revertedAt).toBeNull();

  await bench.node.setAutomine(true);
  const data = await bench.deliveryCall(overtaken.order, randomHash(), 2);
  const again = await bench.queue(overtaken.order, data);
  expect(again).toMatchObject({ id: failed.id, status: "queued", batchId: null });
  await work();
  expect(await bench.read(again)).toMatchObject({ status: "mined", batchId: null });
});

test("calls of several functions go together, and each is reported by itself", async () => {
  const queued = [...(await queueDeliveries(1)), await queueRelease()];
  queued.push(...(await queueDeliveries(1)), await queueRelease());
  const [delivered, overtaken, deliveredToo, released] = queued as [Queued, Queued, Queued, Queued];
  const { working } = await sendTogether(queued);
  // The buyer releases by a call of its own in the same block, before the batch.
  await bench.actions.writer.writeContract({
    abi: escrowAbi,
    address: bench.chain.escrow_contract,
    functionName: "release",
    args: [termsOf(overtaken.order)],
    account: buyer,
    chain: null,
    maxPriorityFeePerGas: parseGwei("50"),
    maxFeePerGas: parseGwei("500"),
    gas: 400_000n,
  });
  await mineUntil(bench, async () => (await bench.read(overtaken.row)).status === "failed", "it failed");
  await working;
  await expectDone([delivered, deliveredToo]);
  expect(await bench.read(released.row)).toMatchObject({ status: "mined", error: null });
  expect((await bench.read(overtaken.row)).error).toMatch(/^WrongStatus\(/);
  const batches = new Set((await readAll(queued.map(({ row }) => row))).map(({ batchId }) => batchId));
  expect(batches.size).toBe(1);
});

test("a signer that got code after its call was simulated burns no honest call, and is blamed", async () => {
  const honest = [await queueRelease(), await queueRelease()];
  const burning = await queueDeliveries(2);
  const { working, before } = await sendTogether([...honest, ...burning]);
  // As EIP-7702 lets a key do: the signatures of `provider` are checked by code that burns all gas.
  await bench.node.setCode({ address: provider.address, bytecode: "0xfe" });
  try {
    await mineUntil(
      bench,
      () =>
        areMined(
          bench,
          honest.map(({ row }) => row),
        ),
      "the honest calls are mined",
    );
    await working;
  } finally {
    await bench.node.setCode({ address: provider.address, bytecode: "0x" });
  }
  for (const row of await readAll(burning.map(({ row }) => row))) {
    expect(row).toMatchObject({ status: "failed", error: expect.stringMatching(/^InvalidSignature\(/) });
    expect(row.revertedAt).toBeInstanceOf(Date);
    expect(row.gasCharged).toBeGreaterThan(40_000);
  }
  // The batch ran out of gas, so each honest call followed by itself.
  expect(await bench.nonceOf()).toBe(before + 3);
  for (const row of await readAll(honest.map(({ row }) => row))) expect(row.revertedAt).toBeNull();
});

test("a wallet that burns gas only in a batch is refused for an hour, and the others are sent", async () => {
  const honest = [await queueRelease(), await queueRelease()];
  const burning = await queueDeliveries(1);
  const [burner] = burning as [Queued];
  const { working } = await sendTogether([...burning, ...honest]);
  // PUSH3 250,000, GAS, LT: burns all gas if less is left, as in the batch; otherwise accepts every
  // signature.
  const bytecode = "0x6203d0905a10601757631626ba7e60e01b5f5260205ff35bfe";
  await bench.node.setCode({ address: provider.address, bytecode });
  try {
    await mineUntil(
      bench,
      () =>
        areMined(
          bench,
          honest.map(({ row }) => row),
        ),
      "the honest calls are mined",
    );
    await until(
      async () => (await bench.read(burner.row)).status === "failed",
      "the burner's call is refused",
    );
    await working;
  } finally {
    await bench.node.setCode({ address: provider.address, bytecode: "0x" });
  }
  const row = await bench.read(burner.row);
  expect(row.error).toMatch(/wait an hour/);
  expect(row.revertedAt).toBeInstanceOf(Date);
});

test("a payer of more than it holds pays as far as its money goes; the rest takes no gas, and nobody is blamed", async () => {
  const payer = privateKeyToAccount(generatePrivateKey());
  const { chain } = bench;
  const orders: OrderRow[] = [];
  for (let index = 0; index < 6; index += 1) {
    orders.push(await placeOrder(bench.db, chain, { buyerAddress: payer.address }));
  }
  const [{ amount }] = orders as [OrderRow];
  await bench.actions.confirm(
    await bench.actions.writer.writeContract({
      abi: erc20Abi,
      address: chain.token.address,
      functionName: "transfer",
      args: [payer.address, 2n * amount + 1n],
      account: buyer,
      chain: null,
    }),
  );
  const relays: RelayRow[] = [];
  for (const order of orders) {
    const now = (await bench.actions.reader.getBlock()).timestamp;
    const payable = { chainId: chain.chain_id, token: chain.token, amount, fundBy: order.fundBy };
    const escrow = { escrowContract: chain.escrow_contract, escrowId: order.escrowId };
    const data = receiveAuthorizationData(payable, escrow, payer.address, now);
    const { to, data: call } = createEscrowWithReceiveAuthorizationCall(
      { escrowContract: chain.escrow_contract, terms: termsOf(order) },
      {
        from: payer.address,
        validBefore: BigInt(String(data.message.validBefore)),
        signature: await payer.signTypedData(data as never),
      },
    );
    const of = { to, signer: payer.address, accountId: order.buyerAccountId, gasBound: gasBounds.payment };
    relays.push(await bench.queue(order, call, `${order.id}:0`, of));
  }
  const before = await bench.nonceOf();
  await until(async () => {
    await work();
    return (await readAll(relays)).every(({ status }) => status === "mined" || status === "failed");
  }, "all have ended");
  const ended = await readAll(relays);
  expect(ended.filter(({ status }) => status === "mined")).toHaveLength(2);
  expect(await bench.nonceOf()).toBe(before + 1);
  for (const { status, error, transactionHash, revertedAt } of ended) {
    if (status === "mined") continue;
    expect([error, transactionHash, revertedAt]).toEqual([
      expect.stringMatching("ERC20InsufficientBalance"),
      null,
      null,
    ]);
  }
});

test("calls of wallets with code, and those of other contracts, are sent singly", async () => {
  const queued = await queueDeliveries(2);
  const [first, second] = queued as [Queued, Queued];
  await bench.node.setCode({ address: provider.address, bytecode: "0x631626ba7e60e01b5f5260205ff3" });
  try {
    const before = await bench.nonceOf();
    await work();
    await until(async () => {
      await work();
      return areMined(bench, [first.row, second.row]);
    }, "both are mined");
    expect(await bench.nonceOf()).toBe(before + 2);
  } finally {
    await bench.node.setCode({ address: provider.address, bytecode: "0x" });
  }
});

test("a chain without the contract has each call sent singly", async () => {
  await bench.node.setCode({ address: multicall3Address, bytecode: "0x" });
  const queued = await queueDeliveries(2);
  const before = await bench.nonceOf();
  await work();
  expect(await bench.nonceOf()).toBe(before + 2);
  await expectDone(queued);
});

test.each([
  ["reverts", "0xfe"],
  // A transaction to an address without code succeeds, without an event.
  ["finds that its contract left the chain", "0x"],
] as const)("a batch that is mined and %s has its calls sent singly", async (_, bytecode) => {
  const queued = await queueDeliveries(3);
  const { working, before, batchId } = await sendTogether(queued);
  await bench.node.setCode({ address: multicall3Address, bytecode });
  await mineUntil(
    bench,
    () =>
      areMined(
        bench,
        queued.map(({ row }) => row),
      ),
    "all are mined",
  );
  await working;
  expect(await bench.read({ id: batchId })).toMatchObject({ status: "failed" });
  expect(await bench.nonceOf()).toBe(before + 4);
  await expectDone(queued);
});

test("a batch whose worker was stopped before the broadcast is sent by the next one, once", async () => {
  const queued = await queueDeliveries(3);
  const before = await bench.nonceOf();
  const stop = new AbortController();
  const proxy = await forwardRequests(bench.testChain.rpcUrl, {
    treat: ({ method }) => {
      if (method !== "eth_sendRawTransaction") return "forward";
      stop.abort();
      return { error: { code: -32_000, message: "txpool is full" } };
    },
  });
  await bench.newRelayer({ rpc_url: proxy.url }, stop.signal).relay(bench.chain.chain_id);
  await proxy.close();
  expect(await bench.nonceOf()).toBe(before);
  for (const row of await readAll(queued.map(({ row }) => row)))
    expect(row).toMatchObject({ status: "signed", nonce: null });
  await until(async () => {
    await work();
    return areMined(
      bench,
      queued.map(({ row }) => row),
    );
  }, "all are mined");
  expect(await bench.nonceOf()).toBe(before + 1);
  await expectDone(queued);
});

test("a batch whose fee is too low for the chain is raised, and its calls name the mined transaction", async () => {
  const queued = await queueDeliveries(3);
  const { working, rows, before, batchId } = await sendTogether(queued);
  const first = (await bench.read({ id: batchId })).transactionHash;
  await mineUntil(
    bench,
    async () => (await bench.readAttempts({ id: batchId })).length > 1 && areMined(bench, rows),
    "it is raised and mined",
    parseGwei("20"),
  );
  await working;
  const batch = await bench.read({ id: batchId });
  expect(batch.transactionHash).not.toBe(first);
  await expectDone(queued, { hash: batch.transactionHash });
  expect(await bench.nonceOf()).toBe(before + 1);
});

test("a batch whose nonce another transaction used has its calls sent again", async () => {
  const queued = await queueDeliveries(3);
  const { working, rows, before, batchId } = await sendTogether(queued);
  await bench.testChain.wallet(bench.wallet).sendTransaction({
    to: bench.wallet.address,
    nonce: before,
    gas: 21_000n,
    maxFeePerGas: parseGwei("900"),
    maxPriorityFeePerGas: parseGwei("500"),
  });
  await mineUntil(bench, () => areMined(bench, rows), "all are mined");
  await working;
  expect(await bench.read({ id: batchId })).toMatchObject({ status: "failed", nonce: null });
  expect(await bench.nonceOf()).toBe(before + 4);
  await expectDone(queued);
});

test("a batch whose block leaves the chain is mined again, with all of its calls", async () => {
  const queued = await queueDeliveries(3);
  const rows = queued.map(({ row }) => row);
  const snapshot = await bench.node.snapshot();
  const before = await bench.nonceOf();
  await work();
  const mined = await readAll(rows);
  await bench.node.revert({ id: snapshot });
  await bench.node.mine({ blocks: 5 });
  await bench.newSender().check();
  for (const row of await readAll(rows)) expect(row).toMatchObject({ status: "signed", minedBlock: null });
  await until(async () => {
    await work();
    return areMined(bench, rows);
  }, "all are mined again");
  expect(await bench.nonceOf()).toBe(before + 1);
  await expectDone(queued, { hash: mined[0]?.transactionHash ?? null });
  expect((await bench.read(rows[0] as RelayRow)).minedBlockHash).not.toBe(mined[0]?.minedBlockHash);
});

test("a ledger that loses one order's fact has the whole batch checked again", async () => {
  const queued = await queueDeliveries(3);
  const [first] = queued as [Queued];
  await work();
  const { transactionHash } = await bench.read(first.row);
  await inTransaction(bench.db, (tx) => reopenRelay(tx, first.order.id, transactionHash as Hex));
  const rows = await readAll(queued.map(({ row }) => row));
  expect(rows.map(({ status }) => status)).toEqual(["signed", "signed", "signed"]);
  await work();
  await expectDone(queued);
});

test("a batch pays for no more than the wallet holds: its calls are sent as far as the money goes", async () => {
  const queued = await queueDeliveries(4);
  const address = bench.wallet.address;
  const balance = await bench.actions.reader.getBalance({ address });
  const { baseFeePerGas } = await bench.actions.reader.getBlock();
  const tip = await bench.actions.reader.estimateMaxPriorityFeePerGas();
  // Enough gas at the offered fee for one call, not for four.
  const value = 140_000n * (2n * (baseFeePerGas as bigint) + tip);
  await bench.node.setBalance({ address, value });
  await work();
  await bench.node.setBalance({ address, value: balance });
  const done = (await readAll(queued.map(({ row }) => row))).filter(({ status }) => status === "mined");
  expect(done.length).toBeGreaterThanOrEqual(1);
  expect(done.length).toBeLessThan(4);
  await work();
  await expectDone(queued);
});
