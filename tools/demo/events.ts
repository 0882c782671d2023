import type { Earnest, EventDataByType, EventType } from "../../clients/typescript/src/index.ts";
import { timeLimit } from "./time-limit.ts";

/**
 * Follows an account's feed until it has the wanted event, and returns the event's data.
 *
 * @throws if the event does not arrive within three minutes
 */
export async function findEvent<Type extends EventType>(
  reader: Earnest,
  type: Type,
  fits: (data: EventDataByType[Type]) => boolean,
): Promise<EventDataByType[Type]> {
  const signal = timeLimit(`The event ${type} did not arrive`);
  for await (const event of reader.events.follow({ types: [type], pollMs: 250, signal })) {
    const data = event.data as EventDataByType[Type];
    if (fits(data)) return data;
  }
  throw signal.reason;
}
