import type { Logger } from "pino";
import { type Address, getAddress } from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import type { Chain, Config } from "../../config/config.ts";
import { readIndexedBlocks } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, asc, eq, gt, inArray, or, type SQL, sql } from "../../db/drizzle.ts";
import { lockOrder } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { fact, order, payment, relay } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isNodeUnreachable } from "../../trade/node-breaker.ts";
import { isAuthorizationUsed } from "../../trade/payments/authorization.ts";
import { readDepositBalance } from "../../trade/payments/deposit-call.ts";
import { type PaymentRow, relayedCall, relayOfPayment } from "../../trade/payments/payments.ts";
import { queueRelay, type RelayRow, relayChannel } from "../../trade/relay/relay-queue.ts";
import { clientOf } from "../chain-client.ts";
import { createPause } from "../loop.ts";

/** The columns of an order that its payments need. Other columns hold large documents. */
const orderColumns = {
  id: order.id,
  chainId: order.chainId,
  escrowContract: order.escrowContract,
  escrowId: order.escrowId,
  token: order.token,
  amount: order.amount,
  fundBy: order.fundBy,
  depositAddress: order.depositAddress,
  fundedAt: order.fundedAt,
};

type OpenPayment = {
  payment: PaymentRow;
  relay: Pick<RelayRow, "status" | "error">;
  order: Pick<OrderRow, keyof typeof orderColumns>;
  payer: string | null;
  /** whether the rows of payment and relay have not changed for `stalledAfter` */
  isStalled: boolean;
};

/** Milliseconds between two rounds while a payment is in flight. */
const againAfter = 500;
/** Payments read at once. */
const page = 200;
/** How long the chain may take to show an escrow after its transaction was mined. */
const stalledAfter = sql`interval '10 minutes'`;

/**
 * Moves payments forward: queues the next call once the last one has ended, and records the outcome. All decisions
 * follow from stored rows and the chain. So the job may be killed at any instant, and several may run at once.
 */
export async function followPayments(
  db: Database,
  config: Pick<Config, "chains">,
  { log }: { log?: Logger } = {},
): Promise<void> {
  let clock: Awaited<ReturnType<typeof readIndexedBlocks>> | undefined;
  const unreachable = new Set<number>();
  for (let after = ""; ; ) {
    const progressed = await readProgressed(db, config, after);
    if (progressed.length > 0) clock ??= await readIndexedBlocks(db);
    for (const each of progressed) {
      const chain = config.chains.find(({ chain_id }) => chain_id === each.order.chainId);
      if (!chain || unreachable.has(chain.chain_id)) continue;
      const time = clock?.get(chain.chain_id)?.timestamp ?? 0n;
      try {
        await followPayment(db, each, chain, time, log);
      } catch (error) {
        // A node that is down must not delay the payments of other chains.
        if (isNodeUnreachable(error)) unreachable.add(chain.chain_id);
        log?.error({ err: error, payment_id: each.payment.id }, "a payment could not be followed");
      }
    }
    const last = progressed.at(-1);
    if (!last || progressed.length < page) return;
    after = last.payment.id;
  }
}

/** Whether a payment is in flight. */
const hasOpen: SQL<boolean> = sql`(
  select min(${payment.createdAt}) from ${payment} where ${payment.status} in ('accepted', 'submitted')) is not null`;

/** Makes the payments job. Rounds repeat while a payment is in flight; otherwise a notification wakes the job. */
export function createPaymentRounds(db: Database, config: Pick<Config, "chains">, options: { log: Logger }) {
  const pause = createPause();
  async function run(): Promise<void> {
    await followPayments(db, config, options);
    const { rows } = await db.execute<{ has_open: boolean }>(sql`select ${hasOpen} as has_open`);
    if (rows[0]?.has_open) setTimeout(pause.cutShort, againAfter).unref();
  }
  // A payment's call is queued with the payment.
  return { run, pause, due: hasOpen, wokenBy: relayChannel };
}

/** Reads payments whose call has progressed beyond the payment's status. */
function readProgressed(
  db: Database,
  { chains }: Pick<Config, "chains">,
  after: string,
): Promise<OpenPayment[]> {
  return db
    .select({
      payment,
      relay: { status: relay.status, error: relay.error },
      order: orderColumns,
      payer: sql<string | null>`(
        select ${fact.data} ->> 'payer' from ${fact}
        where ${fact.orderId} = ${order.id} and ${fact.type} = 'order.funded'
        order by ${fact.seq} desc limit 1)`,
      isStalled: sql<boolean>`greatest(${payment.updatedAt}, ${relay.updatedAt}) < now() - ${stalledAfter}`,
    })
    .from(payment)
    .innerJoin(order, eq(order.id, payment.orderId))
    .innerJoin(relay, relayOfPayment)
    .where(
      and(
        inArray(payment.status, ["accepted", "submitted"]),
        or(
          inArray(relay.status, ["mined", "failed"]),
          and(eq(relay.status, "signed"), eq(payment.status, "accepted")),
        ),
        gt(payment.id, after),
        inArray(
          order.chainId,
          chains.map(({ chain_id }) => chain_id),
        ),
      ),
    )
    .orderBy(asc(payment.id))
    .limit(page);
}

async function followPayment(
  db: Database,
  { payment: of, relay: lastCall, order: row, payer, isStalled }: OpenPayment,
  chain: Chain,
  time: bigint,
  log?: Logger,
): Promise<void> {
  const isLast = of.step === of.calls.length - 1;
  if (lastCall.status === "signed") return change({ status: "submitted" });
  if (row.fundedAt && lastCall.status === "mined" && isLast) return confirm();
  if (row.fundedAt) {
    // The escrow exists, but not through our last call: it has this money, or another payer's.
    const own = payer && [of.payer, row.depositAddress].includes(payer.toLowerCase() as Address);
    if (!(await isAuthorizationUsed(clientOf(chain), getAddress(row.token), of)))
      return end(failure("Another payment funded the order; this payment was not used."));
    if (own) return confirm();
    return end(failure("Another payment funded the order; this payment goes back to the buyer."));
  }
  if (!isLast) return continueWith(lastCall.status === "failed" ? lastCall.error : null);
  if (lastCall.status === "mined" && !isStalled) {
    // The ledger follows once the block is confirmed.
    if (of.status === "accepted") await change({ status: "submitted" });
    return;
  }
  const { hasArrived, isEscrowCreated } = await readDeposit(chain, row);
  if (isEscrowCreated) return;
  if (lastCall.status === "mined") {
    return end(
      failure("The chain dropped the payment's transaction: submit the payment again, or another one."),
    );
  }
  if (!hasArrived) return end(failure(lastCall.error));
  // Another sender was first, so the money is at the deposit address. The escrow is created from there, if in time.
  if (time > BigInt(row.fundBy)) {
    return end(failure("The payment arrived after the funding deadline; it goes back to the buyer."));
  }
  if (of.status === "accepted") await change({ status: "submitted" });

  /** Queues the next call. If another sender made the failed call, the next call succeeds. */
  async function continueWith(error: string | null): Promise<void> {
    await inTransaction(db, async (tx) => {
      await lockOrder(tx, row.id);
      const [next] = await tx
        .update(payment)
        .set({ step: of.step + 1, status: "submitted", error, updatedAt: sql`now()` })
        .where(and(eq(payment.id, of.id), eq(payment.step, of.step), eq(payment.status, of.status)))
        .returning();
      if (!next) return;
      // The call counts against the account's budget, but is not refused for it: the earlier calls were paid for.
      const { accountId } = next;
      await queueRelay(tx, { ...relayedCall(next), chainId: row.chainId, orderId: row.id, accountId });
    });
  }

  /** The first of several reasons is the cause. */
  function failure(reason: string | null) {
    return { status: "failed" as const, error: of.error ?? reason ?? "The transaction failed." };
  }

  /** Confirms under the order's lock, unless the chain has dropped the funding since it was read. */
  async function confirm(): Promise<void> {
    await inTransaction(db, async (tx) => {
      if ((await lockOrder(tx, row.id))?.fundedAt) await end({ status: "confirmed", error: null }, tx);
    });
  }

  async function end(
    outcome: Pick<PaymentRow, "status" | "error">,
    within: Database | Transaction = db,
  ): Promise<void> {
    await change(outcome, within);
    const about = { payment_id: of.id, order_id: row.id };
    if (outcome.status === "confirmed") log?.info(about, "payment confirmed");
    else log?.warn({ ...about, reason: outcome.error }, "payment failed");
  }

  async function change(values: Partial<PaymentRow>, within: Database | Transaction = db): Promise<void> {
    await within
      .update(payment)
      .set({ ...values, updatedAt: sql`now()` })
      .where(and(eq(payment.id, of.id), eq(payment.status, of.status), eq(payment.step, of.step)));
  }
}

/** Whether an order's amount is at its deposit address, and whether its escrow exists. */
async function readDeposit(
  chain: Chain,
  row: OpenPayment["order"],
): Promise<{ hasArrived: boolean; isEscrowCreated: boolean }> {
  const client = clientOf(chain);
  // The balance is read first: money that moves into the escrow between the two reads must not count as missing.
  const balance = await readDepositBalance(client, row);
  const { status } = await client.readContract({
    abi: escrowAbi,
    address: row.escrowContract,
    functionName: "getEscrow",
    args: [row.escrowId],
  });
  return { hasArrived: balance >= row.amount, isEscrowCreated: status !== 0 };
}
