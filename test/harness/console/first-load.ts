import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContext, Page } from "playwright-core";

/** Slow 4G as Lighthouse has it: 150 ms, 1.6 Mbit/s down and 0.75 Mbit/s up. */
const slow4g = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (0.75 * 1024 * 1024) / 8,
};
/** How many times slower the processor is. */
const slowdown = 4;
/** Milliseconds without a request after which a page has loaded. */
const quietMs = 1_500;

/** How a page loaded. */
export type FirstLoad = {
  requests: number;
  /** the compressed bytes that arrived before the page showed what its reader came for */
  bytes: number;
  /** the largest contentful paint, in milliseconds */
  lcp: number;
  /** the sum of layout shifts */
  cls: number;
};

/**
 * Opens a page with an empty cache on slow 4G with a slow processor, and reads what the browser measured.
 *
 * @param wait resolves once the page shows what a reader came for
 */
export async function loadFirst(
  context: BrowserContext,
  path: string,
  wait: (page: Page) => Promise<void>,
): Promise<FirstLoad> {
  const page = await context.newPage();
  await page.addInitScript(watchPaint);
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Network.clearBrowserCache");
  await cdp.send("Network.emulateNetworkConditions", slow4g);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  let [requests, arrived] = [0, 0];
  cdp.on("Network.requestWillBeSent", () => {
    requests += 1;
  });
  cdp.on("Network.loadingFinished", ({ encodedDataLength }) => {
    arrived += encodedDataLength;
  });
  await page.goto(path, { waitUntil: "commit" });
  await wait(page);
  const bytes = arrived;
  let seen = -1;
  while (seen !== requests) {
    seen = requests;
    await sleep(quietMs);
  }
  const { lcp, cls } = await page.evaluate(
    () => (window as unknown as { painted: { lcp: number; cls: number } }).painted,
  );
  await page.close();
  return { requests, bytes, lcp, cls };
}

/** Runs in the page: keeps the largest contentful paint, and the sum of layout shifts. */
function watchPaint(): void {
  const painted = { lcp: 0, cls: 0 };
  Object.assign(window, { painted });
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) painted.lcp = startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) painted.cls += (entry as unknown as { value: number }).value;
  }).observe({ type: "layout-shift", buffered: true });
}
