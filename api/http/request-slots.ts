import type { Database } from "../../db/client.ts";
import { isParty } from "../../trade/fair-shares/funded-party.ts";
import {
  createProcessSlots,
  type SlotBounds,
  type SlotResult,
} from "../../trade/fair-shares/process-concurrency.ts";
import { ApiError } from "./api-error.ts";

/** Creates slots of this process for requests. The database says which accounts are parties of funded orders. */
export function createRequestSlots(db: Database, bounds: SlotBounds) {
  return createProcessSlots(bounds, (accountId) => isParty(db, accountId));
}

/** @throws ApiError `rate_limited` if no slot was free */
export function requireSlot(entered: SlotResult, message: string, retrySeconds: number): { leave(): void } {
  if ("leave" in entered) return entered;
  throw new ApiError("rate_limited", message, undefined, retrySeconds);
}
