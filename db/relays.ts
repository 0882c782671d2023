import { eq, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Address, Hex } from "viem";
import type { Transaction } from "./client.ts";
import { relay } from "./schema.ts";

export type RelayRow = typeof relay.$inferSelect;

/** A call that our one key is to send: one that a party signed, or one the contract opens to anyone. */
export type NewRelay = {
  /** what makes it happen once, as in `<escrow id>:recordDelivery:<number>` */
  intent: string;
  chainId: number;
  orderId: string | null;
  to: Address;
  data: Hex;
};

/**
 * Queues a call for the relayer, and the job that sends it, in the caller's transaction.
 *
 * The same intent again returns the row that is there, whatever its call data: it is sent once. Only an intent that
 * failed starts over, with the new call data.
 */
export async function queueRelay(tx: Transaction, call: NewRelay): Promise<RelayRow> {
  const [queued] = await tx
    .insert(relay)
    .values({ id: typeid("rly").toString(), ...call })
    .onConflictDoUpdate({
      target: relay.intent,
      set: {
        to: call.to,
        data: call.data,
        status: "queued",
        sender: null,
        nonce: null,
        rawTransaction: null,
        transactionHash: null,
        error: null,
        updatedAt: sql`now()`,
      },
      setWhere: eq(relay.status, "failed"),
    })
    .returning();
  if (!queued) {
    const [standing] = await tx.select().from(relay).where(eq(relay.intent, call.intent));
    if (!standing) throw new Error(`The relay ${call.intent} vanished while it was queued.`);
    return standing;
  }
  await tx.execute(sql`
    select graphile_worker.add_job(
      'relay', json_build_object('chain_id', ${call.chainId}::int), job_key := ${`relay:${call.chainId}`})`);
  return queued;
}
