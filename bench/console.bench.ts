import { loadavg } from "node:os";
import { sql } from "drizzle-orm";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { requesterOf, signIn } from "../test/harness/api.ts";
import { openVisitor, signInByPage, startBrowser } from "../test/harness/console/browser.ts";
import { startStack, type TestStack } from "../test/harness/stack.ts";
import { printTable, quantile } from "./figures.ts";
import { busyAccount, fillMarket } from "./marketplace.market.ts";

const count = 10_000;
const endpoint = "whe_01jd3w8x2mfhz8w9q4t6n5k7ra";

let stack: TestStack;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startStack({ worker: false }), startBrowser()]);
  await fillMarket(stack.db, { services: count * 1.05, agents: 500, orders: count * 10 });
  const { account, accountId } = await signIn(requesterOf(stack.baseUrl));
  await stack.db.execute(
    sql`update earnest.wallet set account_id = ${busyAccount} where account_id = ${accountId}`,
  );
  await addDeliveries();
  await addAudit();
  const visitor = await openVisitor(browser, { baseUrl: stack.baseUrl, chain: stack.chain, account });
  await signInByPage(visitor);
  ({ page } = visitor);
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await stack?.close();
});

test("frames while lists are scrolled, with 100 rows read and with 10,000", async () => {
  const rows: (string | number)[][] = [];
  const cdp = await page.context().newCDPSession(page);
  // The page's own time on the processor: what else the machine does is not in it.
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const readCpu = async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
  };
  for (const [name, path] of [
    ["orders", "/orders"],
    ["services", "/market"],
    ["deliveries", `/webhooks/${endpoint}`],
    ["audit trail", "/audit"],
  ] as const) {
    await page.goto(path);
    await page.locator("li[aria-posinset]").nth(10).waitFor();
    for (const isWhole of [false, true]) {
      if (isWhole) await page.evaluate(readAll);
      const before = await readCpu();
      const { frames, most } = await page.evaluate(scroll, isWhole ? 200_000 : 0);
      rows.push([
        `${name}, ${isWhole ? "10,000" : "100"}`,
        ((await readCpu()) - before) / frames.length,
        quantile(frames, 0.5),
        quantile(frames, 0.95),
        Math.max(...frames),
        String(most),
      ]);
      console.log(rows.at(-1)?.join("  "));
    }
  }
  printTable(`A frame, ms; load average ${loadavg()[0]?.toFixed(1)}`, [
    ["rows read", "processor", "median", "p95", "longest", "rows in the page"],
    ...rows,
  ]);
});

/** Runs in the page: goes to its end until there is no more to read. */
async function readAll(): Promise<void> {
  for (let still = 0; still < 100; ) {
    const height = document.documentElement.scrollHeight;
    scrollTo(0, height);
    await new Promise((resolve) => setTimeout(resolve, 30));
    still = document.documentElement.scrollHeight > height ? 0 : still + 1;
  }
}

/** Runs in the page: goes down and up again, 400 pixels in each frame, which is about as fast as one flings. */
async function scroll(from: number): Promise<{ frames: number[]; most: number }> {
  const frames: number[] = [];
  let most = 0;
  const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
  scrollTo(0, from);
  await new Promise((resolve) => setTimeout(resolve, 500));
  let before = await frame();
  for (let at = 0; at < 300; at++) {
    // Short of where more would be read.
    scrollTo(0, from + 400 * Math.abs(5 - (at % 10)));
    const now = await frame();
    frames.push(now - before);
    before = now;
    most = Math.max(most, document.querySelectorAll("li[aria-posinset]").length);
  }
  return { frames, most };
}

async function addDeliveries(): Promise<void> {
  await stack.db.execute(sql`
    insert into earnest.webhook_endpoint (id, account_id, url, host, events)
    values (${endpoint}, ${busyAccount}, 'https://example.org/events', 'example.org', '{*}')`);
  await stack.db.execute(sql`
    insert into earnest.webhook_delivery
      (id, endpoint_id, type, test_body, status, attempts, last_status_code, created_at)
    select 'whd_' || lpad(n::text, 26, '0'), ${endpoint}, 'order.funded', '{}',
      (array['succeeded', 'failed', 'cancelled'])[1 + n % 3], 1, 200 + n % 300, now() - n * interval '1 second'
    from generate_series(1, ${count}::int) as n`);
}

async function addAudit(): Promise<void> {
  await stack.db.execute(sql`
    insert into earnest.audit_entry (id, account_id, actor_account_id, action, target, data, request_id, created_at)
    select 'aud_' || lpad(n::text, 26, '0'), ${busyAccount}, ${busyAccount}, 'key.created', 'key_' || n,
      jsonb_build_object('name', 'a program'), 'req_' || n, now() - n * interval '1 second'
    from generate_series(1, ${count}::int) as n`);
}
