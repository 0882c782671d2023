import type { Browser, Page } from "playwright-core";
import { typeid } from "typeid-js";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { webhookDelivery } from "../../db/schema.ts";
import { verifyWebhook } from "../../protocol/webhooks/index.ts";
import { expectStatus, type Requester, requesterOf, signIn } from "../harness/api.ts";
import {
  choose,
  closeWindows,
  expectAccessible,
  openVisitor,
  signInByPage,
  startBrowser,
  type Visitor,
} from "../harness/console/browser.ts";
import { focusedLabel, takeSecret } from "../harness/console/secret.ts";
import { answers, startRecorder } from "../harness/jobs/deliveries.ts";
import { joinStack, type SharedStack } from "../harness/stack.ts";

let stack: SharedStack;
let browser: Browser;
let receiver: Awaited<ReturnType<typeof startRecorder>>;
let api: Requester;
/** The account that operates the pages: another in each test, in a window of its own. */
let owner: Visitor;

beforeAll(async () => {
  [stack, browser, receiver] = await Promise.all([joinStack(), startBrowser(), startRecorder()]);
  api = requesterOf(stack.baseUrl);
});
afterAll(async () => {
  await closeWindows();
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
  await expect.poll(() => focusedPlace(page)).toBeGreaterThanOrEqual(100);
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
