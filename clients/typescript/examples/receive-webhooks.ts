// Receives deliveries and prints the events that are signed: WEBHOOK_SECRET=whsec_... node receive-webhooks.ts 3000

import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { readWebhook, WebhookSignatureError } from "earnest-client/webhooks";

const secret = process.env.WEBHOOK_SECRET ?? "";
const handled = new Set<string>();

createServer(async (request, response) => {
  try {
    const event = readWebhook(await buffer(request), request.headers, secret);
    // A delivery comes again if the service did not get the response.
    if (!handled.has(event.id)) console.log(event.type, event.event_id);
    handled.add(event.id);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof WebhookSignatureError ? 401 : 500).end();
  }
}).listen(Number(process.argv[2] ?? 3000), () => console.log("ready"));
