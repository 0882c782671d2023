import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import type { LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  closeWindows,
  expectAccessible,
  openInNewTab,
  openVisitor,
  signInByPage,
  startBrowser,
  type Visitor,
} from "../harness/console/browser.ts";
import { switchUntilNoticed } from "../harness/console/wallet.ts";
import { joinStack, type SharedStack } from "../harness/stack.ts";

let stack: SharedStack;
let browser: Browser;
let owner: Visitor;
const visitors: Visitor[] = [];

beforeAll(async () => {
  [stack, browser] = await Promise.all([joinStack(), startBrowser()]);
  owner = await open();
  await signInByPage(owner);
});
afterAll(async () => {
  await closeWindows();
  await stack?.close();
});
afterEach(() => {
  for (const { faults } of visitors) expect(faults.splice(0)).toEqual([]);
});

async function open(
  account: LocalAccount = privateKeyToAccount(generatePrivateKey()),
  isPhone = false,
): Promise<Visitor> {
  const { baseUrl, chain } = stack;
  const visitor = await openVisitor(browser, { baseUrl, chain, account, isPhone });
  visitors.push(visitor);
  return visitor;
}

const overview = (page: Page) => page.getByRole("heading", { name: "Overview", exact: true }).waitFor();

test("the session's secret is out of reach of the page", async () => {
  const [cookie] = (await owner.context.cookies()).filter(({ name }) => name.startsWith("earnest"));
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
  const reached = await owner.page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  expect(cookie?.value).toMatch(/^est_/);
  expect(reached).not.toContain("est_");
});

test("a link in a new tab opens signed in, and so does the browser after a restart or without its storage", async () => {
  const tab = await openInNewTab(owner, owner.page.getByRole("link", { name: "Sessions", exact: true }));
  await tab.getByRole("heading", { name: "Sessions", exact: true }).waitFor();
  await tab.close();

  const storageState = await owner.context.storageState();
  const restarted = await browser.newContext({ baseURL: stack.baseUrl, storageState });
  const page = await restarted.newPage();
  await page.goto("/");
  await overview(page);
  await page.evaluate(() => localStorage.clear());
  await page.goto("/settings/sessions");
  await page.getByText("This browser").waitFor();
  await restarted.close();
});

test("a page of another origin reads nothing, changes nothing and signs nobody in", async () => {
  const received: string[] = [];
  const other = createServer(({ headers }, answer) => {
    received.push(headers.cookie ?? "");
    answer.setHeader("content-type", "text/html").end("<p>Evil");
  });
  await new Promise<void>((done) => other.listen(0, "localhost", done));
  // Another port of this host is the same site, so the browser adds the cookie.
  const url = `http://localhost:${(other.address() as AddressInfo).port}/`;
  const page = await owner.context.newPage();
  try {
    await page.goto(url);
    expect(received[0]).toContain("est_");
    const api = `${stack.baseUrl}/api/v1`;
    type Init = { method?: string; mode?: "no-cors"; headers?: Record<string, string>; body?: string };
    const send = (to: string, init: Init) =>
      page.evaluate(
        async ([address, options]) => {
          const answer = await fetch(address, { ...options, credentials: "include" }).catch(() => null);
          return answer && { type: answer.type, text: await answer.text() };
        },
        [to, init] as const,
      );
    const responded = page.waitForResponse(`${api}/me`);
    expect(await send(`${api}/me`, { mode: "no-cors" })).toEqual({ type: "opaque", text: "" });
    expect((await responded).status()).toBe(401);
    const exported = page.waitForResponse(`${stack.baseUrl}/exports/payments.csv`);
    await send(`${stack.baseUrl}/exports/payments.csv`, { mode: "no-cors" });
    expect((await exported).status()).toBe(401);

    const header = { "earnest-console": "1", "content-type": "application/json" };
    const body = JSON.stringify({ slug: "forged", name: "Forged" });
    expect(await send(`${api}/me`, {})).toBeNull();
    expect(await send(`${api}/me`, { headers: header })).toBeNull();
    expect(await send(`${api}/agents`, { method: "POST", headers: header, body })).toBeNull();
    await send(`${api}/agents`, { method: "POST", mode: "no-cors", body });
    await send(`${api}/auth/logout`, { method: "POST", mode: "no-cors" });
    expect(await send(`${api}/session`, { method: "POST", headers: header, body: "{}" })).toBeNull();
    expect((await fetch(`${api}/agents/forged`)).status).toBe(404);
  } finally {
    await page.close();
    other.close();
  }
  await owner.page.reload();
  await overview(owner.page);
});

test("a wallet that switches its account ends nothing, and the page says so", async () => {
  const { account } = owner.wallet;
  await switchUntilNoticed(owner.page, owner.wallet);
  await owner.wallet.switchAccount(account);
  await owner.page.reload();
  await overview(owner.page);
});

test("the list of sessions signs another browser out, whose page then asks for a sign-in", async () => {
  const second = await open(owner.wallet.account);
  await signInByPage(second);
  await owner.page.getByRole("link", { name: "Sessions", exact: true }).click();
  await owner.page.getByText("2 sessions").waitFor();
  await expectAccessible(owner);
  await owner.page.getByRole("button", { name: /^Sign out Chrome on Linux$/ }).click();
  await owner.page.getByRole("button", { name: "Sign out Chrome on Linux" }).last().click();
  await owner.page.getByText("1 session", { exact: true }).waitFor();
  const end = second.page
    .getByRole("status")
    .filter({ hasText: "Your session has ended. Please sign in again." });
  await end.getByRole("link", { name: "Sign in" }).click();
  await second.page.getByRole("heading", { name: "Sign in" }).waitFor();
  // The service refuses the requests of the ended session.
  expect(second.faults.filter((fault) => !/status of 401/.test(fault))).toEqual([]);
  second.faults.splice(0);
});

test("a phone approves the sign-in of a browser, which shows a code", async () => {
  const [desktop, phone] = [await open(), await open(owner.wallet.account, true)];
  for (const visitor of [desktop, phone]) await comeFrom(visitor, "203.0.113.7");
  await desktop.page.goto("/sign-in?next=%2Fsettings%2Fsessions");
  const scanned = await noteLink(desktop.page);
  const code = await askForCode(desktop.page);
  await expectAccessible(desktop);
  await phone.page.goto(scanned());
  await phone.page.getByText(code).waitFor();
  await phone.page.getByText("Chrome on Linux").waitFor();
  await phone.page.getByText("Approve only if you see this code on a screen in front of you.").waitFor();
  await expectAccessible(phone);
  await phone.page.getByRole("button", { name: "Test wallet" }).click();
  await phone.page.getByText(`signed in as ${owner.wallet.account.address}`).waitFor();
  await desktop.page.getByText("2 sessions").waitFor();
  expect(desktop.wallet.asked).toEqual([]);
});

test("a phone on another network approves only by the code that the screen shows", async () => {
  const [desktop, phone] = [await open(), await open(undefined, true)];
  await comeFrom(desktop, "203.0.113.7");
  await comeFrom(phone, "198.51.100.7");
  await desktop.page.goto("/sign-in");
  const scanned = await noteLink(desktop.page);
  const code = await askForCode(desktop.page);
  await phone.page.goto(scanned());
  await phone.page.getByText("The other device is on a different network than this one.").waitFor();
  expect(await phone.page.getByText(code).count()).toBe(0);
  await phone.page.getByLabel("Code on the other screen").fill(code);
  await phone.page.getByRole("button", { name: "Continue" }).click();
  await phone.page.getByRole("button", { name: "Refuse" }).click();
  await phone.page.getByText("You refused the sign-in.").waitFor();
});

test("a phone refuses a sign-in, and the browser offers a new code", async () => {
  const [desktop, phone] = [await open(), await open()];
  await desktop.page.goto("/sign-in");
  const code = await askForCode(desktop.page);
  await phone.page.goto("/link");
  await phone.page.getByLabel("Code on the other screen").fill(code.toLowerCase());
  await phone.page.getByRole("button", { name: "Continue" }).click();
  await phone.page.getByRole("button", { name: "Refuse" }).click();
  await phone.page.getByText("You refused the sign-in.").waitFor();
  await desktop.page.getByText("The other device refused this sign-in.").waitFor();
  await desktop.page.getByRole("button", { name: "Get a new code" }).click();
  expect(await readCode(desktop.page)).not.toBe(code);
});

test("a sign-out in one tab signs all tabs out", async () => {
  const tab = await owner.context.newPage();
  await tab.goto("/purchases");
  await tab.getByRole("heading", { name: "Purchases", exact: true }).waitFor();
  await owner.page.getByRole("button", { name: /^Account / }).click();
  await owner.page.getByRole("menuitem", { name: "Sign out" }).click();
  await tab.getByText("You signed out in another tab.").waitFor();
  await tab.reload();
  await tab.getByRole("heading", { name: "Sign in" }).waitFor();
});

/** Makes the service see a browser at an address, as behind a proxy. */
const comeFrom = ({ page }: Visitor, address: string) =>
  page.setExtraHTTPHeaders({ "x-forwarded-for": address });

/** Notes the link of the QR code that a browser shows next. */
async function noteLink(page: Page): Promise<() => string> {
  let link = "";
  await page.route("**/auth/device", async (route) => {
    const answer = await route.fetch();
    const { pathname, search } = new URL(((await answer.json()) as { url: string }).url);
    link = pathname + search;
    await route.fulfill({ response: answer });
  });
  return () => link;
}

async function askForCode(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Use a wallet on another device" }).click();
  return readCode(page);
}

async function readCode(page: Page): Promise<string> {
  await page.getByRole("img", { name: "QR code for your phone" }).waitFor();
  return (await page.getByText(/^[A-Z]{4}-[A-Z]{4}$/).textContent()) ?? "";
}
