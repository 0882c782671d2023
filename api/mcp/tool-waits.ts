import { RefusedCall } from "../../clients/typescript/mcp/tool-context.ts";
import { createProcessSlots, type Requester } from "../../trade/fair-shares/process-concurrency.ts";

/** The most calls that may wait at once, per account and per process, and the most seconds of a wait. */
export const defaultWaitLimits = { account: 4, process: 200, longest: 50 };

/**
 * Makes the slots of waiting calls. A wait holds a connection and polls its order, so slots are few.
 *
 * @returns a function that takes a slot for a caller, and returns the function that releases the slot
 */
export function createToolWaits(
  bounds: typeof defaultWaitLimits,
  isParty: (accountId: string) => Promise<boolean>,
) {
  const { account, process: total } = bounds;
  const slots = createProcessSlots({ total, account }, isParty);
  return (requester: Requester) => async (): Promise<() => void> => {
    const slot = await slots.enter(requester);
    if ("leave" in slot) return slot.leave;
    const subjects = {
      account: `${account} calls of this account wait`,
      network: "Too many calls of this network wait",
    };
    throw new RefusedCall(
      "too_many_waits",
      `${slot.full in subjects ? subjects[slot.full as keyof typeof subjects] : "Too many calls wait"} already. Poll get_order every few seconds instead, or wait for fewer orders at once.`,
    );
  };
}
