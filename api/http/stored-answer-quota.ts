import { sharesOfTotal } from "../../trade/fair-shares/capacity-shares.ts";
import { isParty } from "../../trade/fair-shares/funded-party.ts";
import type { Context } from "../context.ts";
import { createRateLimitStore, shareLimit } from "./rate-limit-store.ts";

/** Seconds of the window, and the most characters of stored answers in it: of one account, and of all accounts. */
const day = 24 * 3600;
const accountQuota = 32 * 1024 * 1024;
const totalQuota = 8 * 1024 * 1024 * 1024;

/** Makes the quota of stored answers: a check whether an answer of this cost fits the account's quota and the total quota. */
export function createStoredAnswerQuota({ db, log }: Pick<Context, "db" | "log">) {
  const store = createRateLimitStore({ db, log });
  return async (accountId: string, network: string | null, cost: number): Promise<boolean> => {
    const own = { bucket: `stored_answers ${accountId}`, perWindow: accountQuota, window: day, cost };
    const inAll = { bucket: "stored_answers", perWindow: totalQuota, window: day, cost };
    const ofAll = (kind: string, part: number) =>
      shareLimit(inAll, { kind, part, network, own: accountQuota });
    const [ofAccount, ...taken] = await store.take([own, ...ofAll("unproven", sharesOfTotal.unproven)]);
    if (!ofAccount?.isAllowed) return false;
    if (taken.every(({ isAllowed }) => isAllowed)) return true;
    if (!(await isParty(db, accountId))) return false;
    // The store takes nothing of the account's quota when it knows that the share of unproven accounts is used up.
    const withParties = await store.take([own, ...ofAll("parties", 1 - sharesOfTotal.unproven)]);
    return withParties.every(({ isAllowed }) => isAllowed);
  };
}
