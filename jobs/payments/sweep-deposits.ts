import { and, desc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { erc20Abi, getAddress } from "viem";
import type { Chain, Config } from "../../config/config.ts";
import { escrow, readIndexedBlocks } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { escrowOfOrder, termColumns } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type Deposit, findDepositCall, queueDepositCall } from "../../trade/payments/deposits.ts";
import { BudgetSpentError } from "../../trade/relay/gas-budget.ts";
import { selectIsParty } from "../../trade/totals/party.ts";
import { clientOf } from "../chain-client.ts";

/** Which deposit addresses a round looks at: of orders just placed, of those that can be funded, of those that ended. */
export type DepositRound = "fresh" | "open" | "ended";

/** Deposit addresses asked for in one call to the node. From some 190 on, the call goes beyond what code it may bring along (EIP-3860). */
const page = 150;
/**
 * Each round reads the newest orders: those younger than `youngFor` milliseconds, and at most `newestPages` pages. One page
 * more is for buyers who have paid before. The others are spread over `parts` rounds, a divisor of the lanes. So a round costs
 * little, however many orders are unpaid.
 */
const newestPages = 2;
/** The number of lanes that ids are hashed into, as in the index of unpaid orders. */
const lanes = 32;
const spread: Record<DepositRound, { youngFor: number; parts: number }> = {
  fresh: { youngFor: 600_000, parts: 32 },
  open: { youngFor: 600_000, parts: 4 },
  ended: { youngFor: 86_400_000, parts: 32 },
};
/** How long an order is fresh, and how long after its funding deadline its deposit address is still looked at: milliseconds. */
const freshFor = 3_600_000;
const watchedFor = 90 * 86_400_000;
/** As much of an order as its deposit is settled by: orders hold large documents too. */
const columns = {
  ...termColumns,
  id: order.id,
  chainId: order.chainId,
  buyerAccountId: order.buyerAccountId,
  escrowContract: order.escrowContract,
  escrowId: order.escrowId,
  depositAddress: order.depositAddress,
};

type Watched = {
  row: Pick<OrderRow, keyof typeof columns>;
  created: boolean;
  /** the database's time before the balances were read */
  lookedAt: string;
};

/** What a sweep needs of the settings. */
type SweepConfig = Pick<Config, "chains" | "relayGasPerHour" | "windows">;

/**
 * Looks for money at deposit addresses and queues what the contract opens to anyone: the escrow's creation where the
 * amount has come, and the way back to the buyer for money that came late, twice or in excess.
 *
 * The gas is the service's, so that somebody who moves money to and fro must not make it spend without end: less than
 * the smallest order whose gas it pays stays where it is, for anyone to return, and the calls are on the budget of the
 * buyer's account.
 *
 * @param options.part the number of a round over a part of the orders; all of them without it
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
      // The other chains' deposits do not wait for this one's node.
      log?.error({ err: error, chain_id: chain.chain_id }, "deposits cannot be looked at at the moment");
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
  const { youngFor, parts } = spread[round];
  const all = idOf(Date.now() - ageOf(config, round));
  const young = part === undefined ? all : idOf(Date.now() - youngFor);
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
  // Orders that nobody pays cost nothing: many of them delay no deposit of a buyer who has paid before.
  if (hasMore) await sweepPage(and(newest, selectIsParty(sql`${order.buyerAccountId}`)), before);
  // The lanes of this part.
  const ofPart = Array.from({ length: lanes / parts }, (_, turn) => (part % parts) + turn * parts);
  const isOfPart = sql`(hashtext(${order.id}) & 31) in (${sql.raw(ofPart.join())})`;
  const others = and(ofRound[round], gt(order.id, all), isOfPart);
  for (let last = before; ; ) {
    last = await sweepPage(others, last);
    if (last === undefined) return;
  }

  /** @returns the id of its last order; undefined where no page follows */
  async function sweepPage(wanted: SQL | undefined, before: string | undefined): Promise<string | undefined> {
    const watched = await readWatched(db, chain, wanted, before);
    if (watched.length === 0) return undefined;
    const balances = await client.multicall({
      contracts: watched.map(({ row }) => ({
        abi: erc20Abi,
        address: getAddress(row.token),
        functionName: "balanceOf" as const,
        args: [getAddress(row.depositAddress)] as const,
      })),
      // One call to the node, and no contract of anybody's has to stand on the chain for it.
      deployless: true,
      batchSize: 0,
    });
    // A token may fail to answer; if none does, it is the node.
    const failed = balances.find(({ status }) => status === "failure");
    if (failed && balances.every(({ status }) => status === "failure")) throw failed.error;
    for (const [index, each] of watched.entries()) {
      const balance = balances[index]?.result;
      if (!balance) continue;
      await settleDeposit(db, config, chain, { ...each, balance }, time, log);
    }
    return watched.length < page ? undefined : watched.at(-1)?.row.id;
  }
}

/** The age of the oldest orders that a round looks at, in milliseconds. */
function ageOf({ windows }: Pick<SweepConfig, "windows">, round: DepositRound): number {
  return round === "fresh" ? freshFor : watchedFor + windows.fundingSeconds * 1000;
}

/**
 * The lower bound of the ids of orders placed since a time. Ids are ordered by time, so a statement skips older orders. The
 * time is the first 48 bits of a TypeID: after two bits of zero, its first ten characters.
 */
function idOf(time: number): string {
  const places = Array.from(
    { length: 10 },
    (_, place) => Math.floor(Math.max(0, time) / 32 ** (9 - place)) % 32,
  );
  return `ord_${places.map((place) => "0123456789abcdefghjkmnpqrstvwxyz"[place]).join("")}`;
}

/** The orders of each round. The values are literals, so that PostgreSQL uses the partial indexes. */
const ofRound: Record<DepositRound, SQL> = {
  fresh: sql`${order.status} = 'created' and ${order.settlementRail} = 'x402'`,
  open: sql`${order.status} = 'created'`,
  ended: sql`${order.status} <> 'created'`,
};

/** Whether the newest order of a fresh round is fresh. */
export const hasFresh: SQL = sql`(
  select ${order.createdAt} from ${order} where ${ofRound.fresh} order by ${order.id} desc limit 1
) > now() - make_interval(secs => ${freshFor / 1000})`;

/** The newest first: the younger an order, the likelier is money on its way. */
async function readWatched(
  db: Database,
  chain: Chain,
  wanted: SQL | undefined,
  before: string | undefined,
): Promise<Watched[]> {
  return db
    .select({
      row: columns,
      created: sql<boolean>`${escrow.escrowId} is not null`,
      lookedAt: sql<string>`clock_timestamp()::text`,
    })
    .from(order)
    .leftJoin(escrow, escrowOfOrder)
    .where(
      and(
        eq(order.chainId, chain.chain_id),
        eq(order.escrowContract, chain.escrow_contract),
        before === undefined ? undefined : lt(order.id, before),
        wanted,
      ),
    )
    .orderBy(desc(order.id))
    .limit(page);
}

async function settleDeposit(
  db: Database,
  { relayGasPerHour }: SweepConfig,
  chain: Chain,
  deposit: Deposit,
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
    log?.warn(
      { ...about, retry_after: error.retryAfter },
      "a deposit waits for its buyer's budget of relays",
    );
    return;
  }
  log?.info(
    about,
    call.function === "returnDeposit"
      ? "a deposit is returned to the buyer"
      : "money is at the deposit address: its escrow is created",
  );
}
