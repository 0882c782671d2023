import { afterAll, beforeAll, expect, test } from "vitest";
import { randomHash, until } from "./fixtures.ts";
import { areMined, expectOneMined, type RelayBench, startRelayBench } from "./relay.fixture.ts";

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

test("a relay that no fact tells of is sent again when its block leaves the chain long after it was mined, and keeps its nonce", async () => {
  const { order, row, before } = await recorded();
  await bench.node.mine({ blocks: 40 });
  const mined = await bench.read(row);
  await bench.node.revert({ id: before });
  // The chain has yet to grow past the block, as a node that lags behind: nothing is concluded.
  await bench.newSender().look();
  expect(await bench.read(row)).toEqual(mined);
  expect(await bench.deliveriesOf(order)).toBe(0);

  await bench.node.mine({ blocks: 50 });
  // Another relay comes before anybody noticed: it gets another nonce, though the chain would take this one.
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
  await bench.newSender().look();
  expect(await bench.read(row)).toMatchObject({ status: "signed", minedBlock: null, nonce: lost.nonce });
  await relay();
  await expectOneMined(bench, row, order);
  expect((await bench.read(row)).minedBlock).toBeGreaterThan(lost.minedBlock as bigint);
  expect(await bench.readAttempts(row)).toHaveLength(1);
});

test("relays whose blocks stand stay mined, however often they are looked at", async () => {
  const { row } = await recorded();
  const mined = await bench.read(row);
  await bench.newSender().look();
  await bench.newSender().look();
  expect(await bench.read(row)).toEqual(mined);
});
