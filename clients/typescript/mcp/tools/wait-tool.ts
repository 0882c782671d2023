import { z } from "zod";
import type { Order, OrderStatus } from "../../src/index.ts";
import { describeOrder, orderFields, showOrder } from "../order-view.ts";
import { type Call, defineTool } from "../tool.ts";
import * as schemas from "../tool-schemas.ts";

const isIn =
  (...expected: OrderStatus[]) =>
  (order: Order) =>
    expected.includes(order.status);

/** The goals of a wait: whether an order has reached one, and whether it cannot reach it any more. */
const goals = {
  approved: {
    reached: ({ approval }: Order) => approval === null || approval.status === "approved",
    missed: ({ approval, status }: Order) => approval?.status !== "pending" || status === "expired",
  },
  funded: {
    reached: isIn("funded", "started", "delivered", "disputed", "released", "refunded"),
    missed: isIn("expired"),
  },
  delivered: { reached: isIn("delivered", "released"), missed: isIn("expired", "refunded") },
  settled: { reached: isIn("released", "refunded", "expired"), missed: () => false },
};

/** Seconds between two polls. */
const pollSeconds = 2;

export const waitForOrder = defineTool({
  name: "wait_for_order",
  title: "Wait for an order",
  description:
    "Waits until an order is approved by an owner, funded, delivered or settled, and reports progress. After `timeout_seconds`, `reached` is false; repeat the call to go on waiting. Each poll counts as one request of the key.",
  scopes: ["orders:read"],
  does: "reads",
  input: z.strictObject({
    order_id: schemas.orderId,
    until: z.enum(["approved", "funded", "delivered", "settled"]),
    timeout_seconds: z
      .number()
      .int()
      .min(1)
      .max(3600)
      .default(45)
      .describe("The service may end the wait sooner."),
  }),
  output: z.object({ reached: z.boolean(), ...orderFields }),
  async run({ earnest, waits }, { order_id, until, timeout_seconds }, call) {
    const seconds = Math.min(timeout_seconds, waits.longest);
    const { reached, missed } = goals[until];
    const release = await waits.acquire();
    try {
      const begin = performance.now();
      for (;;) {
        const current: Order = await earnest.orders.get(order_id, { signal: call.signal });
        const isReached = reached(current);
        const elapsed = (performance.now() - begin) / 1000;
        const isOver = missed(current) || elapsed + pollSeconds > seconds;
        if (isReached || isOver) {
          const sentence = isReached
            ? describeOrder(current)
            : `The order is not ${until}. ${describeOrder(current)}`;
          return { sentence, fields: { reached: isReached, ...showOrder(current) } };
        }
        await call.progress(Math.round(elapsed), seconds, `${current.id} is ${current.status}`);
        await pause(pollSeconds, call);
      }
    } finally {
      release();
    }
  },
});

async function pause(seconds: number, { signal }: Call): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((done, failed) => {
    const abort = () => {
      clearTimeout(timer);
      failed(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      done();
    }, seconds * 1000);
    signal.addEventListener("abort", abort, { once: true });
  });
}
