// Receives the webhooks of one worker in a separate process, so that the load generator cannot delay its responses.

import { type Received, startReceiver } from "../simulation/live/receiver.ts";
import { createRandom } from "../simulation/random.ts";
import { type Asked, type Reply, receiverPort } from "./receivers.ts";

/** The most requests in a message: the JSON of all could exceed the longest string. */
const chunk = 500;

const receiver = await startReceiver(createRandom(1, "cluster"), receiverPort);
receiver.state.isUnreliable = false;
const reply = (message: Reply) => process.send?.(message);
let handed = 0;
process.on("message", (asked: Asked) => {
  if (asked === "count") return reply({ count: receiver.received.length });
  const taken: Received[] = receiver.received.slice(handed, handed + chunk);
  handed += taken.length;
  reply({ taken });
});
// The parent process has ended.
process.once("disconnect", () => process.exit(0));
reply({ count: 0 });
