import type { Browser, Locator, Page } from "playwright-core";
import { typeid } from "typeid-js";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { webhookDelivery } from "../../db/schema.ts";
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
import { walkHostileMarket } from "../harness/console/hostile-walk.ts";
import { answers, startRecorder } from "../harness/jobs/deliveries.ts";
import { startMailServer } from "../harness/mail.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

let stack: TestStack;
let browser: Browser;
let mail: Awaited<ReturnType<typeof startMailServer>>;
let receiver: Awaited<ReturnType<typeof startRecorder>>;
let api: Requester;
/** The account that operates the pages: another in each test, in a window of its own. */
let owner: Visitor;
let visitors: Visitor[] = [];

beforeAll(async () => {
  mail = await startMailServer();
  const env = { SMTP_URL: mail.url, MAIL_FROM: "Earnest <mail@example.org>" };
  [stack, browser, receiver] = await Promise.all([startStack({ env }), startBrowser(), startRecorder()]);
  api = requesterOf(stack.baseUrl);
});
afterAll(async () => {
  await browser?.close();
  await receiver?.close();
  await stack?.close();
  await mail?.close();
});
beforeEach(async () => {
  visitors = [];
  owner = await enter();
});
afterEach(async () => {
  // A browser of one process ends with the first window that is closed.
  for (const { page } of visitors) await page.goto("about:blank");
  expect(visitors.flatMap(({ faults }) => faults)).toEqual([]);
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
  expect(await page.evaluate(focusedLabel)).toMatch(/^URL/);
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
  expect(await page.evaluate(focusedLabel)).toMatch(/^Label/);
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

test("an invited member joins and acts for the organisation; after the removal, access ends at once", async () => {
  const { page } = owner;
  const guest = await open();
  await follow(page, "Organisation");
  await page.getByLabel("Name").fill("Lingua");
  await page.getByRole("button", { name: "Save name" }).click();
  await page.getByLabel("Wallet").fill(guest.wallet.account.address);
  await choose(page, "Role", "admin");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByText("1 invitation", { exact: true }).waitFor();
  await expectAccessible(owner);

  await signInByPage(guest);
  await follow(guest.page, "Organisation");
  await guest.page.getByRole("button", { name: "Join Lingua" }).click();
  await guest.page.getByText("You act for Lingua.").waitFor();
  await guest.page.getByText("2 members").waitFor();
  await expectAccessible(guest);
  const acting = {
    token: (await sessionOf(guest)).token,
    organisation: (await sessionOf(owner)).accountId,
  };
  const readOrders = () =>
    api.request("GET", "/orders", {
      token: acting.token,
      headers: { "X-Organisation": acting.organisation },
    });
  expect((await readOrders()).status).toBe(200);

  const url = "http://localhost:9/theirs";
  const added = await api.request("POST", "/webhooks", {
    token: acting.token,
    headers: { "X-Organisation": acting.organisation },
    body: { url, events: ["*"] },
  });
  expect(added.status).toBe(201);
  const invited = await api.request("POST", `/organisations/${acting.organisation}/invitations`, {
    token: acting.token,
    body: { address: `0x${"ab".repeat(20)}`, role: "developer" },
  });
  expect(invited.status).toBe(201);

  const member = guest.wallet.account.address;
  await page.getByRole("button", { name: `Remove ${member}` }).click();
  await page.getByRole("button", { name: `Remove ${member} now` }).click();
  await page.getByText(`Removed ${member}.`, { exact: true }).waitFor();
  await page.getByText(`Disabled webhooks: ${url}. Rotate each secret`).waitFor();
  await page.getByText("Revoked", { exact: true }).waitFor();
  expect((await readOrders()).status).toBe(403);
  await follow(guest.page, "Orders");
  await guest.page.getByText("You're no longer a member of that organisation.").waitFor();
  await expect.poll(() => guest.page.evaluate(readOrganisation)).toMatch(/^acc_\w+ $/);

  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByText("Member removed").waitFor();
  await page.getByText("Webhook disabled").waitFor();
  await expectAccessible(owner);
  // The refused requests of the removed member.
  guest.faults.splice(0);
});

test("an address is confirmed by the mail that its server got, and removed", async () => {
  const { page } = owner;
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitem", { name: "Email" }).click();
  const address = `${typeid("mail")}@example.org`;
  await page.getByLabel("Address").fill(address);
  // No address is set yet, and the browser logs the 404.
  expect(owner.faults.splice(0)).toEqual([expect.stringContaining("404 (Not Found)")]);
  await page.getByRole("radio", { name: "Daily digest" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Open the link in the email we sent you").waitFor();
  const taken = () => mail.taken.filter(({ to }) => to === address);
  await expect.poll(() => taken().length, { timeout: 30_000 }).toBe(1);
  const [link] = /http:\S+\/mail\/verify\?token=[\w.-]+/.exec(taken()[0]?.text ?? "") ?? [];
  await page.goto(String(link));
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("Your address is confirmed").waitFor();
  await page.goto("/settings/notifications");
  await page.getByText("Confirmed", { exact: true }).waitFor();
  expect(await page.getByRole("radio", { name: "Daily digest" }).isChecked()).toBe(true);
  await expectAccessible(owner);
});

test("hostile text in any field is plain text on every page, in mails and in tables", async () => {
  const { token, accountId } = await sessionOf(owner);
  const victim = { account: owner.wallet.account, accountId, token };
  await walkHostileMarket(stack, owner, victim, { mail, receiver });
});

test("on a phone, in dark mode, the pages fit", async () => {
  const { page } = owner;
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(owner);
  for (const path of ["/settings/audit", "/settings/organisation", "/webhooks"]) {
    await page.goto(path);
    await page
      .getByText(/^\d+ (entry|entries|members?|invitations?)$|No endpoints yet/)
      .first()
      .waitFor();
    await expectAccessible(owner);
  }
});

/** Opens a window for a new account. */
async function open(): Promise<Visitor> {
  const account = privateKeyToAccount(generatePrivateKey());
  const visitor = await openVisitor(browser, { baseUrl: stack.baseUrl, chain: stack.chain, account });
  visitors.push(visitor);
  return visitor;
}

async function enter(): Promise<Visitor> {
  const visitor = await open();
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
  page.getByRole("navigation").getByRole("link", { name, exact: true }).click();

const status = (page: Page, text: string) => page.locator(".status").filter({ hasText: text }).waitFor();

/** Runs in the page. The text names the person and, after a space, the organisation that the person acts for. */
const readOrganisation = () => sessionStorage.getItem("earnest.organisation /");

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
