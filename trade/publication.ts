import type { PublicationStatus } from "../db/schema.ts";
import { Refusal } from "./refusal.ts";

/**
 * The allowed changes of status of agents and services by their owner. Both start as drafts, and never become drafts again.
 * An operator alone changes the status of a suspended one.
 */
const movesFrom = {
  published: ["draft", "paused"],
  paused: ["published"],
  retired: ["draft", "published", "paused"],
} as const satisfies Record<Exclude<PublicationStatus, "draft" | "suspended">, PublicationStatus[]>;

export type OwnMove = keyof typeof movesFrom;

/**
 * Whether a request changes the status. A repeated request does not, so a client can retry it.
 *
 * @throws Refusal `invalid_state` if the status does not allow the change
 */
export function isMove(what: "agent" | "service", status: PublicationStatus, to: OwnMove): boolean {
  if (status === to) return false;
  if ((movesFrom[to] as readonly PublicationStatus[]).includes(status)) return true;
  throw new Refusal("invalid_state", `A ${status} ${what} cannot become ${to}.`);
}
