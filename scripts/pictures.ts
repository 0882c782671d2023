// npm run pictures: takes pictures of the console's main pages into docs/pictures, from a real stack with a sample market.

import { rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, test } from "vitest";
import {
  closeWindows,
  openVisitor,
  signInByPage,
  startBrowser,
  type Visitor,
} from "../test/harness/console/browser.ts";
import { answers, startRecorder } from "../test/harness/jobs/deliveries.ts";
import { startStack, type TestStack } from "../test/harness/stack.ts";
import { type Market, openMarket } from "./pictures/market.ts";

/** Milliseconds in which lists and charts take their final place. */
const settlingMs = 1_200;
const desktop = { width: 1280, height: 800 };
const folder = fileURLToPath(new URL("../docs/pictures", import.meta.url));

let stack: TestStack;
let browser: Browser;
let receiver: Awaited<ReturnType<typeof startRecorder>>;
let market: Market;
let buyer: Visitor;
let seller: Visitor;
let visitor: Visitor;

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
  for (const each of [buyer, seller]) {
    await each.page.setViewportSize(desktop);
    await signInByPage(each);
  }
  visitor = await openVisitor(browser, { ...options, account: sells });
  await visitor.page.setViewportSize(desktop);
}, 300_000);
afterAll(async () => {
  await closeWindows();
  await receiver?.close();
  await stack?.close();
});

test("pictures of the main pages", async () => {
  const { page } = buyer;
  rmSync(folder, { recursive: true, force: true });
  await take(visitor.page, "landing", "/");
  await take(page, "home", "/");
  await take(page, "market", "/market");
  await take(page, "service", "/market/lingua/documents");
  await take(page, "orders", "/purchases");
  await take(page, "order", `/orders/${market.delivered.id}`);
  await page.setViewportSize({ width: 390, height: 844 });
  await take(page, "order-phone", `/orders/${market.delivered.id}`);
  await page.setViewportSize(desktop);
  await takePayment(page);
  await takeDispute(page);
  await take(page, "request", `/requests/${market.request.id}`);
  await take(page, "payments", "/payments");
  await takeDelivery(page);
  await take(seller.page, "selling", "/sell/agents/lingua/documents");
  await take(seller.page, "analytics", "/analytics");
});

/** The dialog before the wallet signs, of an order that waits for its payment. */
async function takePayment(page: Page): Promise<void> {
  await page.goto(`/orders/${market.unpaid.id}`);
  await page.getByRole("button", { name: /^Pay \d/ }).click();
  await page.getByRole("dialog").getByText("4.00 TUSD").first().waitFor();
  await take(page, "pay");
  await page.getByRole("button", { name: "Cancel" }).click();
}

/** A dispute with its reason, once the chain has it. */
async function takeDispute(page: Page): Promise<void> {
  await page.goto(`/orders/${market.disputed.id}/dispute`);
  await page.getByLabel("Reason").fill("The forecast has no range, which the service promises.");
  await page.getByRole("button", { name: "Open dispute", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Confirm in wallet" }).click();
  await page.getByText("Under review").first().waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await take(page, "dispute");
}

/** A delivery that failed. */
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

/**
 * Takes a picture of the window in light and in dark, once nothing is loading.
 *
 * @param path the page to open first; without it, the page that is open
 */
async function take(page: Page, name: string, path?: string): Promise<void> {
  if (path) await page.goto(path);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(".skeleton").first().waitFor({ state: "detached" });
    await page.evaluate(() => document.fonts.ready);
    await page.waitForTimeout(settlingMs);
    // Notices would cover the page.
    await page.evaluate(() => {
      for (const toasts of document.querySelectorAll<HTMLElement>(".toasts")) toasts.style.display = "none";
    });
    const file = join(folder, `${name}${colorScheme === "dark" ? "-dark" : ""}.png`);
    await page.screenshot({ path: file, animations: "disabled", caret: "hide" });
    console.log(`${relative(folder, file)} ${(statSync(file).size / 1000).toFixed(0)} kB`);
  }
}
