import { and, asc, eq, gt, inArray, or, type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { Address } from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import type { Chain, Config } from "../../config/config.ts";
import { readIndexedBlocks } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { lockOrder } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { fact, order, payment, relay } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isNodeAway } from "../../trade/chain-answers.ts";
import { isAuthorizationUsed } from "../../trade/payments/authorization.ts";
import { readDepositBalance } from "../../trade/payments/deposits.ts";
import { type PaymentRow, relayedCall, relayOfPayment } from "../../trade/payments/payments.ts";
import { queueRelay, type RelayRow, relayChannel } from "../../trade/relay/relay-queue.ts";
import { clientOf } from "../chain-client.ts";
import { createPause } from "../loop.ts";

/** As much of a payment's order as it is followed by: orders hold large documents too. */
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

type Open = {
  payment: PaymentRow;
  relay: Pick<RelayRow, "status" | "error">;
  order: Pick<OrderRow, keyof typeof orderColumns>;
  payer: string | null;
  /** nothing was written down of it for long */
  quiet: boolean;
};

/** Milliseconds between two looks while a payment is on its way. */
const againAfter = 500;
/** Payments read at once. */
const page = 200;
/** How long the chain may take to show an escrow after its transaction was mined. */
const patience = sql`interval '10 minutes'`;

/**
 * Brings payments on: the next call once the one before has ended, and the word for what became of them. It works from
 * what is written down and what the chain says, so it may be killed at any instant and several may run at once.
 */
export async function followPayments(
  db: Database,
  config: Pick<Config, "chains">,
  { log }: { log?: Logger } = {},
): Promise<void> {
  let clock: Awaited<ReturnType<typeof readIndexedBlocks>> | undefined;
  const away = new Set<number>();
  for (let after = ""; ; ) {
    const moved = await readMoved(db, after);
    if (moved.length > 0) clock ??= await readIndexedBlocks(db);
    for (const each of moved) {
      const chain = config.chains.find(({ chain_id }) => chain_id === each.order.chainId);
      if (!chain || away.has(chain.chain_id)) continue;
      const time = clock?.get(chain.chain_id)?.timestamp ?? 0n;
      try {
        await followOne(db, each, chain, time, log);
      } catch (error) {
        // Whoever waits for a node that is out would keep the other chains' payments waiting.
        if (isNodeAway(error)) away.add(chain.chain_id);
        log?.error({ err: error, payment_id: each.payment.id }, "a payment cannot be followed at the moment");
      }
    }
    const last = moved.at(-1);
    if (!last || moved.length < page) return;
    after = last.payment.id;
  }
}

/** Whether a payment is on its way. */
const hasOpen: SQL<boolean> = sql`(
  select min(${payment.createdAt}) from ${payment} where ${payment.status} in ('accepted', 'submitted')) is not null`;

/** Makes rounds of it that come again and again while a payment is on its way; else they are to be woken. */
export function createPaymentRounds(db: Database, config: Pick<Config, "chains">, options: { log: Logger }) {
  const pause = createPause();
  async function run(): Promise<void> {
    await followPayments(db, config, options);
    const { rows } = await db.execute<{ open: boolean }>(sql`select ${hasOpen} as open`);
    if (rows[0]?.open) setTimeout(pause.cutShort, againAfter).unref();
  }
  // The call of a payment is queued with it.
  return { run, pause, due: hasOpen, wokenBy: relayChannel };
}

/** Payments on their way of whose call there is more to say than that it is on its way. */
function readMoved(db: Database, after: string): Promise<Open[]> {
  return db
    .select({
      payment,
      relay: { status: relay.status, error: relay.error },
      order: orderColumns,
      payer: sql<string | null>`(
        select ${fact.data} ->> 'payer' from ${fact}
        where ${fact.orderId} = ${order.id} and ${fact.type} = 'order.funded'
        order by ${fact.seq} desc limit 1)`,
      quiet: sql<boolean>`greatest(${payment.updatedAt}, ${relay.updatedAt}) < now() - ${patience}`,
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
      ),
    )
    .orderBy(asc(payment.id))
    .limit(page);
}

async function followOne(
  db: Database,
  { payment: of, relay: sent, order: row, payer, quiet }: Open,
  chain: Chain,
  time: bigint,
  log?: Logger,
): Promise<void> {
  const isLast = of.step === of.calls.length - 1;
  if (sent.status === "signed") return change({ status: "submitted" });
  if (row.fundedAt && sent.status === "mined" && isLast) return confirm();
  if (row.fundedAt) {
    // The escrow stands, and not by our last call: by this money all the same, or by somebody else's.
    const own = payer && [of.payer, row.depositAddress].includes(payer.toLowerCase() as Address);
    if (!(await isAuthorizationUsed(clientOf(chain), chain.token.address, of)))
      return end(failure("The order was funded otherwise; this payment was not used."));
    if (own) return confirm();
    return end(failure("The order was funded by another payment; this one goes back to the buyer."));
  }
  if (!isLast) return goOn(sent.status === "failed" ? sent.error : null);
  if (sent.status === "mined" && !quiet) {
    // The ledger follows once the block counts.
    if (of.status === "accepted") await change({ status: "submitted" });
    return;
  }
  const { arrived, created } = await readDeposit(chain, row);
  if (created) return;
  if (sent.status === "mined") {
    return end(failure("The chain took its transaction back: hand the payment in again, or another one."));
  }
  if (!arrived) return end(failure(sent.error));
  // Somebody sent it before us, so the money is at the deposit address: the escrow is created from there, if in time.
  if (time > BigInt(row.fundBy)) {
    return end(failure("The money came after the funding deadline; it goes back to the buyer."));
  }
  if (of.status === "accepted") await change({ status: "submitted" });

  /** A step that failed may have been done by somebody else; whether it was, the next one shows. */
  async function goOn(error: string | null): Promise<void> {
    await inTransaction(db, async (tx) => {
      await lockOrder(tx, row.id);
      const [next] = await tx
        .update(payment)
        .set({ step: of.step + 1, status: "submitted", error, updatedAt: sql`now()` })
        .where(and(eq(payment.id, of.id), eq(payment.step, of.step), eq(payment.status, of.status)))
        .returning();
      if (!next) return;
      // On the account's budget, and not refused for it: the calls before were paid for.
      const { accountId } = next;
      await queueRelay(tx, { ...relayedCall(next), chainId: row.chainId, orderId: row.id, accountId });
    });
  }

  /** Of several reasons the first is the cause. */
  function failure(reason: string | null) {
    return { status: "failed" as const, error: of.error ?? reason ?? "The transaction failed." };
  }

  /** Under the order's lock: the chain may have taken the funding back since it was read, and then nothing is confirmed. */
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

/** Whether an order's amount lies at its deposit address, and whether its escrow was created. */
async function readDeposit(
  chain: Chain,
  row: Open["order"],
): Promise<{ arrived: boolean; created: boolean }> {
  const client = clientOf(chain);
  // In this order: money that goes into the escrow between the two is not taken for money that never came.
  const balance = await readDepositBalance(client, row);
  const { status } = await client.readContract({
    abi: escrowAbi,
    address: row.escrowContract,
    functionName: "getEscrow",
    args: [row.escrowId],
  });
  return { arrived: balance >= row.amount, created: status !== 0 };
}
