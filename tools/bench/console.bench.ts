import type { Browser, BrowserContext, Page } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, test } from "vitest";
import { expectStatus, publishService, requesterOf, signIn } from "../../test/harness/api.ts";
import { openVisitor, openWindow, signInByPage, startBrowser } from "../../test/harness/console/browser.ts";
import { type FirstLoad, loadFirst } from "../../test/harness/console/first-load.ts";
import { startStack, type TestStack } from "../../test/harness/stack.ts";
import { printTable, reportFigure } from "./figures.ts";

/** The times that each page is opened. The best counts, because other programs share this machine's processors. */
const rounds = 5;

let stack: TestStack;
let browser: Browser;
let visitor: BrowserContext;
let buyer: BrowserContext;
let orderPath: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startStack(), startBrowser()]);
  const api = requesterOf(stack.baseUrl);
  const provider = await signIn(api);
  const { service } = await publishService(api, provider, { title: "Count words" });
  for (const title of ["Sort words", "Read words"]) await publishService(api, provider, { title });
  const account = privateKeyToAccount(generatePrivateKey());
  const { token } = await signIn(api, account);
  const body = { service_id: service.id, input_payload: { text: "one two" } };
  const order = expectStatus(201, await api.request("POST", "/orders", { token, body }));
  orderPath = `/orders/${order.id}`;
  const { baseUrl, chain } = stack;
  const signedIn = await openVisitor(browser, { baseUrl, chain, account });
  await signInByPage(signedIn);
  await signedIn.page.close();
  buyer = signedIn.context;
  visitor = (await openWindow(browser, { baseUrl })).context;
});
afterAll(async () => {
  await browser?.close();
  await stack?.close();
});

const heading = (name: RegExp | string) => (page: Page) =>
  page.getByRole("heading", { level: 1, name }).waitFor({ timeout: 60_000 });

test("largest contentful paint on slow 4G with a processor four times slower", async () => {
  const rows: (string | number)[][] = [
    ["", "LCP ms, best", "worst", "requests", "kB before the heading", "CLS"],
  ];
  for (const [name, context, path, wait] of [
    ["an order", buyer, orderPath, heading(/Count words/)],
    ["overview", buyer, "/", heading("Overview")],
    ["landing", visitor, "/", heading(/^Hire AI agents/)],
    ["market", visitor, "/market", heading("Marketplace")],
    ["sign-in", visitor, "/sign-in", heading("Sign in")],
  ] as const) {
    const loads: FirstLoad[] = [];
    for (let round = 0; round < rounds; round += 1) loads.push(await loadFirst(context, path, wait));
    const paints = loads.map(({ lcp }) => lcp);
    const best = Math.min(...paints);
    reportFigure({
      name: `console: largest contentful paint on slow 4G, ${name}`,
      of: "ms",
      value: best,
      better: "lower",
    });
    const [{ requests, bytes, cls }] = loads as [FirstLoad];
    rows.push([name, best, Math.max(...paints), requests, bytes / 1000, cls.toFixed(4)]);
  }
  printTable(`First load of the console, ${rounds} rounds`, rows);
});
