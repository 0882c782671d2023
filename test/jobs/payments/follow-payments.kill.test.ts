import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { startPayingBench } from "../../harness/faults/payments.ts";
import { whileWritesWait } from "../../harness/faults/writes.ts";
import { placeOrder } from "../../harness/flows/x402-order.ts";

let paying: Awaited<ReturnType<typeof startPayingBench>>;
let order: Answer["body"];

beforeAll(async () => {
  paying = await startPayingBench();
});
afterEach(() => paying.killAll());
afterAll(() => paying?.bench.close());
beforeEach(async () => {
  order = await placeOrder(paying.bench.market);
});

// While it writes to other tables, and kills at random: test/faults/payments.test.ts.
test("a worker killed while it records that the order is funded loses and repeats no payment", async () => {
  const accepted = await paying.accept(order);
  await whileWritesWait(paying.bench.db, "fact", { on: "before insert" }, async (waiting) => {
    const killed = paying.startWorker();
    await waiting;
    await killed.end("SIGKILL");
  });
  await paying.expectNextOneEndsIt(accepted);
});

test("a payment is accepted and answered while no worker runs, and confirmed by the next worker", async () => {
  const accepted = await paying.accept(order);
  const answer = await paying.bench.post(order);
  expect(expectStatus(202, answer).payment).toMatchObject({ status: "accepted", transaction_hash: null });
  expect(answer.headers.get("payment-required")).toBeNull();
  await paying.expectNextOneEndsIt(accepted);
});
