import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { eq, sql } from "drizzle-orm";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readReceiptSigner } from "../../config/keys/signing-key.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order } from "../../db/schema.ts";
import { listChainJobs } from "../../jobs/chain-jobs.ts";
import { runJobs } from "../../jobs/job.ts";
import { chainActions, placeOrder } from "../harness/jobs/ledger.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

// The node of the second chain accepts connections, and answers nothing.
const hangingChain = 424_242;
let stack: TestStack;
let node: Server;
const open = new Set<Socket>();
beforeAll(async () => {
  stack = await startStack({ worker: false });
  node = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {});
  });
  await once(node.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  node?.close();
  await stack?.close();
});

async function statusOf({ id }: OrderRow): Promise<string | undefined> {
  const [row] = await stack.db.select({ status: order.status }).from(order).where(eq(order.id, id));
  return row?.status;
}

test("the jobs of a chain go on while the node of another chain hangs", async () => {
  const { db, config } = stack;
  const healthy = stack.chain.chain;
  const rpc_url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  const hanging = { ...healthy, chain_id: hangingChain, rpc_url };
  // The index knows both chains.
  await db.execute(sql`
    insert into idx._ponder_checkpoint
    select ${`chain_${hangingChain}`}, ${hangingChain}, safe_checkpoint, latest_checkpoint, finalized_checkpoint
    from idx._ponder_checkpoint where chain_id = ${healthy.chain_id}`);
  const actions = chainActions(stack.chain);
  const place = async () => {
    const { timestamp } = await actions.reader.getBlock();
    const fundBy = Number(timestamp) + 1000;
    const orders = [await placeOrder(db, hanging, { fundBy }), await placeOrder(db, healthy, { fundBy })];
    await actions.node.setNextBlockTimestamp({ timestamp: BigInt(fundBy) + 1n });
    await actions.node.mine({ blocks: healthy.confirmations + 1 });
    await db.execute(sql`
      update idx._ponder_checkpoint set latest_checkpoint = (
        select latest_checkpoint from idx._ponder_checkpoint where chain_id = ${healthy.chain_id})
      where chain_id = ${hangingChain}`);
    return orders as [OrderRow, OrderRow];
  };
  const stop = new AbortController();
  const signer = readReceiptSigner(config);
  const log = pino({ level: "silent" });
  const parts = { db, config, signer, relayer: null, log, signal: stop.signal };
  const jobs = [hanging, healthy].flatMap((chain) => listChainJobs(chain, parts));
  expect(new Set(jobs.map(({ name }) => name)).size).toBe(jobs.length);
  const ended = runJobs(
    jobs.filter(({ needsRelayer }) => !needsRelayer),
    { db, databaseUrl: stack.env.DATABASE_URL ?? config.databaseDirectUrl, log, signal: stop.signal },
  );
  try {
    const first = await place();
    await expect.poll(() => statusOf(first[1])).toBe("expired");
    // The job of the hanging chain waits for its node now, and the other job goes on.
    expect(open.size).toBeGreaterThan(0);
    const second = await place();
    await expect.poll(() => statusOf(second[1])).toBe("expired");
    expect([await statusOf(first[0]), await statusOf(second[0])]).toEqual(["created", "created"]);
  } finally {
    stop.abort();
    for (const socket of open) socket.destroy();
    node.close();
    await ended;
  }
});
