import { RefusedCall } from "../../clients/typescript/mcp/tool-context.ts";
import { createSemaphore, type Taker } from "../../trade/totals/process-slots.ts";

/** How many calls may wait at once, of one account and in this process, and for how many seconds at most. */
export const usualWaits = { account: 4, process: 200, longest: 50 };

/**
 * The places of those who wait. A wait holds a connection and looks at its order again and again, so places are few.
 *
 * @returns a function that takes a place for a caller, and returns the function that gives the place back
 */
export function createWaits(bounds: typeof usualWaits, isParty: (accountId: string) => Promise<boolean>) {
  const { account, process: total } = bounds;
  const places = createSemaphore({ total, account }, isParty);
  return (taker: Taker) => async (): Promise<() => void> => {
    const place = await places.enter(taker);
    if ("leave" in place) return place.leave;
    const who = {
      account: `Of this account ${account} calls`,
      network: "Too many calls from this network",
    };
    throw new RefusedCall(
      "too_many_waits",
      `${place.full in who ? who[place.full as keyof typeof who] : "Too many calls"} wait already. Look with get_order instead, some seconds apart, or wait for fewer orders at once.`,
    );
  };
}
