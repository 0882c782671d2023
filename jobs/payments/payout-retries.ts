import type { Logger } from "pino";
import type { Address } from "viem";
import type { Chain, Config } from "../../config/config.ts";
import { insertEvents } from "../../db/account-events.ts";
import { escrowEvent } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, inArray, isNotNull, isNull, lte, notExists, type SQL, sql } from "../../db/drizzle.ts";
import { order, refusedPayout } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { owedCall, readAmounts } from "../../trade/contract-amounts.ts";
import { queueWithdrawal, withdrawalOf } from "../../trade/payments/withdrawals.ts";
import { gasBounds } from "../../trade/relay/gas-bounds.ts";
import { BudgetSpentError } from "../../trade/relay/gas-budget.ts";
import { clientOf } from "../chain-client.ts";
import { payoutColumns, payoutEventOf } from "./payout-event.ts";

/** Payees checked, and payouts marked at once. */
const page = 100;
/** The time after which a withdrawn payout is checked once more. */
const checkAgainAfter = sql`interval '10 minutes'`;

export type OwedSettings = Pick<Config, "relayerPrivateKey" | "relayGasPerHour">;

/** A payee with a token in which the contract owes to it. One withdrawal pays the sum. */
type Owing = Pick<typeof refusedPayout.$inferSelect, "contract" | "payee" | "token">;

/** Checks the payees that are due, by one call to the node for each contract. A payee that fails delays no other. */
export async function followOwed(
  db: Database,
  config: OwedSettings,
  chain: Chain,
  block: bigint,
  log: Logger,
): Promise<void> {
  const { contract, payee, token, chainId, nextCheckAt } = refusedPayout;
  const due = await db
    .selectDistinct({ contract, payee, token })
    .from(refusedPayout)
    .where(and(eq(chainId, chain.chain_id), lte(nextCheckAt, sql`now()`)))
    .limit(page);
  if (due.length === 0) return;
  const owed = await readAmounts(
    clientOf(chain),
    due.map((owing) => owedCall(owing.contract, owing)),
    { blockNumber: block },
  );
  for (const [at, owing] of due.entries()) {
    try {
      const answer = owed[at];
      if (answer?.status !== "fulfilled") throw answer?.reason;
      const amount = answer.value;
      await reopen(db, chain, owing, { amount, block }, log);
      await markWithdrawn(db, chain, owing, { amount, block });
      if (amount > 0n) await withdraw(db, config, chain, owing, amount, log);
    } catch (error) {
      const about = { chain_id: chain.chain_id, payee: owing.payee, token: owing.token };
      log.error({ err: error, ...about }, "a payee's refused payouts could not be checked");
      await checkLater(db, chain, owing);
    }
  }
}

const isOn = (chain: Chain, { contract, payee, token }: Owing) =>
  and(
    ...[eq(refusedPayout.chainId, chain.chain_id), eq(refusedPayout.contract, contract)],
    ...[eq(refusedPayout.payee, payee), eq(refusedPayout.token, token)],
  );
/** The payouts that are owed to a payee. */
const isOf = (chain: Chain, owing: Owing) => and(isOn(chain, owing), isNull(refusedPayout.withdrawnAt));

/** Makes the next check of a payee later, after each check twice as late. */
async function checkLater(db: Database, chain: Chain, owing: Owing): Promise<void> {
  const { attempts } = refusedPayout;
  await db
    .update(refusedPayout)
    .set({
      attempts: sql`${attempts} + 1`,
      nextCheckAt: sql`now() + least(interval '1 day', interval '1 minute' * power(2, least(${attempts}, 11)))`,
    })
    .where(isOf(chain, owing));
}

/**
 * Checks withdrawn payouts once more, because a node may answer wrongly, and a chain may drop the withdrawal. Those that the
 * contract owes are owed again. The others are not checked any more.
 */
async function reopen(
  db: Database,
  chain: Chain,
  owing: Owing,
  { amount, block }: { amount: bigint; block: bigint },
  log: Logger,
): Promise<void> {
  const { eventId, nextCheckAt, withdrawnAt, blockNumber } = refusedPayout;
  const isRecent = and(isOn(chain, owing), isNotNull(nextCheckAt), lte(blockNumber, block));
  await inTransaction(db, async (tx) => {
    const recent = await countFromNewest(tx, isRecent);
    const isStillOwed = (total: string) => BigInt(total) <= amount;
    const wrong = recent.filter(({ total, isWithdrawn }) => isWithdrawn && isStillOwed(total));
    const ids = wrong.map((row) => row.eventId);
    if (ids.length > 0) {
      await tx
        .update(refusedPayout)
        .set({ withdrawnAt: null, nextCheckAt: sql`now()` })
        .where(inArray(eventId, ids));
      const about = { chain_id: chain.chain_id, payee: owing.payee, token: owing.token };
      log.warn({ ...about, payouts: ids.length }, "payouts that were withdrawn are owed again");
    }
    const isDue = lte(nextCheckAt, sql`now()`);
    await tx
      .update(refusedPayout)
      .set({ nextCheckAt: null })
      .where(and(isRecent, isNotNull(withdrawnAt), isDue));
  });
}

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
        .set({ withdrawnAt: sql`now()`, nextCheckAt: sql`now() + ${checkAgainAfter}` })
        .where(and(inArray(refusedPayout.eventId, paid), isNull(refusedPayout.withdrawnAt)))
        .returning();
      const orders = await tx
        .select(payoutColumns)
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
        return of ? [payoutEventOf("payout.withdrawn", row, of)] : [];
      });
      await insertEvents(tx, events);
      return paid.length;
    });
    if (marked < page) return;
  }
}

/** Finds payouts beyond the owed amount, counted from the newest. */
async function findPaid(tx: Transaction, condition: SQL | undefined, amount: bigint): Promise<string[]> {
  const counted = await countFromNewest(tx, condition);
  return counted
    .filter(({ total }) => BigInt(total) > amount)
    .map(({ eventId }) => eventId)
    .slice(0, page);
}

/** Sums a payee's payouts, each with all newer ones. */
function countFromNewest(tx: Transaction, condition: SQL | undefined) {
  const { eventId, amount, blockNumber, logIndex, withdrawnAt } = refusedPayout;
  return tx
    .select({
      eventId,
      isWithdrawn: sql<boolean>`${withdrawnAt} is not null`,
      total: sql<string>`sum(${amount}) over (order by ${blockNumber} desc, ${logIndex} desc)`,
    })
    .from(refusedPayout)
    .where(condition);
}

/** Queues the withdrawal of an owed amount if the token accepts it now. Otherwise the next check is later. */
async function withdraw(
  db: Database,
  config: OwedSettings,
  chain: Chain,
  owing: Owing,
  amount: bigint,
  log: Logger,
): Promise<void> {
  const found = await db
    .select({ payout: refusedPayout, tokenDecimals: order.tokenDecimals })
    .from(refusedPayout)
    .innerJoin(order, eq(order.id, refusedPayout.orderId))
    .where(isOf(chain, owing))
    .orderBy(sql`${refusedPayout.blockNumber} desc`, sql`${refusedPayout.logIndex} desc`)
    .limit(1);
  const [newest] = found;
  if (!newest) return;
  const { payout, tokenDecimals } = newest;
  const about = { chain_id: chain.chain_id, order_id: payout.orderId, token: owing.token };
  const call = withdrawalOf(chain, owing, { amount, tokenDecimals });
  if (call && config.relayerPrivateKey && (await isAccepted(chain, call))) {
    const budget = { gasPerHour: config.relayGasPerHour, gasPerHourOfAll: chain.relay_gas_per_hour };
    try {
      await inTransaction(db, (tx) => queueWithdrawal(tx, payout, call, budget));
      log.info(about, "a refused payout is withdrawn for its payee");
    } catch (error) {
      if (!(error instanceof BudgetSpentError)) throw error;
      log.warn(
        { ...about, retry_after: error.retryAfter },
        "a withdrawal waits for its payee's relay budget",
      );
    }
  }
  await checkLater(db, chain, owing);
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
