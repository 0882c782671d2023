import { isParty } from "../../trade/totals/party.ts";
import { shares } from "../../trade/totals/shares.ts";
import type { Context } from "../context.ts";
import { createRateLimitStore, shareLimit } from "./rate-limit-store.ts";

/** Characters of answers that are kept within a day, of one account and in all. */
const day = 24 * 3600;
const keptOfAccount = 32 * 1024 * 1024;
const keptInAll = 8 * 1024 * 1024 * 1024;

/** Counts the answers that are kept. Answers whether an account, and all accounts together, have room for one of this cost. */
export function createKeptRoom({ db, log }: Pick<Context, "db" | "log">) {
  const store = createRateLimitStore({ db, log });
  return async (accountId: string, network: string | null, cost: number): Promise<boolean> => {
    const own = { bucket: `kept_answers ${accountId}`, perWindow: keptOfAccount, window: day, cost };
    const inAll = { bucket: "kept_answers", perWindow: keptInAll, window: day, cost };
    const ofAll = (kind: string, part: number) =>
      shareLimit(inAll, { kind, part, network, own: keptOfAccount });
    const [ofAccount, ...taken] = await store.take([own, ...ofAll("strangers", shares.strangers)]);
    if (!ofAccount?.allowed) return false;
    if (taken.every(({ allowed }) => allowed)) return true;
    if (!(await isParty(db, accountId))) return false;
    // The store takes nothing of the account's own room once it knows that the strangers' room is used up.
    const kept = await store.take([own, ...ofAll("parties", 1 - shares.strangers)]);
    return kept.every(({ allowed }) => allowed);
  };
}
