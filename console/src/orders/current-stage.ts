import type { Order, OrderStage } from "earnest-client";

/** Returns the first stage that is not accepted: the only one that is delivered, accepted or disputed. Null without stages. */
export function currentStageOf({ stages }: Pick<Order, "stages">): OrderStage | null {
  return stages?.find(({ state }) => state !== "accepted") ?? null;
}
