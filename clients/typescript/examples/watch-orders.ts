// Follows the orders of an account, and continues after a stop:
// BASE_URL=http://localhost:42069 EARNEST_KEY=esk_... node watch-orders.ts cursor.txt

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Earnest } from "earnest-client";

const file = process.argv[2] ?? "cursor.txt";
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());

const earnest = new Earnest({
  baseUrl: process.env.BASE_URL ?? "http://localhost:42069",
  apiKey: process.env.EARNEST_KEY,
});
const stream = earnest.events.follow({
  cursor: existsSync(file) ? readFileSync(file, "utf8") : null,
  onCursor: (cursor) => writeFileSync(file, cursor),
  signal: stop.signal,
});
for await (const event of stream) {
  if (event.type === "order.created" || event.type === "order.funded") {
    const { reference, total_amount, currency } = event.data.order;
    console.log(event.type, reference, total_amount, currency);
  }
}
