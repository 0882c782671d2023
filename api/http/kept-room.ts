import type { Context as HonoContext } from "hono";
import { isParty } from "../../trade/totals/party.ts";
import { shares } from "../../trade/totals/shares.ts";
import type { Context, Variables } from "../context.ts";
import type { Caller } from "./access.ts";
import { originOf } from "./client-address.ts";
import { createRateLimitStore, shareLimit } from "./rate-limit-store.ts";

/** Characters of answers that are kept within a day, of one account and in all. */
const day = 24 * 3600;
const keptOfAccount = 32 * 1024 * 1024;
const keptInAll = 8 * 1024 * 1024 * 1024;

/** Takes room for an answer that is kept, of its account's and of what all share; says whether there was any. */
export function createKeptRoom({ db, log }: Pick<Context, "db" | "log">) {
  const store = createRateLimitStore({ db, log });
  return async (
    c: HonoContext<{ Variables: Variables }>,
    { accountId }: Caller,
    cost: number,
  ): Promise<boolean> => {
    const own = { bucket: `kept_answers ${accountId}`, perWindow: keptOfAccount, window: day, cost };
    const inAll = { bucket: "kept_answers", perWindow: keptInAll, window: day, cost };
    const { network } = originOf(c);
    const ofAll = (kind: string, part: number) =>
      shareLimit(inAll, { kind, part, network, own: keptOfAccount });
    const [ofAccount, ...taken] = await store.take([own, ...ofAll("strangers", shares.strangers)]);
    if (!ofAccount?.allowed) return false;
    if (taken.every(({ allowed }) => allowed)) return true;
    if (!(await isParty(db, accountId))) return false;
    const kept = await store.take(ofAll("parties", 1 - shares.strangers));
    return kept.every(({ allowed }) => allowed);
  };
}
