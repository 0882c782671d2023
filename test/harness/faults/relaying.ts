import { parseGwei } from "viem";
import { expect } from "vitest";
import type { OrderRow } from "../../../db/order-rows.ts";
import type { RelayRow } from "../../../trade/relay/relay-queue.ts";
import {
  areMined,
  expectOneMined,
  freeRelays,
  mineUntil,
  type RelayBench,
  startRelayBench,
} from "../jobs/relays.ts";
import { createWorkers } from "./workers.ts";

export type QueuedDelivery = { order: OrderRow; relay: RelayRow; nonce: number };

export type RelayingBench = Awaited<ReturnType<typeof startRelayingBench>>;

/** The parts of tests that kill workers while they relay: real workers on the relayer's bench. */
export async function startRelayingBench() {
  const bench: RelayBench = await startRelayBench({ together: 5 });
  const workers = createWorkers(bench.env);
  return {
    bench,
    startWorker: workers.start,
    /** Kills the workers that a failed test left, and lets the chain mine by itself. */
    async reset(): Promise<void> {
      await workers.killAll();
      await bench.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei("1") });
      await bench.node.mine({ blocks: 1 });
      await bench.node.setAutomine(true);
    },
    /** A delivery that is queued, on a chain that mines only on command from then on. */
    async queueDelivery(): Promise<QueuedDelivery> {
      const order = await bench.fundedOrder();
      await bench.node.setAutomine(false);
      const nonce = await bench.nonceOf();
      const relay = await bench.queue(order, await bench.deliveryCall(order));
      return { order, relay, nonce };
    },
    /** Lets another worker finish a killed worker's relay, and asserts that it was mined once. */
    async expectNextOneEndsIt({ order, relay, nonce }: QueuedDelivery, baseFee?: bigint): Promise<void> {
      await freeRelays(bench);
      const next = workers.start();
      await mineUntil(bench, () => areMined(bench, [relay]), "the next worker has sent it", baseFee);
      await next.end("SIGTERM");
      expect(next.ended()).toBe(0);
      await expectOneMined(bench, relay, order);
      expect(await bench.nonceOf()).toBe(nonce + 1);
    },
  };
}
