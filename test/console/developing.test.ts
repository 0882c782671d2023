import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import type { Browser, Page } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { insertEvents } from "../../db/account-events.ts";
import { inTransaction } from "../../db/transaction.ts";
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
import { focusedLabel, isInView, takeSecret } from "../harness/console/secret.ts";
import { createOauthState } from "../harness/oauth/program.ts";
import { joinStack, type SharedStack } from "../harness/stack.ts";

let stack: SharedStack;
let browser: Browser;
let api: Requester;
/** The account that operates the pages: another in each test, in a window of its own. */
let owner: Visitor;

beforeAll(async () => {
  [stack, browser] = await Promise.all([joinStack(), startBrowser()]);
  api = requesterOf(stack.baseUrl);
});
afterAll(async () => {
  await closeWindows();
  await stack?.close();
});
beforeEach(async () => {
  owner = await enter();
});
afterEach(async () => {
  await owner.page.goto("about:blank");
  expect(owner.faults).toEqual([]);
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

test("a program connects by OAuth: the consent page names it, and its key has the limits that were set", async () => {
  const { page } = owner;
  const received = Promise.withResolvers<URL>();
  const program = createServer((request, answer) => {
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    if (url.pathname === "/callback") received.resolve(url);
    answer.setHeader("content-type", "text/html").end("<p>Connected");
  });
  await new Promise<void>((done) => program.listen(0, "127.0.0.1", done));
  const receiver = `127.0.0.1:${(program.address() as AddressInfo).port}`;
  try {
    const state = createOauthState(`http://${receiver}/callback`);
    const open = () =>
      new StreamableHTTPClientTransport(new URL(`${stack.baseUrl}/mcp/account`), { authProvider: state });
    const transport = open();
    const refused = new Client({ name: "program", version: "1" }).connect(transport);
    await expect(refused).rejects.toBeInstanceOf(UnauthorizedError);
    await page.goto(state.authorizationUrl?.href ?? "");
    await page.getByRole("heading", { name: "Connect a program" }).waitFor();
    await page.getByText("An assistant", { exact: true }).waitFor();
    await page.getByText(receiver, { exact: true }).waitFor();
    await page.getByLabel("Per-order limit").fill("3");
    await expectAccessible(owner);
    await page.getByRole("button", { name: "Allow access" }).click();
    await page.getByText("Connected").waitFor();
    await transport.finishAuth((await received.promise).searchParams);
    const client = new Client({ name: "program", version: "1" });
    await client.connect(open());
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("pay_order");
    await client.close();
  } finally {
    program.close();
  }
  await page.goto("/keys");
  const row = page.getByRole("row").filter({ hasText: "An assistant" });
  await row.getByText(receiver).waitFor();
  await row.getByText("0.00 of 20.00 TUSD").waitFor();
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

/** The operations with the longest descriptions. */
async function longestOperations(): Promise<{ operationId: string }[]> {
  const { paths } = (await (await fetch(`${stack.baseUrl}/api/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const lengthOf = (operation: object) => JSON.stringify(operation).length;
  return operations.sort((one, other) => lengthOf(other) - lengthOf(one)).slice(0, 2);
}

const follow = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();

/** A session of a program of the visitor: no script can read the browser's own. */
const sessionOf = ({ wallet }: Visitor) => signIn(api, wallet.account);
