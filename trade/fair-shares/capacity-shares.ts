/**
 * The shares of a total of all accounts. An account costs nothing, so accounts without a funded order share one half. The
 * other half is for the parties of funded orders. Within each kind, one network has at most a quarter, and mail to
 * one recipient domain half.
 */
export const sharesOfTotal = { unproven: 1 / 2, network: 1 / 4, site: 1 / 2 } as const;

/** The sizes of the shares: in total, of a kind, and of a kind from one network or to one recipient domain. */
export type Shares = { inAll: number; ofKind: number; ofNetwork: number; ofSite: number };

/** The share that is used up. */
export type FullShare = "all" | "unproven" | "network" | "site";

/**
 * Returns the share of one network within its kind.
 *
 * @param least the bound of one client, which its network has at least
 */
export function networkShare(ofKind: number, least = 0): number {
  return Math.min(ofKind, Math.max(least, Math.ceil(ofKind * sharesOfTotal.network)));
}

/** Returns the shares of a total for a party of a funded order, or for an unproven account. Each share is at least one. */
export function sharesOf(total: number, isParty: boolean): Shares {
  const ofKind = isParty ? total : Math.ceil(total * sharesOfTotal.unproven);
  return {
    inAll: total,
    ofKind,
    ofNetwork: networkShare(ofKind),
    ofSite: Math.ceil(ofKind * sharesOfTotal.site),
  };
}

/**
 * Finds the share that is used up; null if none is.
 *
 * @param held the used amounts: in total, of unproven accounts, and of the same kind from the same network or to the
 *   same recipient domain
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
