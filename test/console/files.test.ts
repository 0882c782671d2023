import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { publishService, type Requester, requesterOf, type Session, signIn } from "../harness/api.ts";
import {
  closeWindows,
  expectAccessible,
  openVisitor,
  signInByPage,
  startBrowser,
  type Visitor,
} from "../harness/console/browser.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

let stack: TestStack;
let browser: Browser;
let api: Requester;
let provider: Session;
let buyer: Visitor;
let agent: { slug: string };
let service: { slug: string };
const account = privateKeyToAccount(generatePrivateKey());
const content = Buffer.alloc(300_000, "abc");

beforeAll(async () => {
  [stack, browser] = await Promise.all([startStack(), startBrowser()]);
  api = requesterOf(stack.baseUrl);
  provider = await signIn(api);
  ({ agent, service } = await publishService(api, provider, { title: "Read a file", input_schema: null }));
  await stack.chain.fund(account);
  buyer = await openVisitor(browser, { baseUrl: stack.baseUrl, chain: stack.chain, account });
  await signInByPage(buyer);
});
afterAll(async () => {
  await closeWindows();
  await stack?.close();
});
afterEach(() => expect(buyer.faults.splice(0)).toEqual([]));

test("a buyer chooses a file in the order form, and the order names it as a download", async () => {
  const { page } = buyer;
  await page.goto(`/market/${agent.slug}/${service.slug}`);
  await page.getByLabel("Your request").fill("Count the letters.");
  await page.getByLabel("Add a file").setInputFiles({
    name: "letters.txt",
    mimeType: "text/plain",
    buffer: content,
  });
  const file = page.getByRole("button", { name: "Download letters.txt" });
  await file.waitFor();
  await expectAccessible(buyer);
  await page.getByRole("button", { name: "Place order" }).click();
  await page.waitForURL(/\/orders\/ord_/);
  const id = /ord_\w+/.exec(page.url())?.[0];
  const { body } = await api.request("GET", `/orders/${id}`, { token: provider.token });
  expect(body.input_payload).toMatchObject({
    request: "Count the letters.",
    files: [{ name: "letters.txt", size: content.length }],
  });
  const downloading = page.waitForEvent("download");
  await file.first().click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("letters.txt");
  expect(readFileSync(await download.path()).equals(content)).toBe(true);
});
