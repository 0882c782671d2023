/**
 * How a total of all accounts is shared. Accounts are free, so those that never had a funded order share one half of it: the
 * other half is kept for the parties of funded orders. Within what either kind can have, one network has a quarter at most, and
 * mail to one recipient domain half.
 */
export const shares = { unproven: 1 / 2, network: 1 / 4, site: 1 / 2 } as const;

/** The shares of a total: in all, of a kind, and of a kind from one network or to one recipient domain. */
export type Shares = { inAll: number; ofKind: number; ofNetwork: number; ofSite: number };

/** The share that is used up. */
export type FullShare = "all" | "unproven" | "network" | "site";

/**
 * The share of one network in what its kind can have.
 *
 * @param least what one client alone may have: its network has this at least
 */
export function networkShare(ofKind: number, least = 0): number {
  return Math.min(ofKind, Math.max(least, Math.ceil(ofKind * shares.network)));
}

/** The shares of a total for a party of a funded order, or for a stranger. Each share is at least one. */
export function sharesOf(total: number, isParty: boolean): Shares {
  const ofKind = isParty ? total : Math.ceil(total * shares.unproven);
  return {
    inAll: total,
    ofKind,
    ofNetwork: networkShare(ofKind),
    ofSite: Math.ceil(ofKind * shares.site),
  };
}

/**
 * Which share of a total has no room for one more; null where each has.
 *
 * @param held what is taken already: in all, by unproven accounts, and by those of the same kind from the same network or to the same
 *   recipient domain
 */
export function findFullShare(
  total: number,
  isParty: boolean,
  held: { inAll: number; unproven: number; network: number; site?: number },
): FullShare | null {
  const most = sharesOf(total, isParty);
  if (held.inAll >= most.inAll) return "all";
  if (!isParty && held.unproven >= most.ofKind) return "unproven";
  if (held.network >= most.ofNetwork) return "network";
  return (held.site ?? 0) >= most.ofSite ? "site" : null;
}
