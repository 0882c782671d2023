import type { Logger } from "pino";
import type { Address } from "viem";
import type { Chain, Config } from "../../config/config.ts";
import { escrow, readIndexedBlocks } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { and, desc, eq, gt, lt, type SQL, sql } from "../../db/drizzle.ts";
import { escrowOfOrder, termColumns } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { firstIdSince } from "../../protocol/facts/ids.ts";
import { balanceCall, mostReads, readAmounts } from "../../trade/contract-amounts.ts";
import { selectIsParty } from "../../trade/fair-shares/funded-party.ts";
import { type DepositMoney, findDepositCall, queueDepositCall } from "../../trade/payments/deposit-call.ts";
import { BudgetSpentError } from "../../trade/relay/gas-budget.ts";
import { clientOf } from "../chain-client.ts";

/** The orders whose deposit addresses a round checks: new ones, those that can be funded, or those that ended. */
export type DepositRound = "fresh" | "open" | "ended";

/** Deposit addresses that are checked at once: one call to the node for each token. */
const page = mostReads;
/**
 * Each round reads the newest orders: those younger than `youngFor` milliseconds, and at most `newestPages` pages. One
 * more page has only orders of accounts that were a party of a funded order. The older orders are divided into `parts`
 * groups, of which each round reads one; `parts` divides `lanes`. So a round costs little, however many orders are unpaid.
 */
const newestPages = 2;
/** The number of lanes that ids are hashed into, as in the index of unpaid orders. */
const lanes = 32;
const spread: Record<DepositRound, { youngFor: number; parts: number }> = {
  fresh: { youngFor: 600_000, parts: 32 },
  open: { youngFor: 600_000, parts: 4 },
  ended: { youngFor: 86_400_000, parts: 32 },
};
/**
 * Milliseconds for which an order is fresh, and for which its deposit address is checked after its funding deadline.
 */
const freshFor = 3_600_000;
const checkedFor = 90 * 86_400_000;
/** The columns of an order that settle its deposit. Other columns hold large documents. */
const columns = {
  ...termColumns,
  id: order.id,
  chainId: order.chainId,
  buyerAccountId: order.buyerAccountId,
  escrowContract: order.escrowContract,
  escrowId: order.escrowId,
  depositAddress: order.depositAddress,
  tokenDecimals: order.tokenDecimals,
};

type CheckedOrder = {
  row: Pick<OrderRow, keyof typeof columns>;
  isEscrowCreated: boolean;
  /** the database's time before the balances were read */
  lookedAt: string;
};

/** The settings of a sweep. */
type SweepConfig = Pick<Config, "chains" | "relayGasPerHour" | "windows">;

/**
 * Finds money at deposit addresses, and queues the calls that move it. The contract lets anyone send these calls. If the
 * amount has arrived, the call creates the escrow. Money that arrived late, twice or in excess goes back to the buyer.
 *
 * The service pays the gas, so moving money back and forth must not drain it. An amount below the smallest order whose
 * gas is paid stays where it is, for anyone to return. The calls count against the budget of the buyer's account.
 *
 * @param options.part the number of a round over a part of the orders; all orders without it
 */
export async function sweepDeposits(
  db: Database,
  config: SweepConfig,
  round: DepositRound,
  { log, part }: { log?: Logger; part?: number } = {},
): Promise<void> {
  const clock = await readIndexedBlocks(db);
  for (const chain of config.chains) {
    const time = clock.get(chain.chain_id)?.timestamp;
    if (time === undefined) continue;
    try {
      await sweepChain(db, config, chain, { round, part }, time, log);
    } catch (error) {
      // A failing node does not hold up the deposits of other chains.
      log?.error({ err: error, chain_id: chain.chain_id }, "a chain's deposits could not be checked");
    }
  }
}

async function sweepChain(
  db: Database,
  config: SweepConfig,
  chain: Chain,
  { round, part }: { round: DepositRound; part: number | undefined },
  time: bigint,
  log?: Logger,
): Promise<void> {
  const client = clientOf(chain);
  /** the tokens that did not answer in this round */
  const failed = new Set<Address>();
  const { youngFor, parts } = spread[round];
  const all = firstIdSince("ord", Date.now() - ageOf(config, round));
  const young = part === undefined ? all : firstIdSince("ord", Date.now() - youngFor);
  const newest = and(ofRound[round], gt(order.id, young));
  let before: string | undefined;
  let pages = 0;
  let hasMore: boolean;
  do {
    const last = await sweepPage(newest, before);
    before = last ?? before;
    hasMore = last !== undefined;
    pages += 1;
  } while (hasMore && (part === undefined || pages < newestPages));
  if (part === undefined) return;
  // Unpaid orders cost nothing, so many of them must not delay the deposit of a buyer who has paid earlier.
  if (hasMore) await sweepPage(and(newest, selectIsParty(sql`${order.buyerAccountId}`)), before);
  // The lanes of this part.
  const ofPart = Array.from({ length: lanes / parts }, (_, turn) => (part % parts) + turn * parts);
  const isOfPart = sql`(hashtext(${order.id}) & 31) in (${sql.raw(ofPart.join())})`;
  const others = and(ofRound[round], gt(order.id, all), isOfPart);
  for (let last = before; ; ) {
    last = await sweepPage(others, last);
    if (last === undefined) return;
  }

  /** @returns the id of the page's last order; undefined if no page follows */
  async function sweepPage(
    condition: SQL | undefined,
    before: string | undefined,
  ): Promise<string | undefined> {
    const orders = await readOrders(db, chain, condition, before);
    if (orders.length === 0) return undefined;
    const asked = orders.filter(({ row }) => !failed.has(row.token));
    const balances = await readAmounts(
      client,
      asked.map(({ row }) => balanceCall(row.token, row.depositAddress)),
    );
    for (const [index, each] of asked.entries()) {
      const balance = balances[index];
      if (balance?.status === "rejected") reportFailed(each.row.token, balance.reason);
      else if (balance?.value)
        await settleDeposit(db, config, chain, { ...each, balance: balance.value }, time, log);
    }
    return orders.length < page ? undefined : orders.at(-1)?.row.id;
  }

  /** Leaves a token that does not answer out of the rest of the round. */
  function reportFailed(token: Address, error: unknown): void {
    if (failed.has(token)) return;
    failed.add(token);
    log?.warn(
      { err: error, chain_id: chain.chain_id, token },
      "the deposits of a token could not be checked",
    );
  }
}

/** Returns the age of the oldest orders that a round checks, in milliseconds. */
function ageOf({ windows }: Pick<SweepConfig, "windows">, round: DepositRound): number {
  return round === "fresh" ? freshFor : checkedFor + windows.fundingSeconds * 1000;
}

/** The condition for the orders of each round. Its values are literals, so that PostgreSQL uses the partial indexes. */
const ofRound: Record<DepositRound, SQL> = {
  fresh: sql`${order.status} = 'created' and ${order.settlementRail} = 'x402'`,
  open: sql`${order.status} = 'created'`,
  ended: sql`${order.status} <> 'created'`,
};

/** Whether the newest order of a fresh round is fresh. */
export const hasFresh: SQL = sql`(
  select ${order.createdAt} from ${order} where ${ofRound.fresh} order by ${order.id} desc limit 1
) > now() - make_interval(secs => ${freshFor / 1000})`;

/** Reads orders, newest first: the younger an order, the likelier is money in flight. */
async function readOrders(
  db: Database,
  chain: Chain,
  condition: SQL | undefined,
  before: string | undefined,
): Promise<CheckedOrder[]> {
  return db
    .select({
      row: columns,
      isEscrowCreated: sql<boolean>`${escrow.escrowId} is not null`,
      lookedAt: sql<string>`clock_timestamp()::text`,
    })
    .from(order)
    .leftJoin(escrow, escrowOfOrder)
    .where(
      and(
        eq(order.chainId, chain.chain_id),
        eq(order.escrowContract, chain.escrow_contract),
        before === undefined ? undefined : lt(order.id, before),
        condition,
      ),
    )
    .orderBy(desc(order.id))
    .limit(page);
}

async function settleDeposit(
  db: Database,
  { relayGasPerHour }: SweepConfig,
  chain: Chain,
  deposit: DepositMoney,
  time: bigint,
  log?: Logger,
): Promise<void> {
  const call = findDepositCall(chain, deposit, time);
  if (!call) return;
  const about = { order_id: deposit.row.id, balance: deposit.balance.toString() };
  const budget = { gasPerHour: relayGasPerHour, gasPerHourOfAll: chain.relay_gas_per_hour };
  try {
    if (!(await inTransaction(db, (tx) => queueDepositCall(tx, deposit, call, budget)))) return;
  } catch (error) {
    if (!(error instanceof BudgetSpentError)) throw error;
    log?.warn({ ...about, retry_after: error.retryAfter }, "a deposit waits for its buyer's relay budget");
    return;
  }
  log?.info(
    about,
    call.function === "returnDeposit"
      ? "a deposit is returned to the buyer"
      : "a deposit arrived: its escrow is created",
  );
}
