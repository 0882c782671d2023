import type { Context } from "../context.ts";
import { createRateLimitStore, shareLimit } from "./rate-limit-store.ts";

/** The most that is counted in a window of seconds: of one client, and of all together. */
type CountBounds = { window: number; own: number; inAll: number };

/** A client that is counted, if it is known, and its network. */
type CountedClient = { name: string | null; network: string | null };

/**
 * Counts acts of clients, in all replicas. A network has a share of the whole. These bounds apply even if the operator turned
 * rate limits off.
 *
 * @returns the whole seconds to wait if an act is one too many, else null
 */
export function createClientCounter(context: Context, { window, own, inAll }: CountBounds) {
  const limits = createRateLimitStore(context);

  return async function count(bucket: string, { name, network }: CountedClient): Promise<number | null> {
    const shared = shareLimit({ bucket, perWindow: inAll, window }, { kind: "all", part: 1, network, own });
    const ofClient = { bucket: `${bucket} ${name}`, perWindow: own, window };
    const taken = await limits.take(name === null ? shared : [ofClient, ...shared]);
    const refused = taken.find(({ isAllowed }) => !isAllowed);
    return refused ? Math.max(1, Math.ceil(refused.retryAfter)) : null;
  };
}
