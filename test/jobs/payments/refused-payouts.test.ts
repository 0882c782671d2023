import { and, eq, like, sql } from "drizzle-orm";
import { pino } from "pino";
import { type Address, encodeFunctionResult, type Hex, multicall3Abi, numberToHex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { event, refusedPayout, relay } from "../../../db/schema.ts";
import { createRefusedPayoutRounds } from "../../../jobs/payments/refused-payouts.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { placeOrder } from "../../harness/flows/x402-order.ts";
import { type PaymentBench, startPaymentBench } from "../../harness/jobs/payments.ts";
import { forwardRequests } from "../../harness/jobs/processes.ts";
import { deployUsdc, type Usdc } from "../../harness/usdc.ts";

// Circle's own token blocks the provider, so that it refuses the provider's payouts.
const log = pino({ level: "silent" });
const amount = 2_500_000n;
let usdc: Usdc;
let chain: TestChain;
let bench: PaymentBench;
let round: () => Promise<void>;
beforeAll(async () => {
  chain = await forkChain({
    async placeToken(rpcUrl) {
      usdc = await deployUsdc(rpcUrl);
      return usdc.address;
    },
  });
  bench = await startPaymentBench({}, chain);
  round = createRefusedPayoutRounds(bench.db, bench.config, { log });
});
afterAll(async () => {
  await bench?.close();
  await chain?.close();
});

/** The answer of a multicall with one result, 0. */
const nothingOwed = encodeFunctionResult({
  abi: multicall3Abi,
  functionName: "aggregate3",
  result: [{ success: true, returnData: numberToHex(0, { size: 32 }) }],
});
const provider = () => bench.market.provider.account.address;

async function placeFunded(): Promise<Answer["body"]> {
  const order = await placeOrder(bench.market, { settlement_rail: "escrow" });
  await bench.fundDirectly(order, await bench.newPatron());
  return bench.reach(order, "funded");
}

async function send({ to, data }: { to: Address; data: Hex }): Promise<void> {
  const { account } = bench.market.buyer;
  await chain.node.setBalance({ address: account.address, value: 10n ** 18n });
  const hash = await chain.wallet(account).sendTransaction({ to, data });
  expect((await chain.publicClient.waitForTransactionReceipt({ hash })).status).toBe("success");
}

async function release(order: Answer["body"]): Promise<void> {
  const { actions } = expectStatus(200, await bench.ask("GET", order, "settlement-options"));
  await send(actions.find(({ action }: { action: string }) => action === "release").call);
  await bench.reach(order, "released");
}

/** Runs rounds at once in which every payout is due, once the index has the newest block and it is confirmed. */
async function runRound(...runs: (() => Promise<void>)[]): Promise<void> {
  await chain.node.mine({ blocks: bench.chain.confirmations });
  const head = await bench.reader.getBlockNumber();
  await bench.workUntil(async () => {
    const { rows } = await bench.db.execute<{ block: string }>(
      "select substr(latest_checkpoint, 27, 16)::bigint as block from idx._ponder_checkpoint",
    );
    return BigInt(rows[0]?.block ?? 0) >= head;
  }, "the index has the newest block");
  await bench.db.update(refusedPayout).set({ nextCheckAt: sql`now()` });
  await Promise.all((runs.length > 0 ? runs : [round]).map((run) => run()));
}

const withdrawals = () => bench.db.select().from(relay).where(like(relay.key, "withdraw:%"));
const eventsOf = async (type: string) =>
  (
    await bench.db
      .select()
      .from(event)
      .where(and(eq(event.accountId, bench.market.provider.accountId), eq(event.type, type)))
  ).map(({ orderId }) => orderId);
const list = async (query = ""): Promise<Answer["body"][]> =>
  expectStatus(
    200,
    await bench.market.api.request("GET", `/balances/payouts${query}`, {
      token: bench.market.provider.token,
    }),
  ).items;

test("a payee is told of a refused payout, and is paid once the token accepts it", async () => {
  const orders = [await placeFunded(), await placeFunded()];
  const ids = orders.map(({ id }) => id);
  const had = await bench.balanceOf(provider());
  await usdc.call("blacklist", provider());
  for (const order of orders) {
    await release(order);
    // Payouts of the same second are listed in any order.
    await chain.node.increaseTime({ seconds: 1 });
  }
  for (const _ of [1, 2]) {
    await runRound();
    expect(await eventsOf("payout.refused")).toEqual(ids);
  }
  expect(await withdrawals()).toEqual([]);
  const [newest] = await list();
  expect(newest).toMatchObject({
    order_id: ids[1],
    status: "owed",
    currency: "USDC",
    amount: "2.500000",
    recipient: provider(),
    service_withdraws: true,
    call: { function: "withdraw", args: { token: usdc.address, payee: provider() } },
  });
  const [buyers] = [bench.market.buyer.token];
  expect(
    expectStatus(200, await bench.market.api.request("GET", "/balances/payouts", { token: buyers })).items,
  ).toEqual([]);
  // Checks of a payee back off.
  const waits = await bench.db.select().from(refusedPayout);
  expect(waits.map(({ attempts }) => attempts)).toEqual([2, 2]);
  for (const { nextCheckAt } of waits) expect(nextCheckAt?.getTime()).toBeGreaterThan(Date.now() + 100_000);

  await usdc.call("unBlacklist", provider());
  // The service leaves sums below the minimum that it pays gas for.
  const small = { ...bench.config, chains: [{ ...bench.chain, min_relay_amount: 2n * amount + 1n }] };
  await runRound(createRefusedPayoutRounds(bench.db, small, { log }));
  const keyless = { ...bench.config, relayerPrivateKey: undefined };
  await runRound(createRefusedPayoutRounds(bench.db, keyless, { log }));
  expect(await withdrawals()).toEqual([]);

  // Rounds of several workers, at once and one after the other, queue one withdrawal.
  await runRound(round, round);
  await runRound();
  const queued = await withdrawals();
  expect(queued).toHaveLength(1);
  expect(queued[0]).toMatchObject({ accountId: bench.market.provider.accountId, status: "queued" });
  await bench.relay();
  expect(await bench.balanceOf(provider())).toBe(had + 2n * amount);
  await runRound();
  expect((await eventsOf("payout.withdrawn")).sort()).toEqual([...ids].sort());
  expect((await list("?status=withdrawn")).map(({ call }) => call)).toEqual([null, null]);
  expect(await list("?status=owed")).toEqual([]);
  await runRound();
  expect(await withdrawals()).toHaveLength(1);
});

test("a withdrawal that anyone sent ends the payouts before it, and leaves later ones owed", async () => {
  const [first, second] = [await placeFunded(), await placeFunded()];
  await usdc.call("blacklist", provider());
  await release(first);
  await runRound();
  const [{ call }] = await list("?status=owed");
  await usdc.call("unBlacklist", provider());
  await send(call);
  await usdc.call("blacklist", provider());
  await release(second);
  await runRound();
  expect((await list("?status=owed")).map(({ order_id }) => order_id)).toEqual([second.id]);
  expect(await eventsOf("payout.withdrawn")).toContain(first.id);
  expect(await eventsOf("payout.withdrawn")).not.toContain(second.id);
  await usdc.call("unBlacklist", provider());
});

/** The status of an order's payout in the payee's list. */
const statusOf = async ({ id }: Answer["body"]) =>
  (await list()).find(({ order_id }) => order_id === id)?.status;

test("a payout that a node called paid once is owed again, and is checked no more once it is paid", async () => {
  const order = await placeFunded();
  await usdc.call("blacklist", provider());
  await release(order);
  await runRound();
  const proxy = await forwardRequests(chain.rpcUrl, {
    treat: ({ method }) => (method === "eth_call" ? { result: nothingOwed } : "forward"),
  });
  const lying = { ...bench.config, chains: [{ ...bench.chain, rpc_url: proxy.url }] };
  await runRound(createRefusedPayoutRounds(bench.db, lying, { log }));
  await proxy.close();
  expect(await statusOf(order)).toBe("withdrawn");
  await runRound();
  expect(await statusOf(order)).toBe("owed");
  const [payout] = (await list("?status=owed")) as [Answer["body"]];
  await usdc.call("unBlacklist", provider());
  await send(payout.call);
  await runRound();
  await runRound();
  expect(await statusOf(order)).toBe("withdrawn");
  const rows = await bench.db.select().from(refusedPayout).where(eq(refusedPayout.orderId, order.id));
  expect(rows).toMatchObject([{ withdrawnAt: expect.any(Date), nextCheckAt: null }]);
});

test("a payee that fails delays no other payee", async () => {
  const order = await placeFunded();
  await usdc.call("blacklist", provider());
  await release(order);
  await runRound();
  await usdc.call("unBlacklist", provider());
  const [good] = await bench.db.select().from(refusedPayout).where(eq(refusedPayout.orderId, order.id));
  // A payee whose contract does not answer, and comes first.
  const failing = {
    ...(good as NonNullable<typeof good>),
    eventId: "failing",
    attempts: 0,
    contract: "0x0000000000000000000000000000000000000001" as Address,
  };
  await bench.db.insert(refusedPayout).values(failing);
  const before = (await withdrawals()).length;
  await runRound();
  expect(await withdrawals()).toHaveLength(before + 1);
  const [row] = await bench.db.select().from(refusedPayout).where(eq(refusedPayout.eventId, "failing"));
  expect(row).toMatchObject({ attempts: 1, withdrawnAt: null });
  await bench.db.delete(refusedPayout).where(eq(refusedPayout.eventId, "failing"));
});
