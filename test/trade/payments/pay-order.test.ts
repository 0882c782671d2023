import { eq, inArray, sql } from "drizzle-orm";
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { order, relay } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { readOwnOrder } from "../../../trade/orders/order-access.ts";
import {
  beginPayment,
  findCurrentPayment,
  payOrder,
  readOpenRequirements,
  readOwnToPay,
  requireUnfunded,
  requireX402,
} from "../../../trade/payments/pay-order.ts";
import { acceptPayment, composePayment } from "../../../trade/payments/payments.ts";
import { gasBounds } from "../../../trade/relay/gas-bounds.ts";
import { queuePartyRelay } from "../../../trade/relay/party-relay.ts";
import { buyer as knownBuyer, randomHash } from "../../harness/jobs/ledger.ts";
import { createOrders, type Orders, outsider } from "../../harness/market/orders.ts";

let trade: Orders;
beforeAll(async () => {
  trade = await createOrders();
});
afterAll(() => trade.close());

/** An order of the x402 rail. */
async function placeX402() {
  const placed = await trade.place();
  await trade.db.update(order).set({ settlementRail: "x402" }).where(eq(order.id, placed.row.id));
  return placed;
}

/** An authorization without a signature. */
function unsigned(to: `0x${string}`) {
  const signature = `0x${"5a".repeat(64)}1b` as const;
  const authorization = {
    from: knownBuyer.address,
    to,
    value: "2500000",
    validAfter: "0",
    validBefore: "4000000000",
    nonce: randomHash(),
  };
  return { signed: { signature, authorization }, accepted: null };
}

test("an x402 order is paid by its buyer while it is unfunded", async () => {
  const escrowOrder = await trade.place();
  const { row, buyer, provider } = await placeX402();
  const { db, context } = trade;
  await expect(readOwnToPay(db, outsider, row.id)).rejects.toMatchObject({ code: "not_found" });
  await expect(readOwnToPay(db, provider, row.id)).rejects.toMatchObject({ code: "invalid_state" });
  const direct = await readOwnToPay(db, escrowOrder.buyer, escrowOrder.row.id);
  expect(() => requireX402(direct.row)).toThrow("rail is escrow");
  const own = await readOwnToPay(db, buyer, row.id);
  expect(await readOpenRequirements(context, buyer, own)).toContainEqual(
    expect.objectContaining({ scheme: "exact", amount: row.amount.toString() }),
  );
  const funded = await trade.reach("funded");
  const ownFunded = await readOwnOrder(db, funded.buyer, funded.row.id);
  await expect(requireUnfunded(db, funded.buyer, ownFunded, "is paid")).rejects.toMatchObject({
    code: "invalid_state",
    message: "The order is funded; only an unfunded order is paid.",
  });
});

test("a bad payment is refused with its reason, and stores nothing", async () => {
  const { row, buyer } = await placeX402();
  const { db, context } = trade;
  const own = await readOwnToPay(db, buyer, row.id);
  const requirements = await readOpenRequirements(context, buyer, own);
  await expect(
    payOrder(context, buyer, own, requirements, unsigned(row.depositAddress)),
  ).rejects.toMatchObject({ code: "payment_required", reason: "invalid_exact_evm_signature" });
  const otherAsset = {
    scheme: "exact",
    network: "eip155:31337",
    amount: "1",
    asset: row.token,
    payTo: row.token,
  };
  await expect(
    payOrder(context, buyer, own, requirements, { ...unsigned(row.depositAddress), accepted: otherAsset }),
  ).rejects.toMatchObject({ code: "payment_required", details: [{ path: "/accepted/payTo" }] });
  expect(await findCurrentPayment(db, row.id, null)).toBeNull();
});

test("only the same payment is accepted beside an accepted one", async () => {
  const { row, buyer } = await placeX402();
  const { signed } = unsigned(row.depositAddress);
  const { from: payer, nonce } = signed.authorization;
  const calls = [{ to: row.escrowContract, data: "0x" as const, gasBound: 600_000 }];
  const { id } = await inTransaction(trade.db, (tx) =>
    acceptPayment(tx, composePayment(row, buyer, { method: "eip3009", payer, nonce }, calls, null)),
  );
  expect((await findCurrentPayment(trade.db, row.id, signed))?.payment.id).toBe(id);
  await expect(
    findCurrentPayment(trade.db, row.id, unsigned(row.depositAddress).signed),
  ).rejects.toMatchObject({ code: "conflict" });
});

test("a call of a party is relayed once, within the account's gas, for an order that is large enough", async () => {
  const { row, buyer } = await trade.place();
  const call = {
    key: randomHash(),
    to: row.escrowContract,
    data: "0x" as const,
    gasBound: 400_000,
    signer: row.buyerAddress,
  };
  const { chain, config } = trade.context;
  const bounded = { ...trade.context, config: { ...config, relayGasPerHour: call.gasBound } };
  const queue = (key: Hex, context = bounded) =>
    inTransaction(trade.db, (tx) => queuePartyRelay(context, tx, buyer, row, { ...call, key }));
  const first = await queue(call.key);
  expect((await queue(call.key)).id).toBe(first.id);
  await expect(queue(randomHash())).rejects.toMatchObject({
    code: "rate_limited",
    retryAfter: expect.any(Number),
  });
  const served = chain(row.chainId);
  if (!served) throw new Error("The order's chain is not served.");
  const dear = { ...served, chain: { ...served.chain, min_relay_amount: row.amount + 1n } };
  await expect(queue(randomHash(), { ...bounded, chain: () => dear })).rejects.toMatchObject({
    code: "invalid_state",
  });
});

test("payments beyond the account's gas are refused whole, also when they race, and store nothing", async () => {
  const { db, context } = trade;
  const placed = await Promise.all(Array.from({ length: 6 }, placeX402));
  const caller = placed[0]?.buyer;
  if (!caller) throw new Error("No order was placed.");
  const [payer, accountId] = [knownBuyer.address, caller.accountId];
  const { rows } = await db.execute<{ used: number }>(
    sql`select used from earnest.lock_relay_gas(${accountId}::text, 31337, 1000000000, false)`,
  );
  const gasPerHour = (rows[0]?.used ?? 0) + 2 * gasBounds.payment;
  const bounded = { ...context, config: { ...context.config, relayGasPerHour: gasPerHour } };
  const outcomes = await Promise.allSettled(
    placed.map(({ row }) =>
      inTransaction(db, async (tx) => {
        const calls = [{ to: row.escrowContract, data: "0x" as const, gasBound: gasBounds.payment }];
        const identity = { method: "eip3009", payer, nonce: randomHash() } as const;
        const payment = composePayment(row, { accountId }, identity, calls);
        return beginPayment(bounded, tx, caller, row, payment);
      }),
    ),
  );
  const refused = outcomes.filter((one) => one.status === "rejected");
  expect(refused).toHaveLength(4);
  for (const { reason } of refused) expect(reason).toMatchObject({ code: "rate_limited", retryAfter: 30 });
  const stored = await Promise.all(placed.map(({ row }) => findCurrentPayment(db, row.id, null)));
  expect(stored.filter((one) => one !== null).map(({ relay }) => relay?.status)).toEqual([
    "queued",
    "queued",
  ]);
  const ids = placed.map(({ row }) => row.id);
  expect(await db.select().from(relay).where(inArray(relay.orderId, ids))).toHaveLength(2);
});
