import type { Earnest, EventDataByType, EventType } from "../../clients/typescript/src/index.ts";
import { within } from "./patience.ts";

/**
 * Follows an account's feed until it tells what is looked for.
 *
 * @throws where it did not come within some minutes
 */
export async function findEvent<Type extends EventType>(
  reader: Earnest,
  type: Type,
  fits: (data: EventDataByType[Type]) => boolean,
): Promise<EventDataByType[Type]> {
  const signal = within(`told of by ${type}`);
  for await (const event of reader.events.follow({ types: [type], pollMs: 250, signal })) {
    const data = event.data as EventDataByType[Type];
    if (fits(data)) return data;
  }
  throw signal.reason;
}
