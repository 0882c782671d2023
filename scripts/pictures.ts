// npm run pictures: takes pictures of the console's main pages into docs/pictures, from a real stack with a sample market.

import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, test } from "vitest";
import {
  choose,
  openVisitor,
  signInByPage,
  startBrowser,
  type Visitor,
} from "../test/harness/console/browser.ts";
import { answers, startRecorder } from "../test/harness/jobs/deliveries.ts";
import { startStack, type TestStack } from "../test/harness/stack.ts";
import { type Market, openMarket } from "./pictures/market.ts";

const folder = fileURLToPath(new URL("../docs/pictures", import.meta.url));

let stack: TestStack;
let browser: Browser;
let receiver: Awaited<ReturnType<typeof startRecorder>>;
let market: Market;
let buyer: Visitor;
let seller: Visitor;

beforeAll(async () => {
  [stack, browser, receiver] = await Promise.all([startStack(), startBrowser(), startRecorder()]);
  const [buys, sells] = [
    privateKeyToAccount(generatePrivateKey()),
    privateKeyToAccount(generatePrivateKey()),
  ];
  market = await openMarket(stack, buys, sells);
  const options = { baseUrl: stack.baseUrl, chain: stack.chain };
  buyer = await openVisitor(browser, { ...options, account: buys });
  seller = await openVisitor(browser, { ...options, account: sells });
  for (const visitor of [buyer, seller]) {
    await visitor.page.setViewportSize({ width: 1000, height: 720 });
    await signInByPage(visitor);
  }
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await receiver?.close();
  await stack?.close();
});

test("pictures of the main pages", async () => {
  const { page } = buyer;
  rmSync(folder, { recursive: true, force: true });
  await page.getByText("To review").first().waitFor();
  await take(page, "home");
  await page.goto("/market");
  await page.getByText("7 services").waitFor();
  await take(page, "market");

  await page.goto("/market/lingua/documents");
  await page.getByLabel("text").fill("This lease begins on 1 January.");
  await page.getByRole("heading", { name: "Place an order" }).evaluate((heading) => heading.scrollIntoView());
  await take(page, "service");
  await choose(page, "tone", "formal");
  await page.getByRole("button", { name: "Place order" }).click();
  await page.getByRole("button", { name: /^Pay \d/ }).click();
  await page.getByRole("dialog").getByText("12.500000 TUSD", { exact: true }).waitFor();
  await take(page, "pay", ".modal");

  await page.goto(`/orders/${market.delivered.id}`);
  await page.getByText("Delivery confirmed on-chain").waitFor();
  await take(page, "order");
  await page.setViewportSize({ width: 360, height: 740 });
  await take(page, "order-phone");
  await page.setViewportSize({ width: 1000, height: 720 });
  await takeDispute(page);
  await page.goto(`/requests/${market.request.id}`);
  await page.getByText("420.00").first().waitFor();
  await take(page, "request");
  await page.goto("/payments");
  await page.getByText(/^\d+ payments$/).waitFor();
  await take(page, "payments");
  await page.emulateMedia({ colorScheme: "dark" });
  await takeDelivery(page);
  await seller.page.goto("/sell/agents/lingua/documents");
  await seller.page.getByText("Output schema (JSON Schema)").first().waitFor();
  await take(seller.page, "selling");
});

/** Takes a picture of a dispute with its reason, once the chain has the dispute. */
async function takeDispute(page: Page): Promise<void> {
  await page.goto(`/orders/${market.disputed.id}/dispute`);
  await page.getByLabel("Reason").fill("The forecast has no range, which the service promises.");
  await page.getByRole("button", { name: "Open dispute", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Confirm in wallet" }).click();
  await page.getByText("Under review").waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await take(page, "dispute");
}

/** Takes a picture of a failed delivery. */
async function takeDelivery(page: Page): Promise<void> {
  receiver.reactions.set("/events", answers(503, {}, "The database is not there."));
  await page.goto("/webhooks");
  await page.getByRole("button", { name: "Add endpoint" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill(`${receiver.url}/events`);
  await dialog.getByRole("button", { name: "Add endpoint" }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: `${receiver.url}/events` }).click();
  await page.getByRole("button", { name: "Send test event" }).click();
  await dialog.getByRole("button", { name: "Send test" }).click();
  await page.locator(".status").filter({ hasText: "Failed" }).waitFor();
  await take(page, "delivery");
}

/** Takes a picture of the window, or of a part of it, once nothing is loading. */
async function take(page: Page, name: string, part?: string): Promise<void> {
  await page.getByText("Loading").first().waitFor({ state: "detached" });
  // Notices would cover the page.
  await page.locator(".toasts").evaluate((notices) => {
    notices.style.display = "none";
  });
  const path = join(folder, `${name}.png`);
  const options = { path, animations: "disabled", caret: "hide" } as const;
  if (part) await page.locator(part).screenshot(options);
  else await page.screenshot(options);
  console.log(`${name}.png ${(statSync(path).size / 1000).toFixed(0)} kB`);
}
