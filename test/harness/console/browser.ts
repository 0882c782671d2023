import { AxeBuilder } from "@axe-core/playwright";
import chromium from "@sparticuz/chromium";
import {
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
  chromium as playwright,
} from "playwright-core";
import type { LocalAccount } from "viem";
import { expect } from "vitest";
import type { TestChain } from "../chain.ts";
import { getFixture } from "../fixtures/fixture.ts";
import { type BrowserWallet, injectWallet } from "./wallet.ts";

/** Milliseconds that any step on a page takes at most, on a loaded machine. */
const stepTimeoutMs = 120_000;

/** A visitor in a browser of their own. */
export type Visitor = {
  page: Page;
  context: BrowserContext;
  wallet: BrowserWallet;
  /** The requests that the page's policy blocked, and the errors of the page. */
  faults: string[];
};

/**
 * Arguments that the package adds and the tests do without: one lets pages break the rules between origins, the others
 * make all windows share cookies and storage.
 */
const loosened = ["--disable-web-security", "--single-process", "--no-zygote"];

let browser: Promise<Browser> | undefined;

/** The Chromium of an npm package. The files of a process use one browser in turn, and it ends with the process. */
export function startBrowser(): Promise<Browser> {
  browser ??= launchBrowser();
  return browser;
}

async function launchBrowser(): Promise<Browser> {
  const { executable, env } = await getFixture("browser");
  // No page draws in 3D. A software renderer would cost processor time.
  chromium.setGraphicsMode = false;
  return await playwright.launch({
    executablePath: executable,
    args: chromium.args.filter((arg) => !loosened.includes(arg)),
    env: { ...process.env, ...env },
  });
}

/** Returns the address of each open page and the start of its text, which a failure is reported with. */
export async function describePages(): Promise<string[]> {
  const contexts = (await browser)?.contexts() ?? [];
  const pages = contexts.flatMap((context) => context.pages());
  return await Promise.all(
    pages.map(async (page) => {
      const text = await page.locator("body").innerText({ timeout: 2_000 }).catch(String);
      return `${page.url()}: ${text.replace(/\s+/g, " ").slice(0, 400)}`;
    }),
  );
}

/** Closes every window of a file, at its end. */
export async function closeWindows(): Promise<void> {
  for (const context of (await browser)?.contexts() ?? []) await context.close();
}

/** Opens a window for a visitor with a wallet. */
export async function openVisitor(
  browser: Browser,
  options: { baseUrl: string; chain: TestChain; account: LocalAccount; isPhone?: boolean; locale?: string },
): Promise<Visitor> {
  const { chain, account } = options;
  let wallet: BrowserWallet | undefined;
  const opened = await openWindow(browser, options, async (context) => {
    wallet = await injectWallet(context, chain, account);
  });
  return { ...opened, wallet: wallet as BrowserWallet };
}

/** Opens a window for a visitor without a wallet. */
export async function openWindow(
  browser: Browser,
  options: { baseUrl: string; isPhone?: boolean; locale?: string },
  prepare?: (context: BrowserContext) => Promise<void>,
): Promise<Omit<Visitor, "wallet">> {
  const { baseUrl, isPhone = false, locale = "en-US" } = options;
  const context = await browser.newContext({
    baseURL: baseUrl,
    locale,
    viewport: isPhone ? { width: 360, height: 740 } : { width: 1200, height: 900 },
    reducedMotion: "reduce",
  });
  const faults: string[] = [];
  await context.exposeBinding("tellFault", (_, fault: string) => void faults.push(fault));
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
      const { tellFault } = window as unknown as { tellFault(fault: string): void };
      tellFault(`policy: ${violatedDirective} ${blockedURI} ${sample}`);
    });
  });
  await prepare?.(context);
  const page = await context.newPage();
  page.setDefaultTimeout(stepTimeoutMs);
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  return { page, context, faults };
}

/**
 * Opens a link in a new tab, as Ctrl-click does. Asserts that the page leaves the click to the browser. Playwright loses
 * some tabs that Chromium opens by itself on a loaded machine, so the tab opens by the link's address.
 */
export async function openInNewTab({ page, context }: Visitor, link: Locator): Promise<Page> {
  await page.evaluate(() => {
    const note = (event: MouseEvent) => {
      document.documentElement.dataset.leftToBrowser = String(!event.defaultPrevented && event.ctrlKey);
      event.preventDefault();
    };
    addEventListener("click", note, { once: true });
  });
  await link.click({ modifiers: ["Control"] });
  expect(await page.locator("html").getAttribute("data-left-to-browser")).toBe("true");
  const tab = await context.newPage();
  tab.setDefaultTimeout(stepTimeoutMs);
  await tab.goto((await link.getAttribute("href")) ?? "");
  return tab;
}

/** Signs a visitor in on the page, with the one wallet that announces itself. */
export async function signInByPage({ page }: Visitor): Promise<void> {
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Test wallet" }).click();
  await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
}

/** Chooses an option of the field with a label, as a user of the mouse does. */
export async function choose(scope: Page | Locator, label: string, option: string): Promise<void> {
  const page = "goto" in scope ? scope : scope.page();
  await scope.getByText(label, { exact: true }).first().waitFor();
  const native = scope.getByRole("combobox", { name: label });
  if ((await native.count()) > 0) return void (await native.selectOption(option));
  await scope.getByRole("button", { name: new RegExp(`${label}$`) }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

/** Asserts that all of an element is within the window, without scrolling. */
export async function expectInView(locator: Locator): Promise<void> {
  const isInView = () =>
    locator.evaluate((element) => {
      const { top, bottom, left, right } = element.getBoundingClientRect();
      return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
    });
  await expect.poll(isInView).toBe(true);
}

/** Asserts that a field has the focus and is in view. */
export async function expectFocused(locator: Locator): Promise<void> {
  const isFocused = () => locator.evaluate((element) => element.contains(document.activeElement));
  await expect.poll(isFocused).toBe(true);
  await expectInView(locator);
}

/** Asserts that axe finds no fault on the page, and that the page fits its window. */
export async function expectAccessible({ page }: Pick<Visitor, "page">): Promise<void> {
  // A page that already has axe is not sent its megabyte again.
  const isThere = await page.evaluate(() => "axe" in window);
  // The plain mode reads one page. The other mode opens a second page for frames, which these pages lack.
  const { violations } = await new AxeBuilder({ page, ...(isThere ? { axeSource: "void 0" } : {}) })
    .options({ resultTypes: ["violations"] })
    .setLegacyMode()
    .analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
}
