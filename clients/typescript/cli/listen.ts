import { randomBytes } from "node:crypto";
import { signDelivery } from "../../../protocol/webhooks/signature.ts";
import type { FeedEvent } from "../src/index.ts";
import { type Format, printOne, printToStderr } from "./print.ts";
import { openClient, UsageError } from "./settings.ts";

/** Forwards every event to a local URL, signed like the service's webhook deliveries. */
export async function listen(
  words: Format & { to: string | undefined; secret: string | undefined },
): Promise<void> {
  const { to, secret = `whsec_${randomBytes(32).toString("base64")}` } = words;
  if (to === undefined || !/^https?:\/\//.test(to)) {
    throw new UsageError("Pass the target URL: --forward-to http://localhost:3000/hook.");
  }
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  printToStderr(`secret ${secret}`);
  for await (const event of openClient().events.follow({ from: "now", signal: stop.signal, pollMs: 1_000 })) {
    printOne({ event: event.event_id, type: event.type, answer: await forward(event, to, secret) }, words);
  }
}

/** Forwards one event. Returns the response's status or the error. The delivery id derives from the event's id. */
async function forward(event: FeedEvent, to: string, secret: string): Promise<string> {
  const id = event.event_id.replace(/^evt_/, "whd_");
  const body = JSON.stringify({ ...event, id });
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    ...signDelivery({ id, timestamp, body, secrets: [secret] }),
    "content-type": "application/json",
    "x-service-event": event.type,
    "x-service-delivery": id,
  };
  try {
    const answer = await fetch(to, { method: "POST", headers, body, signal: AbortSignal.timeout(10_000) });
    await answer.body?.cancel();
    return String(answer.status);
  } catch (error) {
    return (error as Error).message;
  }
}
