import { Refusal } from "./refusal.ts";

type PublicationStatus = "draft" | "published" | "paused" | "retired";

/** Where agents and services may be moved to, and from where. A draft is where both begin; nothing leads back to it. */
const movesFrom = {
  published: ["draft", "paused"],
  paused: ["published"],
  retired: ["draft", "published", "paused"],
} as const satisfies Record<Exclude<PublicationStatus, "draft">, PublicationStatus[]>;

/**
 * Says whether a move onto or off the market changes anything. The same move again does not: whoever lost the answer may
 * ask twice.
 *
 * @throws Refusal `invalid_state` where the status has no such move
 */
export function isMove(
  what: "agent" | "service",
  status: PublicationStatus,
  to: keyof typeof movesFrom,
): boolean {
  if (status === to) return false;
  if ((movesFrom[to] as readonly PublicationStatus[]).includes(status)) return true;
  throw new Refusal("invalid_state", `A ${status} ${what} cannot become ${to}.`);
}
