// Reads an account's feed to its end, by the client's iterator or by fetch alone, and says what it took.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { Earnest } from "../clients/typescript/src/index.ts";

const [way, baseUrl = "", token = "", count] = process.argv.slice(2);
const gc = globalThis.gc ?? (() => {});

async function* byFetch() {
  for (let cursor = "", more = true; more; ) {
    const address = `${baseUrl}/api/v1/events?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    const page = (await answer.json()) as { items: { id: string }[]; next_cursor: string; has_more: boolean };
    yield* page.items;
    cursor = page.next_cursor;
    more = page.has_more;
  }
}

const events = way === "client" ? new Earnest({ baseUrl, apiKey: token }).events.follow() : byFetch();
const delay = monitorEventLoopDelay({ resolution: 5 });
gc();
const heapBefore = process.memoryUsage().heapUsed;
let [seen, heapMost] = [0, 0];
delay.enable();
const begin = performance.now();
for await (const _ of events) {
  seen += 1;
  if (seen % 10_000 === 0) {
    gc();
    heapMost = Math.max(heapMost, process.memoryUsage().heapUsed - heapBefore);
  }
  if (seen === Number(count)) break;
}
const seconds = (performance.now() - begin) / 1000;
delay.disable();
const { rss } = process.memoryUsage();
process.send?.({ seen, seconds, heapMost, rss, lagMs: delay.percentile(99) / 1e6 });
process.disconnect();
