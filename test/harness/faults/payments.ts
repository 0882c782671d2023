import { expect } from "vitest";
import type { Answer } from "../api.ts";
import { until } from "../jobs/ledger.ts";
import { startPaymentBench } from "../jobs/payments.ts";
import type { WorkerProcess } from "../jobs/processes.ts";
import { isUsed, type Signed } from "../market/payments.ts";
import { createWorkers } from "./workers.ts";

/** Base units of the token that each of the orders costs. */
export const amount = 2_500_000n;

type Order = Answer["body"];
type Accepted = { order: Order; signed: Signed; had: bigint; nonce: number };

export const untilReady = (worker: WorkerProcess) =>
  until(async () => worker.output().includes("worker ready"), "the worker is ready");

/** The parts of tests that kill workers while they pay: real workers on the bench of payments. */
export async function startPayingBench() {
  const bench = await startPaymentBench();
  const workers = createWorkers((rpcUrl = bench.testChain.rpcUrl) => ({
    ...bench.stack.env,
    [`RPC_URL_${bench.chain.chain_id}`]: rpcUrl,
  }));
  const buyer = bench.market.buyer.account.address;
  return {
    bench,
    buyer,
    startWorker: workers.start,
    killAll: workers.killAll,
    /** An accepted payment, and the state before it. */
    async accept(order: Order): Promise<Accepted> {
      const [had, nonce] = [await bench.balanceOf(buyer), await bench.nonce()];
      const signed = await bench.sign(order);
      await bench.pay(order, signed);
      return { order, signed, had, nonce };
    },
    /** Lets another worker finish a killed worker's payment, and asserts that it was made once. */
    async expectNextOneEndsIt({ order, signed, had, nonce }: Accepted): Promise<void> {
      const next = workers.start();
      await untilReady(next);
      await until(
        async () => (await bench.payment(order)).status === "confirmed",
        "the payment is confirmed",
      );
      await next.end("SIGTERM");
      expect(next.ended()).toBe(0);
      const trail = await bench.trail(order);
      expect(trail.map(({ type }) => type)).toEqual(["order.created", "order.funded"]);
      expect(await isUsed(bench.testChain, signed)).toBe(true);
      expect(await bench.balanceOf(buyer)).toBe(had - amount);
      expect(await bench.balanceOf(order.escrow.deposit_address)).toBe(0n);
      const relays = await bench.relaysOf(order);
      expect(relays.map(({ status }) => status)).toEqual(["mined"]);
      expect(await bench.nonce()).toBe(nonce + 1);
      const shown = await bench.payment(order);
      expect(shown).toMatchObject({ transaction_hash: trail[1].transaction.hash, error: null });
      // A repeated payment is answered with its current state.
      expect(await bench.pay(order, signed)).toEqual(shown);
    },
  };
}
