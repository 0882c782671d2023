import type { Message, TrailEntry } from "earnest-client";

/**
 * Returns messages, oldest first, with the steps since the oldest one between them. Steps keep the order of the trail: the time of
 * a block may be earlier than that of the step before.
 *
 * @param messages newest first, as the service lists them
 */
export function threadOf<
  One extends Pick<Message, "created_at">,
  Step extends Pick<TrailEntry, "type" | "occurred_at">,
>(messages: readonly One[], trail: readonly Step[]): (One | Step)[] {
  const waiting = messages.toReversed();
  if (!waiting[0]) return [];
  const from = Date.parse(waiting[0].created_at);
  const thread: (One | Step)[] = [];
  let latest = 0;
  for (const step of trail) {
    latest = Math.max(latest, Date.parse(step.occurred_at));
    if (latest < from || step.type === "dispute.statement") continue;
    while (waiting[0] && Date.parse(waiting[0].created_at) <= latest) thread.push(...waiting.splice(0, 1));
    thread.push(step);
  }
  return [...thread, ...waiting];
}
