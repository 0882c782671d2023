import type { Logger } from "pino";
import type { Address } from "viem";
import { z } from "zod";
import type { Chain, Config } from "../../config/config.ts";
import { insertEvents } from "../../db/account-events.ts";
import { escrowEvent, readReadyBlock } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { and, asc, eq, gte, lte, notExists, sql } from "../../db/drizzle.ts";
import { order, refusedPayout } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { confirmedBlock } from "../../protocol/facts/confirmations.ts";
import { baseUnitsPattern, lowerAddressPattern } from "../../protocol/settlement/shapes.ts";
import { payoutColumns, payoutEventOf } from "./payout-event.ts";
import { followOwed, type OwedSettings } from "./payout-retries.ts";

/** Events recorded at once. */
const page = 100;
/** Each round reads this many blocks of the round before again. */
const overlap = 128n;
/** Milliseconds between two reads of all blocks. */
const fullReadEvery = 3_600_000;

type Settings = OwedSettings & Pick<Config, "chains">;

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
      .select({ event: escrowEvent, of: payoutColumns })
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
        chainId: event.chainId,
        contract: event.contract,
        payee: payee as Address,
        token: token as Address,
        amount,
        blockNumber: event.blockNumber,
        logIndex: event.logIndex,
        refusedAt: new Date(Number(event.timestamp) * 1000),
      };
      await inTransaction(db, async (tx) => {
        const written = await tx
          .insert(refusedPayout)
          .values(payout)
          .onConflictDoNothing()
          .returning({ id: refusedPayout.eventId });
        if (written.length > 0) await insertEvents(tx, [payoutEventOf("payout.refused", payout, of)]);
      });
    }
    if (found.length < page) return;
  }
}
