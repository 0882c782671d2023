import { RefusedCall } from "../../clients/typescript/mcp/desk.ts";

/** How many calls may wait at once, of one account and in this process, and for how many seconds at most. */
export const usualWaits = { account: 4, process: 200, longest: 50 };

/**
 * The places of those who wait. A wait holds a connection and looks at its order again and again, so places are few.
 *
 * @returns for an account, what takes a place and gives back what leaves it
 */
export function createWaits(bounds = usualWaits) {
  /** account -> how many of its calls wait */
  const waiting = new Map<string, number>();
  let all = 0;
  return (accountId: string) => (): (() => void) => {
    const own = waiting.get(accountId) ?? 0;
    if (own >= bounds.account || all >= bounds.process) {
      const who = own >= bounds.account ? `Of this account ${own} calls` : "Too many calls";
      throw new RefusedCall(
        "too_many_waits",
        `${who} wait already. Look with get_order instead, some seconds apart, or wait for fewer orders at once.`,
      );
    }
    waiting.set(accountId, own + 1);
    all += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      all -= 1;
      const rest = (waiting.get(accountId) ?? 1) - 1;
      if (rest > 0) waiting.set(accountId, rest);
      else waiting.delete(accountId);
    };
  };
}
