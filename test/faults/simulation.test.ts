import { type AbiFunction, encodeFunctionData, type Hex, pad, toFunctionSelector, toHex } from "viem";
import { beforeAll, expect, test } from "vitest";
import { escrowAbi } from "../../abis/escrow.ts";
import { encodeBatch } from "../../jobs/relay/batches.ts";
import { escrowIdOf, type Terms } from "../../protocol/settlement/terms.ts";
import { multicall3Address } from "../../protocol/settlement/x402.ts";
import { checkRelays } from "../../tools/simulation/checker/check-money.ts";
import { checkScene } from "../../tools/simulation/checker/check-scene.ts";
import type { Reading, Scene } from "../../tools/simulation/checker/reading.ts";
import { callsOf } from "../../tools/simulation/checker/relayed.ts";
import { courseOfFaults } from "../../tools/simulation/live/faults.ts";
import { type LiveResult, simulateLive } from "../../tools/simulation/live/simulation.ts";

const seed = 7;
const lines: string[] = [];
let result: LiveResult;
let scene: Scene;
let reading: Reading;

beforeAll(async () => {
  const size = { orders: 6, faults: 9, over: 9000 };
  const course = courseOfFaults(seed, size);
  result = await simulateLive(seed, { ...size, course, say: (line) => lines.push(line) });
  if (!result.reading) throw new Error(`The scene cannot be read: ${result.wrong}`);
  ({ scene, reading } = result);
});

const address = (number: number): Hex => pad(toHex(number), { size: 20 });

type World = { scene: Scene; reading: Reading };
type Found = Reading["orders"][number];

const find = <T>(items: readonly T[], what: string, fits: (item: T) => boolean = () => true): T => {
  const found = items.find(fits);
  if (!found) throw new Error(`The seed ${seed} has no ${what}.`);
  return found;
};
const funded = ({ reading }: World): Found =>
  find(reading.orders, "funded order", ({ receipts }) => receipts.some(({ revoked }) => !revoked));
const feedOfBuyer = ({ reading }: World) =>
  find(
    [...reading.feeds],
    "buyer with events",
    ([name, feed]) => name.startsWith("buyer") && feed.length > 0,
  )[1];
const drop = <T>(items: T[], item: T) => void items.splice(items.indexOf(item), 1);

test("a seed runs on real processes under every fault, and the checker finds nothing", () => {
  expect(result.wrong, lines.join("\n")).toEqual([]);
  expect(result.counts.orders).toBe(6);
  expect(result.counts.deliveries).toBeGreaterThanOrEqual(result.counts.events);
});

/** Changes of the recorded answers, each with the finding that must follow. */
const lies: Record<string, [RegExp, (world: World) => void]> = {
  "an acknowledged order is lost": [
    /was acknowledged and is not listed/,
    ({ reading }) => void reading.orders.pop(),
  ],
  "an order exists that nobody requested": [
    /more orders than were requested/,
    ({ scene }) => void scene.acknowledged.pop(),
  ],
  "an event of the chain is no fact": [
    /is on the chain and 0 times in the trail/,
    (world) => {
      const { trail } = funded(world);
      drop(
        trail,
        find(trail, "fact of the chain", ({ type }) => type === "order.funded"),
      );
    },
  ],
  "an event of the chain is two facts": [
    /is on the chain and 2 times in the trail/,
    (world) => {
      const { trail } = funded(world);
      trail.push({ ...find(trail, "funding", ({ type }) => type === "order.funded"), id: "fct_another" });
    },
  ],
  "a fact is invented": [
    /is in the trail and not on the chain/,
    ({ reading }) => void reading.logs.splice(0, 1),
  ],
  "a reverted fact counts as valid": [
    /is in the trail and not on the chain/,
    (world) => {
      const { trail } = funded(world);
      const entry = find(trail, "funding", ({ type }) => type === "order.funded");
      if (entry.transaction) entry.transaction.hash = "0x00";
    },
  ],
  "a status does not follow": [
    /and its trail says/,
    (world) => {
      const { order } = funded(world);
      order.status = order.status === "started" ? "funded" : "started";
    },
  ],
  "a receipt is missing": [/has no good receipt/, (world) => void funded(world).receipts.splice(0)],
  "a receipt has no step": [
    /which did not happen/,
    (world) => {
      const { receipts } = funded(world);
      receipts.push({ ...find(receipts, "receipt"), claim: "refunded", id: "rcp_another" });
    },
  ],
  "a receipt has another amount": [
    /differs from the chain/,
    (world) => {
      find(funded(world).receipts, "good receipt", ({ revoked }) => !revoked).document.amount = "1";
    },
  ],
  "a receipt is not revoked although its block left the chain": [
    /but its block left the chain/,
    (world) => {
      find(funded(world).receipts, "good receipt", ({ revoked }) => !revoked).document.block_hash = "0x00";
    },
  ],
  "a revoked receipt is not listed": [
    /is revoked and not listed/,
    (world) => {
      find(funded(world).receipts, "good receipt", ({ revoked }) => !revoked).revoked = true;
    },
  ],
  "a good receipt is listed as revoked": [
    /is listed as revoked/,
    ({ reading }) => void reading.revoked.push("https://earnest.example/receipts/another"),
  ],
  "an event is missing in a feed": [/is 0 times in the feed/, (world) => void feedOfBuyer(world).shift()],
  "an event is twice in a feed": [
    /is 2 times in the feed/,
    (world) => {
      const feed = feedOfBuyer(world);
      feed.push({ ...find(feed, "event"), event_id: "evt_another" });
    },
  ],
  "a feed has an event without a fact": [
    /but no trail has it/,
    (world) => {
      const feed = feedOfBuyer(world);
      feed.push({ ...find(feed, "event"), event_id: "evt_another", data: { entry: { id: "fct_another" } } });
    },
  ],
  "an event never came by webhook": [
    /under 0 ids/,
    ({ scene }) => {
      const { raw } = find(scene.received, "delivery");
      scene.received = scene.received.filter((one) => one.raw !== raw);
    },
  ],
  "a delivery is not signed by the endpoint's secret": [
    /wrong signature/,
    ({ scene }) => {
      find(scene.received, "delivery").headers["x-service-signature"] = "t=1,v1=00";
    },
  ],
  "a transaction is relayed again after it has done its work": [
    /relays a completed action again/,
    ({ reading }) => {
      const done = find(reading.sent, "relayed transaction", ({ succeeded }) => succeeded);
      // One repeat of an action that time allows may be excused, and two never are.
      for (const hash of ["0x02", "0x03"] as const) reading.sent.push({ ...done, hash, succeeded: false });
    },
  ],
  "an escrow is paid twice": [
    /was paid twice/,
    ({ reading }) =>
      void reading.logs.push(find(reading.logs, "funding", ({ name }) => name === "EscrowCreated")),
  ],
  "an escrow pays twice": [
    /paid more than it had/,
    ({ reading }) => {
      // On a slow machine no escrow may have ended, so the payouts are made of a funding.
      const funding = find(reading.logs, "funding", ({ name }) => name === "EscrowCreated");
      const { terms } = funding.args as { terms: Terms };
      const payout = { ...funding, name: "Released", args: { ...terms } };
      reading.logs.push(payout, { ...payout });
    },
  ],
  "somebody has too little": [
    /has \d+, where \d+ belongs/,
    ({ reading }) => {
      for (const [owner, balance] of reading.balances) reading.balances.set(owner, balance - 1n);
    },
  ],
  "the contract holds too much": [
    /the contract holds/,
    ({ reading }) => {
      reading.held += 1n;
    },
  ],
};

test.each(Object.entries(lies))("the checker reports that %s", (_, [sentence, lie]) => {
  const world = structuredClone({ scene, reading });
  lie(world);
  expect(checkScene(world.scene, world.reading)).toContainEqual(expect.stringMatching(sentence));
});

test("a repeated deposit may be returned again, and no other call may succeed twice", () => {
  const input = (name: string) => {
    const item = escrowAbi.find((item) => item.type === "function" && item.name === name) as AbiFunction;
    return `${toFunctionSelector(item)}${"0".repeat(64 * 32)}` as Hex;
  };
  const twice = (name: string, succeeded: boolean) => ({
    ...reading,
    sent: [true, succeeded].map((succeeded, at) => ({
      hash: `0x${at}` as Hex,
      to: "0x0",
      input: input(name),
      succeeded,
    })),
  });
  expect(checkRelays(twice("returnDeposit", true))).toEqual([]);
  expect(checkRelays(twice("release", true))).toEqual(["0x1 relays a completed action again: release"]);
});

test("calls in one transaction are checked one by one, with those that failed in it", () => {
  const target: Hex = "0x00000000000000000000000000000000000000aa";
  const terms = (amount: bigint): Terms => ({
    buyer: address(1),
    provider: address(2),
    token: address(3),
    amount,
    arbiter: address(4),
    fundBy: 1,
    deliveryWindow: 2,
    acceptanceWindow: 3,
    disputeWindow: 4,
    appealWindow: 5,
    orderHash: pad("0x1"),
  });
  const rows = [1n, 2n, 3n].map((amount) => ({
    to: target,
    data: encodeFunctionData({ abi: escrowAbi, functionName: "release", args: [terms(amount)] }),
  }));
  const emitted = (contract: Hex, amount: bigint) => {
    const topics = [pad("0x0"), escrowIdOf(31_337, target, terms(amount))] as const;
    return { address: contract, topics };
  };
  // An event of another contract proves nothing.
  const logs = [emitted(target, 1n), emitted(address(5), 2n), emitted(target, 3n)];
  const to = multicall3Address;
  const mined = { hash: "0x1", to, input: encodeBatch(rows), status: "success", logs } as const;
  const inputs = rows.map(({ data }) => data);
  expect(callsOf(mined, 31_337)).toEqual([
    { hash: "0x1", to: target, input: inputs[0], succeeded: true },
    { hash: "0x1", to: target, input: inputs[1], succeeded: false },
    { hash: "0x1", to: target, input: inputs[2], succeeded: true },
  ]);
  const reverted = callsOf({ ...mined, status: "reverted" }, 31_337);
  expect(reverted.map(({ succeeded }) => succeeded)).toEqual([false, false, false]);
  expect(callsOf({ ...mined, input: "0xdeadbeef", logs: [] }, 31_337)).toEqual([
    { hash: "0x1", to: to.toLowerCase(), input: "0xdeadbeef", succeeded: true },
  ]);
});
