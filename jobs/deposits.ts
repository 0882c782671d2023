import { and, asc, eq, gt, like, ne, type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { createPublicClient, erc20Abi, getAddress, http } from "viem";
import type { Chain, Config } from "../config.ts";
import { escrow, readIndexedBlocks } from "../db/chain.ts";
import type { Database } from "../db/client.ts";
import { lockOrder, type OrderRow } from "../db/ledger.ts";
import { readStandingPayment } from "../db/payments.ts";
import { queueRelay } from "../db/relays.ts";
import { order, relay } from "../db/schema.ts";
import { createEscrowFromDepositCall, returnDepositCall } from "../settlement/calls.ts";
import { termsOf } from "../settlement/terms.ts";

/** Which deposit addresses a round looks at: the younger an order, the likelier is money on its way. */
export type DepositRound = "fresh" | "open" | "ended";

/** Deposit addresses asked for in one call to the node. */
const page = 400;
/** How long after an order's funding deadline its deposit address is still looked at, in days. */
const watchedDays = 90;
/** How long a call that failed rests before it is tried again. */
const rest = sql`interval '10 minutes'`;

type Watched = { row: OrderRow; created: boolean };

/**
 * Looks for money at deposit addresses and queues what the contract opens to anyone: the escrow's creation where the
 * amount has come, and the way back to the buyer for money that came late, twice or in excess. Less than the smallest
 * order whose gas the service pays stays where it is, for anyone to return.
 */
export async function sweepDeposits(
  db: Database,
  config: Pick<Config, "chains">,
  round: DepositRound,
  { log }: { log?: Logger } = {},
): Promise<void> {
  const clock = await readIndexedBlocks(db);
  for (const chain of config.chains) {
    const time = clock.get(chain.chain_id)?.timestamp;
    if (time === undefined) continue;
    const client = createPublicClient({ transport: http(chain.rpc_url) });
    for (let after = ""; ; ) {
      const watched = await readWatched(db, chain, round, time, after);
      const last = watched.at(-1);
      if (!last) break;
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
      for (const [index, { row, created }] of watched.entries()) {
        const balance = balances[index]?.result;
        if (!balance) continue;
        await settleDeposit(db, chain, { row, created }, balance, time, log);
      }
      after = last.row.id;
    }
  }
}

async function readWatched(
  db: Database,
  chain: Chain,
  round: DepositRound,
  time: bigint,
  after: string,
): Promise<Watched[]> {
  const now = Number(time);
  const young = sql`${order.createdAt} > now() - interval '1 hour'`;
  const which: Record<DepositRound, SQL | undefined> = {
    fresh: and(eq(order.status, "created"), eq(order.settlementRail, "x402"), young),
    open: eq(order.status, "created"),
    ended: ne(order.status, "created"),
  };
  const rows = await db
    .select({ row: order, escrowId: escrow.escrowId })
    .from(order)
    .leftJoin(
      escrow,
      and(
        eq(escrow.chainId, order.chainId),
        eq(escrow.escrowId, order.escrowId),
        eq(escrow.contract, order.escrowContract),
      ),
    )
    .where(
      and(
        eq(order.chainId, chain.chain_id),
        eq(order.escrowContract, chain.escrow_contract),
        gt(order.id, after),
        gt(order.fundBy, now - watchedDays * 86_400),
        which[round],
      ),
    )
    .orderBy(asc(order.id))
    .limit(page);
  return rows.map(({ row, escrowId }) => ({ row, created: escrowId !== null }));
}

async function settleDeposit(
  db: Database,
  chain: Chain,
  { row, created }: Watched,
  balance: bigint,
  time: bigint,
  log?: Logger,
): Promise<void> {
  const inTime = time <= BigInt(row.fundBy);
  const creates = !created && inTime && balance >= row.amount;
  const returns = created || !inTime;
  if (!creates && !returns) return;
  if (balance < chain.min_relay_amount) return;
  const place = { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) };
  const call = creates ? createEscrowFromDepositCall(place) : returnDepositCall(place);
  const queued = await db.transaction(async (tx) => {
    await lockOrder(tx, row.id);
    const standing = creates ? await readStandingPayment(tx, row.id) : null;
    // A payment on its way uses what is there.
    if (standing && standing.relay?.status !== "failed") return false;
    const prefix = `${row.escrowId}:${call.function}:`;
    const earlier = await tx
      .select({ status: relay.status, resting: sql<boolean>`${relay.updatedAt} > now() - ${rest}` })
      .from(relay)
      .where(and(eq(relay.orderId, row.id), like(relay.intent, `${prefix}%`)));
    if (earlier.some(({ status }) => status === "queued" || status === "signed")) return false;
    if (earlier.some(({ status, resting }) => resting && status === "failed")) return false;
    await queueRelay(tx, {
      // One that failed is tried again under its own number.
      intent: `${prefix}${earlier.filter(({ status }) => status === "mined").length + 1}`,
      chainId: row.chainId,
      orderId: row.id,
      to: call.to,
      data: call.data,
    });
    return true;
  });
  if (queued) {
    log?.info(
      { order_id: row.id, balance: balance.toString() },
      creates
        ? "money is at the deposit address: its escrow is created"
        : "a deposit is returned to the buyer",
    );
  }
}
