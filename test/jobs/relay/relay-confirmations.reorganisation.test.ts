import { afterAll, beforeAll, expect, test } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import { lockOrder, recordFacts } from "../../../db/ledger.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { termsOf } from "../../../protocol/settlement/terms.ts";
import { buyer, placeOrder, provider, randomHash, until } from "../../harness/jobs/ledger.ts";
import { forwardRequests } from "../../harness/jobs/processes.ts";
import {
  areMined,
  expectOneMined,
  mineUntil,
  type RelayBench,
  startRelayBench,
} from "../../harness/jobs/relays.ts";

let bench: RelayBench;

beforeAll(async () => {
  bench = await startRelayBench();
});
afterAll(() => bench.close());

const relay = () => bench.newRelayer().relay(bench.chain.chain_id);

/** Has a delivery's record relayed until it is mined, for an order that is funded. */
async function recorded() {
  const order = await bench.fundedOrder();
  const row = await bench.queue(order, await bench.deliveryCall(order));
  const before = await bench.node.snapshot();
  await relay();
  expect(await bench.read(row)).toMatchObject({ status: "mined", minedBlock: expect.any(BigInt) });
  return { order, row, before };
}

test("a relay without a fact is sent again when its block leaves the chain long after it was mined, and keeps its nonce", async () => {
  const { order, row, before } = await recorded();
  await bench.node.mine({ blocks: 40 });
  const mined = await bench.read(row);
  await bench.node.revert({ id: before });
  // The chain is not past the block yet, as on a node that lags behind: nothing is concluded.
  await bench.newSender().check();
  expect(await bench.read(row)).toEqual(mined);
  expect(await bench.deliveriesOf(order)).toBe(0);

  await bench.node.mine({ blocks: 50 });
  // Another relay comes before the loss is noticed. It gets another nonce, although the chain would take
  // this one.
  const second = await bench.queue(
    order,
    await bench.deliveryCall(order, randomHash(), 2),
    `${order.escrowId}:recordDelivery:2`,
  );
  await until(async () => {
    await relay();
    return areMined(bench, [row, second]);
  }, "both are mined");
  const [first, next] = [await bench.read(row), await bench.read(second)];
  expect(first.transactionHash).toBe(mined.transactionHash);
  expect(first.minedBlockHash).not.toBe(mined.minedBlockHash);
  expect(next.nonce).toBe((first.nonce as number) + 1);
  expect(await bench.deliveriesOf(order)).toBe(2);
});

test("a relay whose transaction the new chain has in another block is found there, and not sent again", async () => {
  const { order, row, before } = await recorded();
  const [attempt] = await bench.readAttempts(row);
  await bench.node.revert({ id: before });
  await bench.node.mine({ blocks: 3 });
  await bench.actions.confirm(
    await bench.actions.reader.sendRawTransaction({ serializedTransaction: attempt?.rawTransaction ?? "0x" }),
  );
  const lost = await bench.read(row);
  await bench.newSender().check();
  expect(await bench.read(row)).toMatchObject({ status: "signed", minedBlock: null, nonce: lost.nonce });
  await relay();
  await expectOneMined(bench, row, order);
  expect((await bench.read(row)).minedBlock).toBeGreaterThan(lost.minedBlock as bigint);
  expect(await bench.readAttempts(row)).toHaveLength(1);
});

test("a relay without effect in a removed block, requested again, is done by its first transaction in the new chain", async () => {
  const order = await bench.fundedOrder();
  const data = await bench.deliveryCall(order);
  const before = await bench.node.snapshot();
  await bench.node.setAutomine(false);
  const row = await bench.queue(order, data);
  const sending = relay();
  await until(async () => (await bench.read(row)).status === "signed", "it is sent");
  // Another record takes its number in the same block, before it.
  const other = await bench.actions.writer.writeContract({
    abi: escrowAbi,
    address: bench.chain.escrow_contract,
    functionName: "recordDelivery",
    args: [termsOf(order), randomHash()],
    account: provider,
    chain: null,
    maxPriorityFeePerGas: 50_000_000_000n,
    maxFeePerGas: 500_000_000_000n,
    gas: 400_000n,
  });
  await mineUntil(bench, async () => (await bench.read(row)).status === "failed", "it has failed");
  await sending;
  await bench.actions.confirm(other);
  const [attempt] = await bench.readAttempts(row);
  expect(attempt?.reverted).toBe(true);

  await bench.node.setAutomine(true);
  await bench.node.revert({ id: before });
  await bench.actions.confirm(
    await bench.actions.reader.sendRawTransaction({ serializedTransaction: attempt?.rawTransaction ?? "0x" }),
  );
  await bench.queue(order, data);
  await relay();
  await expectOneMined(bench, row, order);
  expect(await bench.readAttempts(row)).toHaveLength(1);
});

test("relays in lasting blocks stay mined, however often they are checked", async () => {
  const { row } = await recorded();
  const mined = await bench.read(row);
  await bench.newSender().check();
  await bench.newSender().check();
  expect(await bench.read(row)).toEqual(mined);
});

/**
 * Creates an order's escrow, and the ledger's fact on request. Returns a function that reverts the chain.
 */
async function fund(row: OrderRow, recorded: boolean) {
  const before = await bench.node.snapshot();
  const { blockNumber, blockHash, transactionHash } = await bench.actions.confirm(
    await bench.actions.send(row, buyer, "createEscrow"),
  );
  const chain = { chainId: bench.chain.chain_id, blockNumber, blockHash, transactionHash, logIndex: 0 };
  const funded = { type: "order.funded", actor: "chain", key: blockHash, occurredAt: new Date() } as const;
  if (recorded) {
    await inTransaction(bench.db, async (tx) => {
      const locked = (await lockOrder(tx, row.id)) as OrderRow;
      await recordFacts(tx, locked, [{ ...funded, chain }]);
    });
  }
  return async () => {
    await bench.node.revert({ id: before });
    await bench.node.mine({ blocks: 3 });
  };
}

test.each([
  ["that the ledger has", { recorded: true, confirmations: 1 }],
  ["that is too young to be in the ledger", { recorded: false, confirmations: 20 }],
])(
  "a relay of an order whose funding, %s, was removed by a reorganisation is not given up, and sent once that is mined again",
  async (_, { recorded, confirmations }) => {
    const order = await placeOrder(bench.db, bench.chain);
    const data = await bench.deliveryCall(order);
    const takeBack = await fund(order, recorded);
    const row = await bench.queue(order, data);
    await takeBack();
    let tried = 0;
    const node = await forwardRequests(bench.testChain.rpcUrl, {
      treat: ({ method }) => {
        if (method === "eth_estimateGas") tried += 1;
        return "forward";
      },
    });
    const stop = new AbortController();
    const settings = { rpc_url: node.url, confirmations };
    const working = bench.newRelayer(settings, stop.signal).relay(bench.chain.chain_id);
    await until(async () => tried >= 6, "the contract refused it six times");
    expect(await bench.read(row)).toMatchObject({ status: "queued", error: null });
    await bench.actions.confirm(await bench.actions.send(order, buyer, "createEscrow"));
    await mineUntil(bench, () => areMined(bench, [row]), "it is mined");
    stop.abort();
    await working;
    await node.close();
    await expectOneMined(bench, row, order);
  },
);

test("a relay that depends on another, whose block just left the chain, waits until that one is mined again", async () => {
  const order = await bench.fundedOrder();
  const first = await bench.queue(order, await bench.deliveryCall(order));
  const before = await bench.node.snapshot();
  const sender = bench.newSender();
  await sender.drain();
  expect((await bench.read(first)).status).toBe("mined");
  await bench.node.revert({ id: before });
  await bench.node.mine({ blocks: 3 });
  const second = await bench.queue(
    order,
    await bench.deliveryCall(order, randomHash(), 2),
    `${order.escrowId}:recordDelivery:2`,
  );
  // The same relayer checked for lost blocks just now, and would not again for ten seconds.
  await sender.drain();
  expect(await areMined(bench, [first, second])).toBe(true);
  expect(await bench.deliveriesOf(order)).toBe(2);
});
