import { isFiller } from "./nonces.ts";
import type { createRelayConfirmations } from "./relay-confirmations.ts";
import type { Relay } from "./relay-row.ts";
import { logFieldsOf, type RelayParts } from "./transactions.ts";

/** Milliseconds after which a queued relay fails, because nobody expects a call of two days ago. */
const longestWait = 2 * 86_400_000;
const refusedAfterRevert =
  "A call that this wallet signed was mined without effect, at the service's cost: wait an hour, or send the call yourself.";

/** Returns the check whether a queued relay needs no new transaction. The check writes the relay's end. */
export function createObsoleteCheck(
  { relays, log }: Pick<RelayParts, "relays" | "log">,
  { findMined, batches }: Pick<ReturnType<typeof createRelayConfirmations>, "findMined" | "batches">,
) {
  return async (row: Relay): Promise<boolean> => {
    if (isFiller(row)) {
      await relays.refuse(row, "another transaction used the nonce");
      return true;
    }
    // Another transaction had used its nonce. A reorganisation dropped that one, and ours was mined instead.
    const mined = await findMined(row);
    if (mined) {
      await relays.adopt(row, mined.attempt);
      return true;
    }
    const batch = row.batchId === null ? null : await relays.readBatch(row.batchId);
    const minedBatch = batch && (await findMined(batch));
    if (batch && minedBatch && batches.isDone(row, minedBatch.receipt)) {
      await relays.adopt(batch, minedBatch.attempt);
      return true;
    }
    const stale = Date.now() - row.queuedAt.getTime() > longestWait;
    // A call without a signer runs no party's code, so money at a deposit address does not wait for its payer's wallet.
    const refusedFor = stale || row.signer === null ? null : await relays.readRest(row);
    if (!stale && refusedFor === null) return false;
    const reason = stale
      ? "The call could not be sent within two days: request it again."
      : refusedAfterRevert;
    await relays.refuse(row, reason);
    log?.warn({ ...logFieldsOf(row), reason }, "relay not sent");
    return true;
  };
}
