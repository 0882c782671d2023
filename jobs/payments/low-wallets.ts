import type { Logger } from "pino";
import { getAddress } from "viem";
import type { Chain, Config } from "../../config/config.ts";
import { insertEvents } from "../../db/account-events.ts";
import { escrow, readIndexedBlocks } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { and, asc, eq, gt, isNull, lt, ne, notExists, or, sql } from "../../db/drizzle.ts";
import { escrowOfOrder, lockOrder } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order, payment } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { walletEventData } from "../../protocol/facts/account-events.ts";
import { firstIdSince } from "../../protocol/facts/ids.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { balanceCall, readAmounts } from "../../trade/contract-amounts.ts";
import { clientOf } from "../chain-client.ts";

/** Milliseconds from an order's placement to its check. Most payments begin earlier. */
const usualPaidWithin = 60_000;
/** The age in milliseconds of the oldest order that is checked. */
const checkedFor = 3_600_000;
/** Orders that are checked at once, with two balances each, and the most pages of a round. */
const page = 75;
const mostPages = 20;

/** The id up to which this process has checked the orders of each chain. */
type Progress = Map<number, string>;

const columns = {
  id: order.id,
  chainId: order.chainId,
  buyerAccountId: order.buyerAccountId,
  buyerAddress: order.buyerAddress,
  depositAddress: order.depositAddress,
  token: order.token,
  tokenSymbol: order.tokenSymbol,
  tokenDecimals: order.tokenDecimals,
  amount: order.amount,
  fundBy: order.fundBy,
};
type WaitingOrder = Pick<OrderRow, keyof typeof columns>;

/**
 * Returns rounds that warn buyers whose wallet holds less than an order needs. Each order is checked once, a minute after
 * its placement. An account gets one event a day (UTC) for each wallet.
 *
 * A round reads a bounded number of orders, the oldest first. A worker that starts checks the orders of an hour again.
 */
export function createLowWalletRounds(
  db: Database,
  config: Pick<Config, "chains">,
  { log, paidWithin = usualPaidWithin }: { log: Logger; paidWithin?: number },
): () => Promise<void> {
  const progress: Progress = new Map();
  return async () => {
    const clock = await readIndexedBlocks(db);
    for (const chain of config.chains) {
      const block = clock.get(chain.chain_id)?.block;
      if (block === undefined) continue;
      try {
        await checkChain(db, chain, { block, progress, paidWithin });
      } catch (error) {
        log.warn(
          { err: error, chain_id: chain.chain_id },
          "the balances of buyers' wallets could not be read",
        );
      }
    }
  };
}

async function checkChain(
  db: Database,
  chain: Chain,
  { block, progress, paidWithin }: { block: bigint; progress: Progress; paidWithin: number },
): Promise<void> {
  const oldest = firstIdSince("ord", Date.now() - checkedFor);
  const until = firstIdSince("ord", Date.now() - paidWithin);
  for (let pages = 0; pages < mostPages; pages += 1) {
    const last = progress.get(chain.chain_id) ?? oldest;
    const orders = await readWaiting(db, chain, last < oldest ? oldest : last, until);
    const low = Map.groupBy(await findLow(chain, block, orders), ({ row }) => row.buyerAddress);
    for (const [first] of low.values()) if (first) await warn(db, first);
    const isLast = orders.length < page;
    progress.set(chain.chain_id, isLast ? until : (orders.at(-1)?.id ?? until));
    if (isLast) return;
  }
}

/** Reads orders that wait for their payment, the oldest first. An order with a payment in flight does not wait. */
function readWaiting(db: Database, chain: Chain, after: string, until: string): Promise<WaitingOrder[]> {
  const inFlight = db
    .select({ one: sql`1` })
    .from(payment)
    .where(and(eq(payment.orderId, order.id), ne(payment.status, "failed")));
  return db
    .select(columns)
    .from(order)
    .leftJoin(escrow, escrowOfOrder)
    .where(
      and(
        ...[gt(order.id, after), lt(order.id, until), isWaiting],
        eq(order.chainId, chain.chain_id),
        eq(order.escrowContract, chain.escrow_contract),
        isNull(escrow.escrowId),
        notExists(inFlight),
      ),
    )
    .orderBy(asc(order.id))
    .limit(page);
}

/** The condition for orders that a payment may still fund, including orders that wait for an approval. */
const isWaiting = and(
  eq(order.status, "created"),
  or(isNull(order.approvalStatus), ne(order.approvalStatus, "refused")),
);

type LowWallet = { row: WaitingOrder; balance: bigint; needed: bigint };

/**
 * Finds the orders whose wallets hold too little. The balances are those of the indexed block, so a payment that the index
 * does not have yet is still in the wallet. Money that has reached the order's deposit address counts.
 */
async function findLow(chain: Chain, block: bigint, orders: readonly WaitingOrder[]): Promise<LowWallet[]> {
  if (orders.length === 0) return [];
  const balances = await readAmounts(
    clientOf(chain),
    orders.flatMap(({ token, buyerAddress, depositAddress }) => [
      balanceCall(token, buyerAddress),
      balanceCall(token, depositAddress),
    ]),
    { blockNumber: block },
  );
  return orders.flatMap((row, at): LowWallet[] => {
    const [balance, deposited] = [balances[2 * at], balances[2 * at + 1]];
    if (balance?.status !== "fulfilled" || deposited?.status !== "fulfilled") return [];
    const needed = row.amount - deposited.value;
    return balance.value < needed ? [{ row, balance: balance.value, needed }] : [];
  });
}

/** Writes the event of a low wallet, if the order still waits. */
async function warn(db: Database, { row, balance, needed }: LowWallet): Promise<void> {
  const amountOf = (value: bigint) => formatAmount(value, row.tokenDecimals);
  const wallet = getAddress(row.buyerAddress);
  const day = new Date().toISOString().slice(0, 10);
  await inTransaction(db, async (tx) => {
    const locked = await lockOrder(tx, row.id);
    if (locked?.status !== "created") return;
    const { buyerAccountId: accountId, chainId } = locked;
    await insertEvents(tx, [
      {
        accountId,
        type: "wallet.balance_low",
        orderId: row.id,
        key: `wallet_low:${chainId}:${wallet}:${day}`,
        data: walletEventData({
          wallet,
          chain_id: chainId,
          currency: row.tokenSymbol,
          balance: amountOf(balance),
          balance_base_units: balance.toString(),
          order_id: row.id,
          needed: amountOf(needed),
          needed_base_units: needed.toString(),
          pay_by: new Date(row.fundBy * 1000).toISOString(),
        }),
      },
    ]);
  });
}
