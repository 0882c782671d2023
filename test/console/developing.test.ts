import { randomUUID } from "node:crypto";
import type { Browser, Locator, Page } from "playwright-core";
import { typeid } from "typeid-js";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { insertEvents } from "../../db/account-events.ts";
import { webhookDelivery } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { verifyWebhook } from "../../protocol/webhooks/index.ts";
import { expectStatus, type Requester, requesterOf, signIn } from "../harness/api.ts";
import {
  choose,
  expectAccessible,
  openVisitor,
  signInByPage,
  startBrowser,
  type Visitor,
} from "../harness/console/browser.ts";
import { answers, startRecorder } from "../harness/jobs/deliveries.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

let stack: TestStack;
let browser: Browser;
let receiver: Awaited<ReturnType<typeof startRecorder>>;
let api: Requester;
/** The account that operates the pages: another in each test, in a window of its own. */
let owner: Visitor;

beforeAll(async () => {
  [stack, browser, receiver] = await Promise.all([startStack(), startBrowser(), startRecorder()]);
  api = requesterOf(stack.baseUrl);
});
afterAll(async () => {
  await browser?.close();
  await receiver?.close();
  await stack?.close();
});
beforeEach(async () => {
  owner = await enter();
});
afterEach(async () => {
  await owner.page.goto("about:blank");
  expect(owner.faults).toEqual([]);
});

const hostile = "<img src=x onerror=alert(1)> is down";

test("an endpoint's failed delivery is shown with its body and attempt, and is received when sent again", async () => {
  const { page } = owner;
  const [path, url] = receiverUrl();
  receiver.reactions.set(path, answers(500, {}, hostile));
  const received = () => receiver.received.filter((one) => one.path === path);
  await follow(page, "Webhooks");
  await page.getByRole("button", { name: "Add endpoint" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Add endpoint" }).click();
  await dialog.getByText("Enter the full URL").waitFor();
  await expect.poll(() => page.evaluate(focusedLabel)).toMatch(/^URL/);
  await dialog.getByLabel("URL").fill(url);
  await expectAccessible(owner);
  await dialog.getByRole("button", { name: "Add endpoint" }).click();
  const secret = await takeSecret(page);
  await expectAccessible(owner);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByText(secret).waitFor({ state: "detached" });
  await page.getByRole("link", { name: url }).click();

  await page.getByRole("button", { name: "Send test event" }).click();
  await expectAccessible(owner);
  await dialog.getByRole("button", { name: "Send test" }).click();
  await status(page, "Failed");
  await page.getByText("Headers and response of attempt 1").click();
  await page.getByText(hostile).waitFor();
  const [failed] = received();
  const shown = await page.getByRole("region", { name: "Payload" }).locator("pre").textContent();
  expect(JSON.stringify(JSON.parse(String(shown)))).toBe(failed?.raw);
  await expectAccessible(owner);

  receiver.reactions.delete(path);
  await page.getByRole("button", { name: "Resend" }).click();
  await status(page, "Delivered");
  await page.getByText("HTTP 200").waitFor();
  const again = received().at(-1);
  expect(again?.raw).toBe(failed?.raw);
  expect(verifyWebhook(again?.raw ?? "", String(again?.headers["x-service-signature"]), secret)).toBe(true);
});

test("of thousands of deliveries only the visible rows are in the page; the keyboard alone opens the last one", async () => {
  const { page } = owner;
  const { id: endpointId, url } = await addEndpoint();
  const newest = Date.now() - 60_000;
  await stack.db.insert(webhookDelivery).values(
    Array.from({ length: 2000 }, (_, at) => ({
      id: typeid("whd").toString(),
      endpointId,
      type: "order.created",
      testBody: { id: typeid("evt").toString(), created_at: new Date(0).toISOString(), data: { at } },
      status: "cancelled" as const,
      createdAt: new Date(newest - at),
    })),
  );
  await follow(page, "Webhooks");
  await page.getByRole("link", { name: url }).click();
  await page.getByText("2,000 deliveries").waitFor();
  await choose(page, "Status", "Failed");
  await page.getByText("No deliveries match").waitFor();
  await choose(page, "Status", "Cancelled");
  await page.getByText("2,000 deliveries").waitFor();
  const rows = page.getByRole("table", { name: "Deliveries" }).getByRole("row");
  await tabTo(page, /^order\.created/);
  await page.keyboard.press("End");
  await expect.poll(() => focusedPlace(page), { timeout: 20_000 }).toBeGreaterThanOrEqual(100);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  expect(await rows.count()).toBeLessThan(80);
  await expectAccessible(owner);
  // Comes right before the opening, because a pending read may have moved the row.
  const place = await focusedPlace(page);
  await page.keyboard.press("Enter");
  await status(page, "Cancelled");
  await page.getByText(`"at": ${place - 1}`).waitFor();
});

test("an endpoint is changed, paused and deleted, its secret replaced, and its missed events sent", async () => {
  const { page } = owner;
  const { url } = await addEndpoint();
  await follow(page, "Webhooks");
  await page.getByRole("link", { name: url }).click();
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Replay missed events" }).click();
  await dialog.getByRole("button", { name: "Replay events" }).click();
  await dialog.getByText("Choose a day.").waitFor();
  await dialog.getByRole("spinbutton").first().focus();
  const [year, month, day] = new Date().toISOString().slice(0, 10).split("-");
  await page.keyboard.type(`${month}${day}${year}`);
  await dialog.getByRole("button", { name: "Replay events" }).click();
  await dialog.getByText("0 events queued.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("Description").fill("the counter");
  await dialog.getByRole("checkbox", { name: /^All/ }).uncheck();
  await dialog.getByRole("checkbox", { name: /^order\.funded/ }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Endpoint saved.").waitFor();
  await page.getByText("Send events", { exact: true }).click();
  await page.getByText("Paused: events are kept").waitFor();
  await page.getByRole("button", { name: "Rotate secret" }).click();
  await page.getByRole("button", { name: "Rotate secret now" }).click();
  await takeSecret(page);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByText("Old secret").waitFor();
  await expectAccessible(owner);
  await follow(page, "Webhooks");
  await page.getByText("the counter").waitFor();
  await page.getByText("order.funded", { exact: true }).first().waitFor();
  await page.getByRole("link", { name: url }).click();
  await page.getByRole("button", { name: `Delete ${url}` }).click();
  await page.getByRole("button", { name: "Delete endpoint permanently" }).click();
  await page.getByText("No endpoints yet").waitFor();
  await follow(page, "Audit log");
  await page.getByText("Webhook secret rotated").waitFor();
});

test("a new key's secret is in view and focused; the key's row shows its spending; the key is revoked", async () => {
  const { page } = owner;
  await follow(page, "API keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("Enter a label.").waitFor();
  await expect.poll(() => page.evaluate(focusedLabel)).toMatch(/^Label/);
  await dialog.getByLabel("Label").fill("counter");
  await dialog.getByRole("checkbox", { name: /orders:read/ }).check();
  await dialog.getByText("Limits and expiry").click();
  await dialog.getByLabel("Monthly limit").fill("40");
  for (const size of [
    { width: 390, height: 844 },
    { width: 1440, height: 900 },
  ]) {
    await page.setViewportSize(size);
    expect(await isInView(dialog.getByRole("button", { name: "Create key" }))).toBe(true);
  }
  await expectAccessible(owner);
  await dialog.getByRole("button", { name: "Create key" }).click();
  const apiKey = await takeSecret(page);
  const me = expectStatus(200, await api.request("GET", "/me", { apiKey }));
  expect([me.primary_address, me.auth.scopes]).toEqual([owner.wallet.account.address, ["orders:read"]]);
  await expectAccessible(owner);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByText(apiKey).waitFor({ state: "detached" });
  const row = page.getByRole("row").filter({ hasText: "counter" });
  await row.getByText("0.00 of 40.00 TUSD").waitFor();
  await expectAccessible(owner);
  await page.getByRole("link", { name: "counter" }).click();
  await expectAccessible(owner);
  await page.getByRole("button", { name: "Revoke key counter" }).click();
  await page.getByRole("button", { name: "Revoke counter permanently" }).click();
  await page.getByText("Key counter revoked.").waitFor();
  expect((await api.request("GET", "/me", { apiKey })).status).toBe(401);
});

test("the API reference finds an operation, and its form sends real requests with the session", async () => {
  const { page, context } = owner;
  const operations = page.getByRole("navigation", { name: "Operations" });
  await follow(page, "API reference");
  await page
    .getByRole("link", { name: /^Create an agent/ })
    .first()
    .waitFor();
  await expectAccessible(owner);
  await page.getByLabel("Filter operations").fill("api-keys");
  await operations.getByRole("link", { name: /^List your API keys/ }).click();
  await page.getByRole("heading", { level: 2, name: "List your API keys" }).waitFor();
  for (const language of ["curl", "TypeScript", "Python", "Go"]) {
    await page.getByRole("tab", { name: language }).click();
    await page
      .getByRole("tabpanel")
      .getByText(/api-keys|apiKeys|api_keys|APIKeys/)
      .first()
      .waitFor();
  }
  await page.getByRole("button", { name: "Send request" }).click();
  await page.getByText("HTTP 200", { exact: true }).waitFor();
  await page.getByText('"total": 0').waitFor();
  await page.getByText("Response headers").click();
  await page.getByText("content-type: application/json").waitFor();
  await expectAccessible(owner);

  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/v1/api-keys")) sent.push(request.method());
  });
  await operations.getByRole("link", { name: /^Create an API key/ }).click();
  const body = page.getByLabel("Body (JSON)");
  await body.fill("{");
  await page.getByRole("button", { name: "Send request" }).click();
  await page.getByRole("button", { name: "Send POST request now" }).click();
  await page.getByText("This is not valid JSON.").waitFor();
  expect(sent).toEqual([]);
  await body.fill('{"name": "tried", "scopes": ["orders:read"]}');
  await page.getByRole("button", { name: "Send POST request now" }).click();
  await page.getByText("HTTP 201", { exact: true }).waitFor();
  expect(sent).toEqual(["POST"]);
  const [cookie] = (await context.cookies()).filter(({ name }) => name.startsWith("earnest"));
  expect(await page.content()).not.toContain(cookie?.value ?? "est_");
  for (const { operationId } of await longestOperations()) {
    await page.goto(`/docs?op=${operationId}`);
    await page.getByRole("heading", { name: "Try it" }).waitFor();
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    expect([operationId, height < 12_000]).toEqual([operationId, true]);
  }
});

test("the quickstart leads from a key to an order; an event appears as it happens, with its payload", async () => {
  const { page } = owner;
  await follow(page, "Quickstart");
  await page.getByRole("tab", { name: "TypeScript" }).last().waitFor();
  await page.getByRole("link", { name: "Create API key" }).waitFor();
  await expectAccessible(owner);
  await follow(page, "Events");
  await page.getByText("No events yet").waitFor();
  await expectAccessible(owner);
  const { accountId } = await sessionOf(owner);
  const data = {
    request_id: "rqt_x",
    title: "A poem",
    tags: [],
    links: { request: "/api/v1/requests/rqt_x" },
  };
  await inTransaction(stack.db, (tx) =>
    insertEvents(tx, [{ accountId, type: "request.matched", orderId: null, key: randomUUID(), data }]),
  );
  await page.getByRole("link", { name: "request.matched" }).click();
  await page.getByRole("dialog").getByText('"title": "A poem"').waitFor();
  await expectAccessible(owner);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await choose(page, "Type", "order.funded");
  await page.getByText("No events match").waitFor();
});

/** Opens a window for a new account, and signs the account in. */
async function enter(): Promise<Visitor> {
  const account = privateKeyToAccount(generatePrivateKey());
  const visitor = await openVisitor(browser, { baseUrl: stack.baseUrl, chain: stack.chain, account });
  await signInByPage(visitor);
  return visitor;
}

let paths = 0;
/** Returns a path of the receiver that no other test uses, and its URL. */
function receiverUrl(): [path: string, url: string] {
  const path = `/events-${++paths}`;
  return [path, `${receiver.url}${path}`];
}

/** The operations with the longest descriptions. */
async function longestOperations(): Promise<{ operationId: string }[]> {
  const { paths } = (await (await fetch(`${stack.baseUrl}/api/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const lengthOf = (operation: object) => JSON.stringify(operation).length;
  return operations.sort((one, other) => lengthOf(other) - lengthOf(one)).slice(0, 2);
}

/** Adds an endpoint of the owner by the API. */
async function addEndpoint(): Promise<{ id: string; url: string }> {
  const [, url] = receiverUrl();
  const { token } = await sessionOf(owner);
  return expectStatus(201, await api.request("POST", "/webhooks", { token, body: { url, events: ["*"] } }));
}

const follow = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();

const status = (page: Page, text: string) => page.locator(".status").filter({ hasText: text }).waitFor();

/** A session of a program of the visitor: no script can read the browser's own. */
const sessionOf = ({ wallet }: Visitor) => signIn(api, wallet.account);

/** Returns the position in its list or table that the focused row announces. */
const focusedPlace = (page: Page) =>
  page.evaluate(() => Number(document.activeElement?.closest("[role=row]")?.ariaRowIndex) - 1);

/** Returns a secret that is shown once. It has the focus and is in view. */
async function takeSecret(page: Page): Promise<string> {
  const secret = page.getByTestId("secret");
  await secret.waitFor();
  await expect.poll(() => secret.evaluate((shown) => document.activeElement === shown)).toBe(true);
  expect(await isInView(secret)).toBe(true);
  return String(await secret.textContent());
}

/** Whether all of an element is within the window, and nothing covers its middle. */
const isInView = (part: Locator) =>
  part.evaluate((shown) => {
    const { top, left, bottom, right } = shown.getBoundingClientRect();
    const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && shown.contains(above);
  });

/** Runs in the page. Returns the label of the focused field. */
const focusedLabel = () =>
  (document.activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent ?? "";

/** Presses the tab key until the focused element has this name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let at = 0; at < 60; at++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(
      () => document.activeElement?.ariaLabel ?? document.activeElement?.textContent ?? "",
    );
    if (name.test(focused)) return;
  }
  throw new Error(`The tab key reaches nothing named ${name}.`);
}
