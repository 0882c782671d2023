import type { Transaction } from "../../db/client.ts";
import { eq } from "../../db/drizzle.ts";
import { account } from "../../db/schema.ts";
import { Refusal } from "../refusal.ts";

/** Refuses an account that an operator banned. */
export function refuseBannedAccount(): Refusal {
  return new Refusal(
    "account_banned",
    "An operator has banned this account: it does not buy, sell or report. Its open orders continue. GET /moderations has the reason, and takes an appeal.",
  );
}

/** Refuses an account that requested its erasure. */
export function refuseErasingAccount(): Refusal {
  return new Refusal(
    "invalid_state",
    "This account waits for its erasure: it does not buy, sell or report. DELETE /me/erasure takes the request back.",
  );
}

/**
 * Requires that an account may buy, sell and report. A ban or a request of an erasure waits until the transaction ends.
 *
 * @throws Refusal `account_banned`; `invalid_state` while an erasure is requested
 */
export async function requireActive(tx: Transaction, accountId: string): Promise<void> {
  const [found] = await tx
    .select({ bannedAt: account.bannedAt, erasingAt: account.erasingAt })
    .from(account)
    .where(eq(account.id, accountId))
    .for("share");
  if (found?.bannedAt) throw refuseBannedAccount();
  if (found?.erasingAt) throw refuseErasingAccount();
}
