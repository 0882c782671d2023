import type { Browser } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { publishService, requesterOf, signIn } from "../harness/api.ts";
import {
  choose,
  closeWindows,
  expectAccessible,
  openVisitor,
  startBrowser,
  type Visitor,
} from "../harness/console/browser.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

let stack: TestStack;
let browser: Browser;
let german: Visitor;
let english: Visitor;
const visitors: Visitor[] = [];

beforeAll(async () => {
  [stack, browser] = await Promise.all([startStack({ worker: false }), startBrowser()]);
  const api = requesterOf(stack.baseUrl);
  await publishService(api, await signIn(api), {
    title: "Count words",
    price: "1250.5",
    delivery_time_hours: 72,
  });
  german = await open("de-DE");
  english = await open("en-GB");
});
afterAll(async () => {
  await closeWindows();
  await stack?.close();
});
afterEach(() => {
  for (const { faults } of visitors) expect(faults.splice(0)).toEqual([]);
});

async function open(locale: string, isPhone = false): Promise<Visitor> {
  const { baseUrl, chain } = stack;
  const account = privateKeyToAccount(generatePrivateKey());
  const visitor = await openVisitor(browser, { baseUrl, chain, account, locale, isPhone });
  visitors.push(visitor);
  return visitor;
}

const languageOf = ({ page }: Visitor) => page.evaluate(() => document.documentElement.lang);

test("a German browser shows the landing page and the market in German, with German numbers", async () => {
  const { page } = german;
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: "KI-Agenten beauftragen" }).waitFor();
  expect(await languageOf(german)).toBe("de");
  await page.getByText("1.250,50 TUSD").waitFor();
  await expectAccessible(german);
  await page.getByRole("link", { name: "Dienste ansehen" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Marktplatz" }).waitFor();
  await page.getByText("1 Dienst", { exact: true }).waitFor();
  await page.getByText("höchstens 3 Tage").waitFor();
  await expectAccessible(german);
});

test("a German browser signs in in German, and reads dates in German", async () => {
  const { page } = german;
  await page.goto("/sign-in");
  await page.getByRole("heading", { level: 1, name: "Anmelden", exact: true }).waitFor();
  await expectAccessible(german);
  await page.getByRole("button", { name: "Test wallet" }).click();
  await page.getByRole("heading", { name: "Übersicht", exact: true }).waitFor();
  await page.getByRole("link", { name: "Sitzungen", exact: true }).click();
  await page.getByText("Dieser Browser").waitFor();
  await expectAccessible(german);
  const times = await page
    .locator("main time")
    .evaluateAll((found) => found.flatMap((one) => [one.textContent ?? "", (one as HTMLElement).title]));
  expect(times.filter((time) => /^\d{2}\.\d{2}\.\d{4}, \d{2}:\d{2}$/.test(time))).not.toEqual([]);
});

test("a German browser sees scopes and errors of the API in German, with the English detail", async () => {
  const { page } = german;
  await page.goto("/keys");
  await expect.poll(() => page.title()).toBe("API-Schlüssel · Earnest");
  await page.getByRole("button", { name: "Schlüssel erstellen", exact: true }).first().click();
  await page.getByText("Ihre Käufe und Verkäufe lesen").waitFor();
  await expectAccessible(german);
  await page.goto("/orders/ord_01kb6r5jf2fh7v7h4p8m7zq3tt");
  const problem = page.getByRole("alert");
  await problem.getByText("Nicht gefunden.").waitFor();
  expect(await problem.locator("[lang=en]").textContent()).toContain("order");
  await expectAccessible(german);
  // The page of a missing order asks for it again later.
  await page.goto("/keys");
  expect(german.faults.splice(0).filter((fault) => !fault.includes("404"))).toEqual([]);
});

test("an English browser loads no catalogue and formats as its own country does", async () => {
  const { page } = english;
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: "Hire AI agents" }).waitFor();
  await page.getByText("1,250.50 TUSD").waitFor();
  expect(await languageOf(english)).toBe("en");
  expect(asked.filter((url) => /\/de-[^/]*\.js$/.test(url))).toEqual([]);
});

test("a reader chooses a language, which stays after a reload", async () => {
  const { page } = english;
  await choose(page, "Language", "Deutsch");
  await page.getByRole("heading", { level: 1, name: "KI-Agenten beauftragen" }).waitFor();
  await page.reload();
  // The number is in the language of the texts, although the browser is English.
  await page.getByText("1.250,50 TUSD").waitFor();
  await choose(page, "Sprache", "English");
  await page.getByRole("heading", { level: 1, name: "Hire AI agents" }).waitFor();
});

test("without its catalogue, the page is English", async () => {
  const visitor = await open("de-AT", true);
  const { page } = visitor;
  let loads = 0;
  page.on("load", () => loads++);
  await page.route(/\/de-[^/]*\.js$/, (route) => route.fulfill({ status: 404 }));
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: "Hire AI agents" }).waitFor();
  await page.getByText("1,250.50 TUSD").waitFor();
  expect(await languageOf(visitor)).toBe("en");
  expect(loads).toBe(1);
  // An open page asks for its catalogue again, also during the next test.
  await page.close();
  expect(visitor.faults.splice(0).filter((fault) => !fault.includes("404"))).toEqual([]);
});

test("a German phone fits the page", async () => {
  const visitor = await open("de-CH", true);
  await visitor.page.goto("/");
  await visitor.page.getByRole("heading", { level: 1, name: "KI-Agenten beauftragen" }).waitFor();
  await expectAccessible(visitor);
});
