import { and, asc, eq, gt, gte, inArray, isNull, lte, notExists, type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { type Address, getAddress } from "viem";
import { z } from "zod";
import { escrowAbi } from "../../abis/escrow.ts";
import type { Chain, Config } from "../../config/config.ts";
import { insertEvents, type NewEvent } from "../../db/account-events.ts";
import { escrowEvent, readReadyBlock } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { order, refusedPayout } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { confirmedBlock } from "../../protocol/facts/confirmations.ts";
import { payoutEventData } from "../../protocol/facts/payout-events.ts";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { baseUnitsPattern, lowerAddressPattern } from "../../protocol/settlement/shapes.ts";
import { queueWithdrawal, withdrawalOf } from "../../trade/payments/withdrawals.ts";
import { gasBounds } from "../../trade/relay/gas-bounds.ts";
import { BudgetSpentError } from "../../trade/relay/gas-budget.ts";
import { clientOf } from "../chain-client.ts";

/** Events recorded, payees checked, and payouts marked at once. */
const page = 100;
/** Blocks before the last round's newest block that a round reads again, and milliseconds between two full reads. */
const overlap = 128n;
const fullReadEvery = 3_600_000;

type Settings = Pick<Config, "chains" | "relayerPrivateKey" | "relayGasPerHour">;

/** A payee with a token in which the contract owes to it. One withdrawal pays the sum. */
type Owing = Pick<typeof refusedPayout.$inferSelect, "contract" | "payee" | "token">;

const columns = {
  id: order.id,
  buyerAccountId: order.buyerAccountId,
  providerAccountId: order.providerAccountId,
  providerAddress: order.providerAddress,
  tokenSymbol: order.tokenSymbol,
  tokenDecimals: order.tokenDecimals,
};

const deferred = z.object({
  payee: z.string().regex(lowerAddressPattern),
  token: z.string().regex(lowerAddressPattern),
  amount: z.string().regex(baseUnitsPattern).transform(BigInt),
});

/**
 * Makes the rounds that follow payouts which a token refused. A round records the confirmed refusals of orders and tells
 * each payee. It asks the contract what it still owes, tells of withdrawals, and sends a withdrawal once the token accepts
 * it. Checks of a payee back off, up to a day.
 */
export function createRefusedPayoutRounds(
  db: Database,
  config: Settings,
  { log }: { log: Logger },
): () => Promise<void> {
  const seen = new Map<number, bigint>();
  let lastFullReadAt = 0;
  return async () => {
    const startedAt = Date.now();
    const isFullRead = startedAt - lastFullReadAt >= fullReadEvery;
    for (const chain of config.chains) {
      const head = await readReadyBlock(db, chain.chain_id);
      if (head === undefined) continue;
      const block = confirmedBlock(head, chain);
      const from = isFullRead ? 0n : (seen.get(chain.chain_id) ?? overlap) - overlap;
      await recordRefused(db, chain, { from, to: block });
      seen.set(chain.chain_id, block);
      await followOwed(db, config, chain, block, log);
    }
    if (isFullRead) lastFullReadAt = startedAt;
  };
}

/** Records the refused payouts of orders, with an event for each payee's account. */
async function recordRefused(db: Database, chain: Chain, { from, to }: { from: bigint; to: bigint }) {
  const known = db
    .select({ one: sql`1` })
    .from(refusedPayout)
    .where(eq(refusedPayout.eventId, escrowEvent.id));
  for (;;) {
    const found = await db
      .select({ event: escrowEvent, of: columns })
      .from(escrowEvent)
      .innerJoin(
        order,
        and(
          eq(order.chainId, escrowEvent.chainId),
          eq(order.escrowId, escrowEvent.escrowId),
          eq(order.escrowContract, escrowEvent.contract),
        ),
      )
      .where(
        and(
          eq(escrowEvent.chainId, chain.chain_id),
          gte(escrowEvent.blockNumber, from),
          lte(escrowEvent.blockNumber, to),
          eq(escrowEvent.name, "PayoutDeferred"),
          notExists(known),
        ),
      )
      .orderBy(asc(escrowEvent.blockNumber), asc(escrowEvent.logIndex))
      .limit(page);
    for (const { event, of } of found) {
      const { payee, token, amount } = deferred.parse(event.args);
      const isProvider = payee === of.providerAddress.toLowerCase();
      const payout = {
        eventId: event.id,
        orderId: of.id,
        accountId: isProvider ? of.providerAccountId : of.buyerAccountId,
        ...{ chainId: event.chainId, contract: event.contract },
        ...{ payee: payee as Address, token: token as Address, amount },
        ...{ blockNumber: event.blockNumber, logIndex: event.logIndex },
        refusedAt: new Date(Number(event.timestamp) * 1000),
      };
      await inTransaction(db, async (tx) => {
        const written = await tx
          .insert(refusedPayout)
          .values(payout)
          .onConflictDoNothing()
          .returning({ id: refusedPayout.eventId });
        if (written.length > 0) await insertEvents(tx, [eventOf("payout.refused", payout, of)]);
      });
    }
    if (found.length < page) return;
  }
}

type Payout = Pick<
  typeof refusedPayout.$inferSelect,
  "eventId" | "orderId" | "accountId" | "chainId" | "payee" | "token" | "amount"
>;

function eventOf(
  type: "payout.refused" | "payout.withdrawn",
  { eventId, orderId, accountId, chainId, payee, token, amount }: Payout,
  { tokenSymbol, tokenDecimals }: Pick<typeof order.$inferSelect, "tokenSymbol" | "tokenDecimals">,
): NewEvent {
  return {
    accountId,
    type,
    orderId,
    key: `${type}:${eventId}`,
    data: payoutEventData({
      ...{ order_id: orderId, chain_id: chainId, token: getAddress(token), currency: tokenSymbol },
      ...{ amount: formatAmount(amount, tokenDecimals), amount_base_units: amount.toString() },
      recipient: getAddress(payee),
    }),
  };
}

/** Checks the payees that are due, by one call to the node. */
async function followOwed(
  db: Database,
  config: Settings,
  chain: Chain,
  block: bigint,
  log: Logger,
): Promise<void> {
  const { contract, payee, token } = refusedPayout;
  const due = await db
    .selectDistinct({ contract, payee, token })
    .from(refusedPayout)
    .where(and(isOwedOn(chain), lte(refusedPayout.nextCheckAt, sql`now()`)))
    .limit(page);
  if (due.length === 0) return;
  const owed = await clientOf(chain).multicall({
    contracts: due.map((owing) => ({
      ...{ abi: escrowAbi, address: getAddress(owing.contract), functionName: "owed" as const },
      args: [getAddress(owing.payee), getAddress(owing.token)] as const,
    })),
    ...{ blockNumber: block, allowFailure: false, deployless: true, batchSize: 0 },
  });
  for (const [at, owing] of due.entries()) {
    const amount = owed[at] ?? 0n;
    await markWithdrawn(db, chain, owing, { amount, block });
    if (amount > 0n) await withdraw(db, config, chain, owing, amount, log);
  }
}

const isOwedOn = (chain: Chain) =>
  and(eq(refusedPayout.chainId, chain.chain_id), isNull(refusedPayout.withdrawnAt));
const isOf = (chain: Chain, { contract, payee, token }: Owing) =>
  and(
    isOwedOn(chain),
    ...[eq(refusedPayout.contract, contract), eq(refusedPayout.payee, payee), eq(refusedPayout.token, token)],
  );

/**
 * Marks the payouts that the contract does not owe any more. A withdrawal pays all payouts before it, so the newest ones up
 * to the owed amount remain. A payout whose event the index has dropped is removed.
 */
async function markWithdrawn(
  db: Database,
  chain: Chain,
  owing: Owing,
  { amount, block }: { amount: bigint; block: bigint },
): Promise<void> {
  const isIndexed = (tx: Database | Transaction) =>
    tx.select({ one: sql`1` }).from(escrowEvent).where(eq(escrowEvent.id, refusedPayout.eventId));
  const isOld = and(isOf(chain, owing), lte(refusedPayout.blockNumber, block));
  await db.delete(refusedPayout).where(and(isOld, notExists(isIndexed(db))));
  for (;;) {
    const marked = await inTransaction(db, async (tx) => {
      const paid = await findPaid(tx, isOld, amount);
      if (paid.length === 0) return 0;
      const rows = await tx
        .update(refusedPayout)
        .set({ withdrawnAt: sql`now()` })
        .where(and(inArray(refusedPayout.eventId, paid), isNull(refusedPayout.withdrawnAt)))
        .returning();
      const orders = await tx
        .select(columns)
        .from(order)
        .where(
          inArray(
            order.id,
            rows.map(({ orderId }) => orderId),
          ),
        );
      const byId = new Map(orders.map((each) => [each.id, each]));
      const events = rows.flatMap((row) => {
        const of = byId.get(row.orderId);
        return of ? [eventOf("payout.withdrawn", row, of)] : [];
      });
      await insertEvents(tx, events);
      return paid.length;
    });
    if (marked < page) return;
  }
}

/** Finds payouts beyond the owed amount, counted from the newest. */
async function findPaid(tx: Transaction, condition: SQL | undefined, amount: bigint): Promise<string[]> {
  const { eventId, amount: each, blockNumber, logIndex } = refusedPayout;
  const counted = tx
    .select({
      eventId,
      total: sql<string>`sum(${each}) over (order by ${blockNumber} desc, ${logIndex} desc)`.as("total"),
    })
    .from(refusedPayout)
    .where(condition)
    .as("counted");
  const rows = await tx
    .select({ eventId: counted.eventId })
    .from(counted)
    .where(gt(counted.total, sql`${amount.toString()}::numeric`))
    .limit(page);
  return rows.map((row) => row.eventId);
}

/** Queues the withdrawal of an owed amount if the token accepts it now. Otherwise the next check is later. */
async function withdraw(
  db: Database,
  config: Settings,
  chain: Chain,
  owing: Owing,
  amount: bigint,
  log: Logger,
): Promise<void> {
  const found = await db
    .select({
      payout: refusedPayout,
      tokenDecimals: order.tokenDecimals,
      attempts: sql<number>`max(${refusedPayout.attempts}) over ()`,
      isDue: sql<boolean>`bool_or(${refusedPayout.nextCheckAt} <= now()) over ()`,
    })
    .from(refusedPayout)
    .innerJoin(order, eq(order.id, refusedPayout.orderId))
    .where(isOf(chain, owing))
    .orderBy(sql`${refusedPayout.blockNumber} desc`, sql`${refusedPayout.logIndex} desc`)
    .limit(1);
  const [newest] = found;
  // Another worker may have checked this payee since the round found it.
  if (!newest?.isDue) return;
  const { payout, attempts, tokenDecimals } = newest;
  const about = { chain_id: chain.chain_id, order_id: payout.orderId, token: owing.token };
  const call = withdrawalOf(chain, owing, { amount, tokenDecimals });
  if (call && config.relayerPrivateKey && (await isAccepted(chain, call))) {
    const budget = { gasPerHour: config.relayGasPerHour, gasPerHourOfAll: chain.relay_gas_per_hour };
    try {
      await inTransaction(db, (tx) => queueWithdrawal(tx, payout, call, { attempts, budget }));
      log.info(about, "a refused payout is withdrawn for its payee");
    } catch (error) {
      if (!(error instanceof BudgetSpentError)) throw error;
      log.warn(
        { ...about, retry_after: error.retryAfter },
        "a withdrawal waits for its payee's relay budget",
      );
    }
  }
  await db
    .update(refusedPayout)
    .set({
      attempts: attempts + 1,
      nextCheckAt: sql`now() + least(interval '1 day', interval '1 minute' * power(2, least(${attempts}, 11)))`,
    })
    .where(isOf(chain, owing));
}

/** Whether the token accepts the withdrawal now. A call costs nothing. @throws viem's error if the node does not answer */
async function isAccepted(
  chain: Chain,
  { to, data }: { to: Address; data: `0x${string}` },
): Promise<boolean> {
  try {
    await clientOf(chain).call({ to, data, gas: BigInt(gasBounds.withdrawal) });
    return true;
  } catch (error) {
    if (isContractAnswer(error)) return false;
    throw error;
  }
}
