// Receives all webhooks in a separate process, so that the load generator cannot delay its responses.

import { type Received, startReceiver } from "../simulation/live/receiver.ts";
import { createRandom } from "../simulation/random.ts";
import type { Asked, Told } from "./receivers.ts";

/** How many requests a message carries: JSON of all could be longer than a string may be. */
const chunk = 500;

const receiver = await startReceiver(createRandom(1, "cluster"));
receiver.state.isUnreliable = false;
const tell = (told: Told) => process.send?.(told);
let handed = 0;
process.on("message", (asked: Asked) => {
  if (asked === "count") return tell({ count: receiver.received.length });
  const taken: Received[] = receiver.received.slice(handed, handed + chunk);
  handed += taken.length;
  tell({ taken });
});
// The parent process has ended.
process.once("disconnect", () => process.exit(0));
tell({ port: receiver.port });
