import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { inTransaction } from "../../../db/transaction.ts";
import { gasBounds } from "../../../trade/relay/gas-bounds.ts";
import { queueRelay } from "../../../trade/relay/relay-queue.ts";
import { type RelayingBench, startRelayingBench } from "../../harness/faults/relaying.ts";
import { until } from "../../harness/jobs/ledger.ts";
import { forwardRequests } from "../../harness/jobs/processes.ts";

let relaying: RelayingBench;
let bench: RelayingBench["bench"];

beforeAll(async () => {
  relaying = await startRelayingBench();
  bench = relaying.bench;
});
afterEach(() => relaying.reset());
afterAll(() => bench?.close());

// At each of the other steps, frozen, and killed at random: test/faults/relaying.test.ts.
test("a worker killed after storing and before sending: the next one sends the stored transaction", async () => {
  const queued = await relaying.queueDelivery();
  const proxy = await forwardRequests(bench.testChain.rpcUrl, { hold: "eth_sendRawTransaction" });
  const first = relaying.startWorker(proxy.url);
  await until(async () => proxy.held.length > 0, "the worker sends");
  await first.end("SIGKILL");
  await proxy.close();
  const stored = await bench.read(queued.relay);
  expect(stored.status).toBe("signed");
  expect(await bench.nonceOf("pending")).toBe(queued.nonce);
  await relaying.expectNextOneEndsIt(queued);
  expect((await bench.read(queued.relay)).transactionHash).toBe(stored.transactionHash);
  expect(await bench.readAttempts(queued.relay)).toHaveLength(1);
});

test("a relay of only a nonce, left queued by a killed worker, is dropped and not sent", async () => {
  const nonce = await bench.nonceOf();
  const key = `nonce:${bench.chain.chain_id}:${bench.wallet.address}:${nonce}`;
  const to = bench.wallet.address;
  const left = await inTransaction(bench.db, (tx) =>
    queueRelay(tx, {
      key,
      chainId: bench.chain.chain_id,
      orderId: null,
      to,
      data: "0x",
      gasBound: gasBounds.deposit,
    }),
  );
  await bench.newRelayer().relay(bench.chain.chain_id);
  expect(await bench.read(left)).toMatchObject({ status: "failed", transactionHash: null });
  expect(await bench.nonceOf()).toBe(nonce);
});
