import { type FullShare, findFullShare } from "./capacity-shares.ts";

/** The slots of a process: in total, for one account, and for one address (for IPv6, one /64). */
export type SlotBounds = { total: number; account?: number; address?: number };

/** The account, address and network that take a slot; null if unknown. */
export type Requester = { accountId: string | null; address: string | null; network: string | null };

/** A slot, or the bound that is full. */
export type SlotResult = { leave(): void } | { full: "account" | "address" | FullShare };

/**
 * Creates the slots of a process, which all accounts share (`capacity-shares.ts`). Every account first tries a slot of
 * unproven accounts, so the database is read only if those are full.
 */
export function createProcessSlots(bounds: SlotBounds, isParty: (accountId: string) => Promise<boolean>) {
  type Holder = Requester & { isParty: boolean };
  const held = new Set<Holder>();

  return {
    async enter(requester: Requester): Promise<SlotResult> {
      const { accountId } = requester;
      const asUnproven = take({ ...requester, isParty: false });
      if ("leave" in asUnproven || accountId === null || isOwn(asUnproven.full)) return asUnproven;
      return (await isParty(accountId)) ? take({ ...requester, isParty: true }) : asUnproven;
    },
  };

  function take(holder: Holder): SlotResult {
    const full = findFull(holder);
    if (full) return { full };
    held.add(holder);
    return { leave: () => void held.delete(holder) };
  }

  function findFull(holder: Holder) {
    const { accountId, address, network } = holder;
    const { account: ofAccount, address: ofAddress } = bounds;
    const count = (isMeant: (other: Holder) => boolean) => {
      let found = 0;
      for (const other of held) if (isMeant(other)) found += 1;
      return found;
    };
    const isFull = (most: number | undefined, own: string | null, key: "accountId" | "address") =>
      most !== undefined && own !== null && count((other) => other[key] === own) >= most;
    if (isFull(ofAccount, accountId, "accountId")) return "account";
    if (isFull(ofAddress, address, "address")) return "address";
    const isSameKind = (other: Holder) => other.isParty === holder.isParty;
    return findFullShare(bounds.total, holder.isParty, {
      inAll: held.size,
      unproven: count((other) => !other.isParty),
      network: network === null ? 0 : count((other) => isSameKind(other) && other.network === network),
    });
  }
}

/** Whether the requester's own bound is full. It is the same for unproven accounts and parties. */
function isOwn(full: "account" | "address" | FullShare): boolean {
  return full === "account" || full === "address";
}
