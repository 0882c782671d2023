import { and, desc, eq, gt, lt, ne, or, type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { erc20Abi, getAddress } from "viem";
import type { Chain, Config } from "../../config.ts";
import { escrow, readIndexedBlocks } from "../../db/chain.ts";
import type { Database } from "../../db/client.ts";
import { escrowOfOrder, type OrderRow, termColumns } from "../../db/ledger.ts";
import { order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type Deposit, findDepositCall, queueDepositCall } from "../../trade/payments/deposits.ts";
import { BudgetSpentError } from "../../trade/relay/budget.ts";
import { clientOf } from "../chain-client.ts";

/** Which deposit addresses a round looks at: of orders just placed, of those that can be funded, of those that ended. */
export type DepositRound = "fresh" | "open" | "ended";

/** Deposit addresses asked for in one call to the node. From some 190 on, the call goes beyond what code it may bring along (EIP-3860). */
const page = 150;
/** Pages of a fresh round: whoever places orders without end makes the others wait for the next round, not for ever. */
const freshPages = 20;
/** Rounds over which the open orders that are not fresh are spread: each of these is looked at once in so many rounds. */
const parts = 4;
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
 * @param options.part the number of a round over a part of the open orders; all of them without it
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
  const above = lowestId(config, round);
  const wanted = and(
    ofRound[round],
    part === undefined ? undefined : or(gt(order.id, lowestId(config, "fresh")), isOfPart(part)),
  );
  let before: string | undefined;
  for (let pages = 0; round !== "fresh" || pages < freshPages; pages += 1) {
    const watched = await readWatched(db, chain, wanted, above, before);
    if (watched.length === 0) return;
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
    if (watched.length < page) return;
    before = watched.at(-1)?.row.id;
  }
}

/**
 * What is below the ids of all orders that a round looks at: ids are ordered by time, so that old orders cost nothing. The
 * time is the first 48 bits of a TypeID, and so, after two bits of zero, its first ten characters.
 */
function lowestId({ windows }: Pick<SweepConfig, "windows">, round: DepositRound): SQL<string> {
  const age = round === "fresh" ? freshFor : watchedFor + windows.fundingSeconds * 1000;
  return sql<string>`(
    select 'ord_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((time >> (5 * place)) & 31)::int, 1), '' order by place desc)
    from (select greatest(0, extract(epoch from now()) * 1000 - ${age})::bigint as time) as since, generate_series(0, 9) as place)`;
}

/** Which orders a round looks at. */
const ofRound: Record<DepositRound, SQL | undefined> = {
  fresh: and(eq(order.status, "created"), eq(order.settlementRail, "x402")),
  open: eq(order.status, "created"),
  ended: ne(order.status, "created"),
};

/** The orders of one round of so many. */
const isOfPart = (part: number): SQL =>
  sql`hashtext(${order.id}) & ${sql.raw(String(parts - 1))} = ${part % parts}`;

/** Whether there are orders for a fresh round. */
export function hasFresh(config: Pick<SweepConfig, "windows">): SQL {
  const isFresh = and(gt(order.id, lowestId(config, "fresh")), ofRound.fresh);
  return sql`(select ${order.id} from ${order} where ${isFresh} order by ${order.id} desc limit 1) is not null`;
}

/** The newest first: the younger an order, the likelier is money on its way. */
async function readWatched(
  db: Database,
  chain: Chain,
  wanted: SQL | undefined,
  above: SQL<string>,
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
        gt(order.id, above),
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
