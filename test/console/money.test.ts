import { readFile } from "node:fs/promises";
import { eq } from "drizzle-orm";
import type { Browser, Page } from "playwright-core";
import { encodeFunctionData, erc20Abi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { order, refusedPayout } from "../../db/schema.ts";
import {
  type Answer,
  expectStatus,
  publishService,
  type Requester,
  requesterOf,
  type Session,
  signIn,
} from "../harness/api.ts";
import {
  choose,
  closeWindows,
  expectAccessible,
  openVisitor,
  signInByPage,
  startBrowser,
  type Visitor,
} from "../harness/console/browser.ts";
import { until } from "../harness/jobs/ledger.ts";
import { readPdf, textOf } from "../harness/pdf-file.ts";
import { joinStack, type SharedStack } from "../harness/stack.ts";

const title = "Count the words";

let stack: SharedStack;
let browser: Browser;
let api: Requester;
let sessions: { buyer: Session; provider: Session };
let buyer: Visitor;
let provider: Visitor;
let newcomer: Visitor;
let orders: { created: Answer["body"]; delivered: Answer["body"]; released: Answer["body"] };

beforeAll(async () => {
  [stack, browser] = await Promise.all([joinStack(), startBrowser()]);
  api = requesterOf(stack.baseUrl);
  sessions = { buyer: await signIn(api), provider: await signIn(api) };
  await stack.chain.fund(sessions.buyer.account);
  const { service } = await publishService(api, sessions.provider, { title });
  const released = await place(service.id, "funded");
  await deliver(released);
  await settle(released);
  const delivered = await place(service.id, "funded");
  await deliver(delivered);
  orders = { released, delivered, created: await place(service.id, "created") };
  const options = { baseUrl: stack.baseUrl, chain: stack.chain };
  buyer = await openVisitor(browser, { ...options, account: sessions.buyer.account });
  provider = await openVisitor(browser, { ...options, account: sessions.provider.account, isPhone: true });
  newcomer = await openVisitor(browser, { ...options, account: privateKeyToAccount(generatePrivateKey()) });
});
afterAll(async () => {
  await closeWindows();
  await stack?.close();
});
afterEach(() => {
  expect([buyer, provider, newcomer].flatMap(({ faults }) => faults.splice(0))).toEqual([]);
});

// Each test continues on the pages where the one before it ended.

test("a newcomer sees the first steps of both sides, and hides one for good", async () => {
  const { page } = newcomer;
  await signInByPage(newcomer);
  await page.getByText("You're all caught up.").waitFor();
  const buying = page.getByRole("region", { name: "Make your first purchase" });
  await buying.getByText("0 of 4").waitFor();
  await page.getByRole("region", { name: "Start selling" }).getByText("0 of 5").waitFor();
  await page.getByText("No payments in the last 30 days.").waitFor();
  await expectAccessible(newcomer);
  await page.getByRole("button", { name: "Hide “Start selling”" }).click();
  await page.reload();
  await buying.waitFor();
  expect(await page.getByRole("region", { name: "Start selling" }).count()).toBe(0);
  await buying.getByRole("link", { name: "Choose a service and place an order" }).click();
  await page.getByRole("heading", { name: "Marketplace" }).waitFor();
});

test("the overview lists what needs attention with service, agent, deadline and one action", async () => {
  const { page } = buyer;
  await signInByPage(buyer);
  const review = page.getByRole("region", { name: "To review" });
  const row = review.getByRole("listitem");
  await row.getByText(title).waitFor();
  expect(await row.textContent()).toMatch(/E-\w+ · A test agent.*2\.50 TUSD.*Review ends /);
  const links = await row.getByRole("link").all();
  expect(await Promise.all(links.map((link) => link.getAttribute("href")))).toEqual([
    `/orders/${orders.delivered.id}`,
  ]);
  // The checklist of a buyer with a completed purchase is done.
  expect(await page.getByRole("region", { name: "Make your first purchase" }).count()).toBe(0);
  await expectAccessible(buyer);
  const pay = page.getByRole("region", { name: "To pay" }).getByRole("listitem");
  await pay.getByText(orders.created.reference).waitFor();
  // The action's link covers its row.
  await pay.getByText(title).click({ force: true });
  await page.getByRole("button", { name: "Pay 2.50 TUSD" }).waitFor();
});

test("the chart of 30 days has axes, and a tooltip by pointer and by arrow keys", async () => {
  const { page } = buyer;
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  const chart = page.getByRole("figure").filter({ hasText: "Money in and out, last 30 days (TUSD)" });
  const plot = chart.getByRole("application");
  await plot.getByText("0", { exact: true }).waitFor();
  const today = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "short", timeZone: "UTC" });
  await plot.getByText(today.format(Date.now()), { exact: true }).waitFor();
  const tip = chart.locator(".chart-tip");
  const box = await plot.boundingBox();
  if (!box) throw new Error("The chart has no place.");
  // The last day of the chart is today.
  await page.mouse.move(box.x + box.width - 16, box.y + box.height / 2);
  await tip.getByText("5.00 TUSD").waitFor();
  await page.mouse.move(0, 0);
  await tip.waitFor({ state: "detached" });
  await plot.focus();
  await page.keyboard.press("ArrowRight");
  await tip.waitFor();
  const first = await tip.textContent();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => tip.textContent()).not.toBe(first);
  await chart.getByText("Show as table").click();
  expect(await chart.getByRole("row").last().getByRole("cell").allTextContents()).toEqual([
    "0.00 TUSD",
    "5.00 TUSD",
  ]);
  await expectAccessible(buyer);
});

test("the bell counts the unread, a notification opens its order, and all are marked as read", async () => {
  const { page } = buyer;
  const before = await ask("buyer", "GET", "/notifications");
  expect(before.unread).toBeGreaterThan(2);
  await page.getByRole("button", { name: `Notifications, ${before.unread} unread` }).click();
  const dialog = page.getByRole("dialog", { name: "Notifications" });
  await dialog
    .getByRole("link", { name: `A test agent delivered “${title}”.` })
    .first()
    .waitFor();
  await expectAccessible(buyer);
  await dialog
    .getByRole("link", { name: `A test agent delivered “${title}”.` })
    .first()
    .click();
  await page.getByRole("heading", { name: title }).waitFor();
  await page.getByRole("button", { name: `Notifications, ${before.unread - 1} unread` }).click();
  await dialog.getByRole("button", { name: "Mark all as read" }).click();
  await expect.poll(async () => (await ask("buyer", "GET", "/notifications")).unread).toBe(0);
  await dialog.getByRole("link", { name: "View all" }).click();
  await page.getByRole("heading", { name: "Notifications", exact: true }).waitFor();
  const list = page.getByRole("list", { name: "Notifications" }).getByRole("listitem");
  await expect.poll(() => list.count()).toBe(before.items.length);
  await page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
  await expectAccessible(buyer);
  await page.getByRole("switch", { name: "Unread only" }).press("Space");
  await page.getByText("Nothing unread").waitFor();
});

test("balances are exact; the dialog to add funds has the address, with its button in view", async () => {
  const { page } = buyer;
  const { wallets, escrow } = await ask("buyer", "GET", "/balances");
  expect([escrow[0].paid_into_escrow, wallets.length]).toEqual(["2.500000", 1]);
  await page.getByRole("link", { name: "Balances", exact: true }).click();
  const stats = page.locator(".stat");
  await stats.nth(2).waitFor();
  expect(await stats.locator("dt").allTextContents()).toEqual(["Available", "In escrow", "To be earned"]);
  expect(
    await stats.locator("dd > .money").evaluateAll((all) => all.map((one) => one.getAttribute("title"))),
  ).toEqual([`${wallets[0].balance} TUSD`, "2.500000 TUSD", "0.000000 TUSD"]);
  await expectAccessible(buyer);
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.getByRole("button", { name: "Add funds" }).click();
    const dialog = page.getByRole("dialog", { name: "Add funds" });
    await dialog.getByText(wallets[0].address).waitFor();
    expect(await isInView(page, "Done")).toBe(true);
    await expectAccessible(buyer);
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
  }
  await page.setViewportSize({ width: 1200, height: 900 });
});

test("payments have their sums and a chart, and the filters empty them with a way back", async () => {
  const { page } = buyer;
  await page.getByRole("link", { name: "Payments", exact: true }).click();
  await page.getByText("3 payments").waitFor();
  const stats = page.locator(".stat");
  expect(await stats.locator("dd").allTextContents()).toEqual(["0.00 TUSD", "5.00 TUSD"]);
  const rows = page.getByRole("table", { name: "Payments" }).getByRole("row");
  expect(await rows.nth(1).textContent()).toContain(title);
  expect(await rows.nth(1).textContent()).toContain("A test agent");
  await page.getByRole("application").getByText("0", { exact: true }).waitFor();
  await expectAccessible(buyer);
  await choose(page, "Type", "Sales");
  await page.getByRole("heading", { name: "No payments match" }).waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByText("3 payments").waitFor();
});

test("a receipt shows verdict, amount and parties before its checks, and prints without the frame", async () => {
  const { page } = buyer;
  await page.getByRole("link", { name: "Receipts", exact: true }).click();
  await page.getByText("3 receipts").waitFor();
  await expectAccessible(buyer);
  const table = page.getByRole("table", { name: "Your receipts" });
  await table
    .getByRole("row")
    .filter({ hasText: "Payment released" })
    .getByRole("link", { name: title })
    .click();
  const verdict = page.getByRole("region", { name: "Verdict" });
  await verdict.getByText("Valid signature from did:web:").waitFor();
  await verdict.getByText("2.50 TUSD").waitFor();
  await verdict.getByTitle(sessions.provider.account.address).waitFor();
  const [top, checks] = await Promise.all(
    [verdict, page.getByRole("table", { name: "Settlement document" })].map((one) => one.boundingBox()),
  );
  expect((top?.y ?? 0) + (top?.height ?? 0)).toBeLessThan(checks?.y ?? 0);
  await expectAccessible(buyer);
  await page.evaluate(() => {
    window.print = () => document.body.setAttribute("data-printed", "yes");
  });
  await page.getByRole("button", { name: "Print" }).click();
  expect(await page.locator("body").getAttribute("data-printed")).toBe("yes");
  await page.emulateMedia({ media: "print" });
  expect(await page.getByRole("navigation", { name: "Pages" }).count()).toBe(0);
  expect(await page.getByRole("button").count()).toBe(0);
  await verdict.getByText("2.50 TUSD").waitFor();
  await page.emulateMedia({ media: "screen" });
});

test("an empty receipt is refused at its field, which has the focus", async () => {
  const { page } = newcomer;
  await page.goto("/receipts");
  await page.getByRole("heading", { name: "No receipts yet" }).waitFor();
  await page.getByRole("tab", { name: "Verify a receipt" }).click();
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  await page.getByText("Paste a receipt, or choose its file.").waitFor();
  const field = page.getByRole("textbox", { name: "Receipt" });
  await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
  await expectAccessible(newcomer);
});

test("on a phone, the provider's overview, balances, payments and audit log fit", async () => {
  const { page } = provider;
  await signInByPage(provider);
  await page
    .getByRole("region", { name: "Confirm delivery on-chain" })
    .getByRole("link", { name: orders.delivered.reference })
    .waitFor();
  await page.getByText("To be earned").waitFor();
  await expectAccessible(provider);
  for (const [path, text] of [
    ["/balances", "Manage wallets"],
    ["/payments", "3 payments"],
    ["/notifications", `A buyer paid for “${title}”. You can start.`],
    ["/settings/audit", "Signed in"],
    ["/reputation", "How scores work"],
  ] as const) {
    await page.goto(path);
    await page.getByText(text).first().waitFor();
    await expectAccessible(provider);
  }
});

test("a seller states billing details, and both parties save the invoice and a statement", async () => {
  const { page } = provider;
  await page.goto("/settings/billing");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Enter a name.").waitFor();
  for (const [name, text] of [
    ["Name", "Lingua Übersetzungen"],
    ["Address", "Hauptstraße 1\n10115 Berlin"],
    ["Country", "de"],
    ["Tax ID", "DE123456789"],
    ["Tax rate in percent", "19"],
  ] as const) {
    await page.getByRole("textbox", { name: new RegExp(`^${name}`) }).fill(text);
  }
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Billing details saved.").waitFor();
  // The first read found no details, which browsers log.
  const notFound = "console: Failed to load resource: the server responded with a status of 404 (Not Found)";
  expect(provider.faults.splice(0)).toEqual([notFound]);
  await expectAccessible(provider);
  const { id, reference } = orders.released;
  const texts: string[] = [];
  for (const { page: own } of [provider, buyer]) {
    await own.goto(`/orders/${id}`);
    await own.getByRole("tab", { name: "Receipts" }).click();
    const invoice = await save(own, "Download invoice (PDF)", `invoice-${reference}.pdf`);
    texts.push(textOf(await readPdf(invoice, { draws: false })));
    await own.goto("/payments");
    const month = new Date().toISOString().slice(0, 7);
    const statement = await save(own, "Download statement (CSV)", `statement-${month}.csv`);
    expect(statement.toString()).toContain(reference);
  }
  expect(texts[0]).toContain("Lingua Übersetzungen");
  expect(texts[1]).toBe(texts[0]);
});

/** Saves a file by a button, and returns its bytes. */
async function save(page: Page, button: string, name: string): Promise<Buffer> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(name);
  return readFile(await download.path());
}

test("a payment that no escrow took is on the page of balances, with the way back to it", async () => {
  const { page } = buyer;
  const { created } = orders;
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: "transfer",
    args: [created.escrow.deposit_address, 1_250_000n],
  });
  await send({ to: stack.chain.chain.token.address, data });
  await page.goto("/balances");
  const deposits = page.getByRole("region", { name: "Payments to be returned" });
  await deposits.waitFor();
  const cells = deposits.getByRole("row").nth(1).getByRole("cell");
  const texts = await cells.allTextContents();
  expect(texts.slice(0, 3)).toEqual([created.reference, "1.25 TUSD", "The payment was too small."]);
  expect(texts[3]).toMatch(/^Pay the rest until .+, or take it back\. Take it back$/);
  await expectAccessible(buyer);
  await deposits.getByRole("link", { name: "Take it back" }).click();
  await page.getByRole("heading", { name: title }).first().waitFor();
  expect(new URL(page.url()).pathname).toBe(`/orders/${created.id}`);
});

async function ask(
  who: keyof typeof sessions,
  method: string,
  path: string,
  body?: unknown,
  status = 200,
): Promise<Answer["body"]> {
  return expectStatus(status, await api.request(method, path, { token: sessions[who].token, body }));
}

async function place(serviceId: string, status: "created" | "funded"): Promise<Answer["body"]> {
  const order = await ask("buyer", "POST", "/orders", { service_id: serviceId }, 201);
  if (status === "created") return order;
  const { calls } = await ask("buyer", "GET", `/orders/${order.id}/payment-instructions`);
  for (const call of calls) await send(call);
  await reach(order, "funded");
  return order;
}

async function deliver({ id }: { id: string }): Promise<void> {
  await ask("provider", "POST", `/orders/${id}/start`);
  await ask("provider", "POST", `/orders/${id}/deliver`, { output_payload: { words: 3 } });
}

/** Releases an order by the buyer's own transaction, and waits for the receipt. */
async function settle(order: { id: string }): Promise<void> {
  const { actions } = await ask("buyer", "GET", `/orders/${order.id}/settlement-options`);
  await send(actions.find(({ action }: { action: string }) => action === "release").call);
  await reach(order, "released");
}

async function send({ to, data }: Answer["body"]): Promise<void> {
  const hash = await stack.chain.wallet(sessions.buyer.account).sendTransaction({ to, data });
  await stack.chain.publicClient.waitForTransactionReceipt({ hash });
}

const reach = ({ id }: { id: string }, status: string) =>
  until(
    async () => ((await ask("buyer", "GET", `/orders/${id}`)).status === status ? true : undefined),
    `the order ${status}`,
  );

/** Tells whether a button of the dialog lies within the window. */
async function isInView(page: Page, name: string): Promise<boolean> {
  const box = await page.getByRole("dialog").getByRole("button", { name }).boundingBox();
  const size = page.viewportSize();
  return box !== null && size !== null && box.y >= 0 && box.y + box.height <= size.height;
}

test("a refused payout shows amount, network and next try, and opens the withdrawal for its wallet", async () => {
  const { page } = provider;
  const { released } = orders;
  const [row] = await stack.db.select().from(order).where(eq(order.id, released.id));
  if (!row) throw new Error("The order is not there.");
  await stack.db.insert(refusedPayout).values({
    eventId: `${released.id}:refused`,
    orderId: released.id,
    accountId: sessions.provider.accountId,
    chainId: row.chainId,
    contract: row.escrowContract,
    payee: row.providerAddress,
    token: row.token,
    amount: row.amount,
    blockNumber: 1n,
    logIndex: 0,
    refusedAt: new Date(),
    nextCheckAt: new Date(Date.now() + 86_400_000),
  });
  await page.goto(`${stack.baseUrl}/balances`);
  const section = page.getByRole("region", { name: "Refused payouts" });
  await section.getByRole("link", { name: released.reference }).waitFor();
  expect(await section.getByRole("row").last().textContent()).toMatch(
    /2\.50 TUSD.*(tries again at|yourself)/,
  );
  await expectAccessible(provider);
  await section.getByRole("button", { name: "Withdraw" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The contract pays your wallet all that it owes to it in this token.").waitFor();
  await page.keyboard.press("Escape");
  await stack.db.delete(refusedPayout).where(eq(refusedPayout.orderId, released.id));
});
