import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  expectStatus,
  publishService,
  type Requester,
  requesterOf,
  type Session,
  signIn,
} from "../harness/api.ts";
import {
  closeWindows,
  expectAccessible,
  openInNewTab,
  openVisitor,
  openWindow,
  signInByPage,
  startBrowser,
  type Visitor,
} from "../harness/console/browser.ts";
import { loadFirst } from "../harness/console/first-load.ts";
import { copyOrders } from "../harness/market/many-orders.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

let stack: TestStack;
let browser: Browser;
let api: Requester;
let provider: Session;
let buyer: Visitor;
let agent: { slug: string };
let service: { id: string; slug: string };
let order: { id: string; reference: string };
const account = privateKeyToAccount(generatePrivateKey());

beforeAll(async () => {
  [stack, browser] = await Promise.all([startStack(), startBrowser()]);
  api = requesterOf(stack.baseUrl);
  provider = await signIn(api);
  ({ agent, service } = await publishService(api, provider, { title: "Count words" }));
  for (const title of ["Sort words", "Read words"]) await publishService(api, provider, { title });
  await stack.chain.fund(account);
  const { token } = await signIn(api, account);
  const body = { service_id: service.id, input_payload: { text: "one two" } };
  order = expectStatus(201, await api.request("POST", "/orders", { token, body }));
  buyer = await openVisitor(browser, { baseUrl: stack.baseUrl, chain: stack.chain, account });
  await signInByPage(buyer);
});
afterAll(async () => {
  await closeWindows();
  await stack?.close();
});
afterEach(() => expect(buyer.faults.splice(0)).toEqual([]));

const openStranger = () => openWindow(browser, { baseUrl: stack.baseUrl });

test("a visitor without a wallet reads what the market is, finds services, and has several ways to sign in", async () => {
  const visitor = await openStranger();
  const { page, faults } = visitor;
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: /^Hire AI agents/ }).waitFor();
  const services = page.getByRole("region", { name: "Services you can buy now" });
  await services.getByRole("heading", { level: 2 }).nth(3).waitFor();
  expect(await services.getByRole("article").count()).toBeGreaterThanOrEqual(3);
  await page.getByText("services on sale").waitFor();
  await expectAccessible(visitor);

  await page.getByRole("banner").getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Create a passkey" }).waitFor();
  await page.getByRole("button", { name: "Use a wallet on another device" }).waitFor();
  await page.getByRole("link", { name: "Find a wallet" }).waitFor();
  await expectAccessible(visitor);
  expect(faults).toEqual([]);
});

test("a visitor tries a sample order: a generated wallet signs in and pays with test money", async () => {
  const visitor = await openStranger();
  const { page, faults } = visitor;
  await page.goto("/");
  await page.getByRole("button", { name: "Try a sample order" }).click();
  await page.getByText("Sample wallet: you pay with test money").waitFor();
  await page.getByRole("textbox", { name: "Your request" }).fill("one two three");
  await expectAccessible(visitor);
  await page.getByRole("button", { name: "Place order" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Confirm with the sample wallet" }).click();
  await page.locator(".status").filter({ hasText: "In escrow" }).waitFor();
  await expectAccessible(visitor);
  await page.reload();
  await page.locator(".status").filter({ hasText: "In escrow" }).waitFor();
  expect(faults).toEqual([]);
});

test("crawlers get the title of an agent, which is the window's title too, and status 404 for what is not there", async () => {
  const visitor = await openStranger();
  const { page } = visitor;
  for (const [path, heading] of [
    [`/agents/${agent.slug}`, /A test agent/],
    [`/records/${agent.slug}`, /A test agent/],
    [`/market/${agent.slug}/${service.slug}`, /Count words/],
    ["/market", /Marketplace/],
    ["/reputation", /scores/],
    ["/", /Hire AI agents/],
  ] as const) {
    const answer = await fetch(`${stack.baseUrl}${path}`, { headers: { accept: "text/html" } });
    const text = await answer.text();
    const title = /<title>([^<]+)<\/title>/.exec(text)?.[1];
    expect([answer.status, text.includes(`property="og:title" content="${title}"`)]).toEqual([200, true]);
    await page.goto(path);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await expect.poll(() => page.title(), { message: path }).toBe(title?.replaceAll("&#39;", "'"));
    await expectAccessible(visitor);
  }
  expect(visitor.faults.splice(0)).toEqual([]);

  for (const path of ["/agents/nobody", "/nothing"]) {
    const answer = await fetch(`${stack.baseUrl}${path}`, { headers: { accept: "text/html" } });
    expect(answer.status, path).toBe(404);
  }
  await page.goto("/nothing");
  await page.getByRole("link", { name: "Go to the start page" }).waitFor();
  await expectAccessible(visitor);
});

test("an order's row and page name service and agent; Ctrl-click opens the order signed in", async () => {
  const { page } = buyer;
  await page.goto("/purchases");
  const row = page.getByRole("row").filter({ hasText: "Count words" });
  await row.getByText("A test agent").waitFor();
  await expectAccessible(buyer);
  const opened = await openInNewTab(buyer, row.getByRole("link", { name: "Count words" }));
  await opened.getByRole("heading", { level: 1, name: /Count words/ }).waitFor();
  await opened.getByRole("complementary").getByRole("link", { name: "A test agent" }).waitFor();
  await opened.close();
});

test("eight tabs share one stream of events, and another tab takes the stream over when its holder closes", async () => {
  const { context } = buyer;
  const streams: Page[] = [];
  context.on("request", (request) => {
    if (request.url().includes("/streams/events")) streams.push(request.frame().page());
  });
  const { token } = await signIn(api, account);
  const body = { service_id: service.id, input_payload: { text: "one two" } };
  const placeOrder = async () => expectStatus(201, await api.request("POST", "/orders", { token, body }));
  const tabs: Page[] = [];
  // A tab that stays open would hold the stream when the test runs again.
  onTestFinished(async () => void (await Promise.all(tabs.map((tab) => tab.close()))));
  for (let opened = 0; opened < 8; opened += 1) {
    const tab = await context.newPage();
    tab.setDefaultTimeout(45_000);
    await tab.goto("/purchases");
    await tab.getByRole("row").filter({ hasText: order.reference }).waitFor();
    tabs.push(tab);
  }
  const expectShown = async (reference: string) => {
    for (const tab of tabs) await tab.getByRole("row").filter({ hasText: reference }).waitFor();
  };
  await expectShown((await placeOrder()).reference);
  expect(streams.length).toBe(0);

  // The buyer's first page has held the stream so far.
  await buyer.page.goto("about:blank");
  await expectShown((await placeOrder()).reference);
  expect(streams.length).toBe(1);
  const holder = tabs.find((tab) => tab === streams[0]);
  expect(holder).toBeDefined();
  await holder?.close();
  tabs.splice(tabs.indexOf(holder as Page), 1);
  await expectShown((await placeOrder()).reference);
  expect(streams.length).toBe(2);
  await buyer.page.goto("/");
});

test("a buyer whose wallet is on a phone scans the order's code", async () => {
  const { page } = buyer;
  const state = await buyer.context.storageState();
  const context = await browser.newContext({ baseURL: stack.baseUrl, storageState: state });
  const desktop = await context.newPage();
  await desktop.goto(`/orders/${order.id}`);
  await desktop.getByRole("button", { name: "Pay with your phone" }).click();
  await desktop.getByRole("img", { name: "QR code of this order" }).waitFor();
  await expectAccessible({ page: desktop });
  await context.close();
  await page.goto(`/orders/${order.id}`);
  await page.getByRole("button", { name: /^Pay \d/ }).waitFor();
  expect(await page.getByRole("button", { name: "Pay with your phone" }).count()).toBe(0);
});

test("Ctrl+K finds an order by its reference among 10,000 within a second", async () => {
  const { page } = buyer;
  const [row] = expectStatus(200, await api.request("GET", `/marketplace/services?q=count`)).items;
  expect(row.title).toBe("Count words");
  const { session } = await page.evaluate(() => ({
    session: JSON.parse(localStorage.getItem("earnest.session /") ?? "{}") as { accountId: string },
  }));
  await copyOrders(stack.db, [order.id], { buyerId: session.accountId, many: 10_000, first: 1 });
  await page.goto("/");
  await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  const box = page.getByPlaceholder("Search pages, orders, services and agents");
  await box.waitFor();
  await expectAccessible(buyer);
  // The focus stays in the palette, whose box is the only field.
  for (const key of ["Tab", "Shift+Tab", "Tab"]) {
    await page.keyboard.press(key);
    const dialog = page.getByRole("dialog", { name: "Search" });
    expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  }
  const took: number[] = [];
  for (const at of [7, 4_321, 9_876]) {
    const reference = `E-${((at * 9_719_873) % 16_777_216).toString(16).toUpperCase().padStart(6, "0")}`;
    await box.fill("");
    const began = performance.now();
    await box.fill(reference);
    await page.getByRole("option", { name: reference }).waitFor();
    took.push(performance.now() - began);
  }
  expect(Math.min(...took)).toBeLessThan(1_000);
  await page.getByRole("option", { name: /^E-/ }).first().click();
  await page.getByRole("heading", { level: 1, name: /Count words/ }).waitFor();
});

test("an order's page on slow 4G with a slow processor needs few requests and does not jump", async () => {
  const context = await openEmpty();
  const { requests, cls } = await loadFirst(context, `/orders/${order.id}`, async (page) => {
    await page.getByRole("heading", { level: 1, name: /Count words/ }).waitFor();
    await page.getByRole("button", { name: /^Pay \d/ }).waitFor();
  });
  await context.close();
  expect(requests).toBeLessThanOrEqual(28);
  expect(cls).toBeLessThan(0.1);
});

test("the landing page and the overview do not jump, if each answer comes later than the one before", async () => {
  const visitor = await browser.newContext({
    baseURL: stack.baseUrl,
    viewport: { width: 1440, height: 900 },
  });
  for (const [context, heading] of [
    [visitor, /^Hire AI agents/],
    [await openEmpty(), "Overview"],
  ] as const) {
    let answers = 0;
    await context.route("**/api/v1/**", async (route) => {
      answers += 1;
      await sleep(150 * answers);
      await route.continue().catch(() => {});
    });
    const { cls } = await loadFirst(context, "/", (page) =>
      page.getByRole("heading", { level: 1, name: heading }).waitFor(),
    );
    await context.close();
    expect(answers).toBeGreaterThan(1);
    expect(cls).toBeLessThan(0.1);
  }
});

test("an order's page shows after three steps: its HTML, the files that the HTML names, and one round of reads", async () => {
  const context = await openEmpty();
  const page = await context.newPage();
  const html = await (
    await context.request.get(`/orders/${order.id}`, { headers: { accept: "text/html" } })
  ).text();
  let allAsked = () => {};
  const asked = new Set<string>();
  const answering = new Promise<void>((resolve) => {
    allAsked = resolve;
  });
  // No read is answered before each of the order's reads has been sent.
  await page.route(`**/api/v1/orders/${order.id}**`, async (route) => {
    asked.add(new URL(route.request().url()).pathname);
    if (asked.size === readsOfOrder) allAsked();
    await answering;
    await route.continue();
  });
  // A file that the HTML does not name never arrives.
  await page.route("**/assets/*", async (route) => {
    if (html.includes(new URL(route.request().url()).pathname)) await route.continue();
  });
  await page.goto(`/orders/${order.id}`, { waitUntil: "commit" });
  await page.getByRole("heading", { level: 1, name: /Count words/ }).waitFor();
  await page.getByRole("button", { name: /^Pay \d/ }).waitFor();
  await context.close();
});

/** The reads of an order's page: the order, its agreement, options, payment, trail and receipts. */
const readsOfOrder = 6;

/** Opens the buyer's session in a browser without a cache. */
async function openEmpty(): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: stack.baseUrl,
    storageState: await buyer.context.storageState(),
    viewport: { width: 1440, height: 900 },
  });
  context.setDefaultTimeout(45_000);
  return context;
}
