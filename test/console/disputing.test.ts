import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { localAccounts } from "../../tools/stack/anvil.ts";
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
  expectFocused,
  expectInView,
  openVisitor,
  signInByPage,
  startBrowser,
  type Visitor,
} from "../harness/console/browser.ts";
import { until } from "../harness/jobs/ledger.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

const appealWindow = 1800;
const title = '=HYPERLINK("http://evil.example","Count")';
// More than 4000 UTF-16 units, and fewer characters: it fits, because the API counts characters.
const reason = `Half of the text is missing.\n<b>See the file.</b>${"🧾".repeat(2_100)}`;
const ruling = "Three fifths were done.";

let stack: TestStack;
let browser: Browser;
let api: Requester;
let sessions: { buyer: Session; provider: Session };
let buyer: Visitor;
let arbiter: Visitor;
let visitor: Visitor;
let orderId: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([
    // Orders are placed by the service's clock, behind the chain's clock that this test moves.
    startStack({
      env: {
        FUNDING_WINDOW_SECONDS: "2592000",
        APPEAL_WINDOW_SECONDS: String(appealWindow),
        // The buyer has the dispute settled here, before a worker would.
        SETTLE_WHEN_DUE: "false",
      },
    }),
    startBrowser(),
  ]);
  api = requesterOf(stack.baseUrl);
  sessions = { buyer: await signIn(api), provider: await signIn(api) };
  await Promise.all([stack.chain.fund(sessions.buyer.account), stack.chain.fund(localAccounts.arbiter)]);
  const options = { baseUrl: stack.baseUrl, chain: stack.chain };
  buyer = await openVisitor(browser, { ...options, account: sessions.buyer.account });
  arbiter = await openVisitor(browser, { ...options, account: localAccounts.arbiter, isPhone: true });
  visitor = await openVisitor(browser, { ...options, account: privateKeyToAccount(generatePrivateKey()) });
  const { agent, service } = await publishService(api, sessions.provider, { title });
  orderId = await placeDelivered(service.id);
  const plan = {
    slug: "plan",
    title: "Weekly count",
    pricing_model: "subscription",
    interval: "week",
    price: "20",
    delivery_time_hours: 24,
  };
  const path = `/agents/${agent.slug}/services`;
  const created = await ask("provider", "POST", path, plan, 201);
  await ask("provider", "POST", `${path}/${created.slug}/publish`);
});
afterAll(async () => {
  await closeWindows();
  await stack?.close();
});
afterEach(() => {
  expect([buyer, arbiter, visitor].flatMap(({ faults }) => faults.splice(0))).toEqual([]);
});

// Each test continues on the pages where the one before it ended.

test("a buyer opens a dispute by a signature, with a reason, and names a file as evidence", async () => {
  const { page } = buyer;
  await signInByPage(buyer);
  await page.goto(`/orders/${orderId}`);
  await page.getByRole("link", { name: "Open a dispute" }).click();
  await page.getByRole("button", { name: "Open dispute", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "Enter a reason for the dispute." }).waitFor();
  await expectFocused(page.getByLabel("Reason (required)"));
  await page.getByLabel("Reason").fill(reason);
  await expectAccessible(buyer);
  await page.getByRole("button", { name: "Open dispute", exact: true }).click();
  await page.getByRole("dialog").getByText(`${localAccounts.arbiter.address} (arbiter)`).waitFor();
  await openWallet(page);
  await page.getByText("Under review").waitFor();

  await page.getByRole("textbox", { name: "Statement (required)" }).fill("The second half.");
  await page
    .getByLabel("Files", { exact: true })
    .and(page.locator("input"))
    .setInputFiles(file("half.txt", "one two"));
  await page.getByLabel("Link to half.txt").fill("https://files.example/half.txt");
  await page.getByRole("button", { name: "Post statement" }).click();
  await page.getByRole("link", { name: "https://files.example/half.txt" }).waitFor();
  await expectAccessible(buyer);
});

test("the parties talk: an unread badge, a live message, a dropped file, an uploaded evidence, and a report", async () => {
  const { page } = buyer;
  const write = (text: string) => ask("provider", "POST", `/orders/${orderId}/messages`, { text }, 201);
  const unread = async () => (await ask("buyer", "GET", "/messages/unread")).buyer;
  await page.getByRole("link", { name: "Purchases" }).first().click();
  await page.getByRole("table").getByRole("link", { name: title }).waitFor();
  await write("Which half is missing?");
  await page.getByRole("table").getByText("1 unread messages").waitFor();
  await page.goto(`/orders/${orderId}/dispute`);
  const messages = page.getByRole("region", { name: "Messages" });
  await messages.getByText("Which half is missing?").waitFor();
  await until(async () => ((await unread()) === 0 ? true : undefined), "the mark as read");
  await write("Please answer.");
  await messages.getByText("Please answer.").waitFor();
  await messages.getByRole("button", { name: "Report Please answer." }).click();
  await page.getByLabel("What is wrong?").fill("It is rude.");
  await page.getByRole("button", { name: "Send report" }).click();
  await page.getByText("Report sent.").first().waitFor();

  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["one two"], "dropped.txt", { type: "text/plain" }));
    return transfer;
  });
  await messages.getByLabel("Add a file").dispatchEvent("drop", { dataTransfer: dropped });
  await messages.getByRole("button", { name: "Download dropped.txt" }).waitFor();
  await messages.getByLabel("Your message").fill("The second one.");
  await messages.getByRole("button", { name: "Send message" }).click();
  await messages.getByRole("list").getByText("The second one.").waitFor();
  const { items } = await ask("provider", "GET", `/orders/${orderId}/messages`);
  expect(items[0]).toMatchObject({
    by: "buyer",
    text: "The second one.",
    files: [{ name: "dropped.txt", size: 7 }],
  });

  const statements = page.getByRole("region", { name: "Statements" });
  await statements.getByLabel("Add a file").setInputFiles(file("evidence.txt", "three"));
  await statements.getByRole("button", { name: "Download evidence.txt" }).waitFor();
  await statements.getByRole("textbox", { name: "Statement (required)" }).fill("See the evidence.");
  await statements.getByRole("button", { name: "Post statement" }).click();
  await statements.getByRole("listitem").filter({ hasText: "evidence.txt" }).first().waitFor();
  const dispute = await ask("provider", "GET", `/orders/${orderId}/dispute`);
  expect(dispute.statements.at(-1)).toMatchObject({ by: "buyer", files: [{ name: "evidence.txt" }] });
  await expectAccessible(buyer);
});

test("the arbiter, on a phone, finds it, checks the file, and divides the money by a transaction", async () => {
  const { page } = arbiter;
  await signInByPage(arbiter);
  await page.getByRole("heading", { name: "To decide as arbiter (1)" }).waitFor();
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Disputes", exact: true }).click();
  await page.getByText("1 dispute").waitFor();
  expect(new URL(page.url()).search).toBe("?part=arbiter");
  await expectAccessible(arbiter);
  await page.getByRole("table").getByRole("link", { name: title }).click();
  await page.getByText("Verified. The bundle matches the digest below.").waitFor();
  expect(await page.locator("ol.cards .prose").first().textContent()).toBe(reason);
  const check = page.getByLabel("Check a file you received");
  await check.setInputFiles(file("sent.txt", "one two"));
  await page.getByText("sent.txt matches half.txt.").waitFor();
  await check.setInputFiles(file("sent.txt", "one three"));
  await page.getByText("sent.txt matches none of these files").waitFor();

  await page.getByLabel("Provider's share").fill("2.6");
  await page.getByText("Enter a number from 0.00 to 2.50.").waitFor();
  await page.getByLabel("Provider's share").fill("1.5");
  await page.getByLabel("Ruling").fill(ruling);
  await expectAccessible(arbiter);
  await page.getByText("Send it from your own wallet instead").click();
  await page.getByRole("button", { name: "Send decision (own transaction)" }).click();
  await page.getByRole("dialog").getByText("1.00 TUSD", { exact: true }).waitFor();
  await expectInView(page.getByRole("dialog").getByRole("button", { name: "Confirm in wallet" }));
  await expectAccessible(arbiter);
  await openWallet(page);
  await page.getByText("Decided, appeal window open").waitFor();
  await page.getByRole("button", { name: "Publish ruling" }).click();
  await page.getByText("Your ruling is not published yet").waitFor({ state: "detached" });
});

test("once the appeal window is over, the buyer has the order settled, and both halves have receipts", async () => {
  const { page } = buyer;
  await stack.chain.node.increaseTime({ seconds: appealWindow });
  await stack.chain.node.mine({ blocks: 1 });
  await until(async () => {
    const { stage } = await ask("buyer", "GET", `/orders/${orderId}/dispute`);
    return stage === "settleable" ? true : undefined;
  }, "the end of the appeal");
  await page.reload();
  await page.getByText("Decided, ready to pay out").waitFor();
  await page.getByText(ruling).first().waitFor();
  await page.getByRole("button", { name: "Pay out the dispute" }).click();
  await openWallet(page);
  await page.locator(".status").filter({ hasText: "Paid out" }).waitFor();
  const { items } = await until(async () => {
    const found = await ask("buyer", "GET", `/orders/${orderId}/receipts`);
    return found.items.length === 3 ? found : undefined;
  }, "the receipts");
  expect(items.map((one: Answer["body"]) => [one.claim, one.document.amount])).toEqual([
    ["funded", "2500000"],
    ["released", "1500000"],
    ["refunded", "1000000"],
  ]);
});

test("the page of disputes opens on what an arbiter has to decide, else on all disputes of the account", async () => {
  const { page } = buyer;
  await page.goto("/disputes");
  const chosen = page.getByRole("navigation", { name: "Your part" }).locator("[aria-current]");
  await page.getByRole("table").getByRole("link", { name: title }).waitFor();
  expect([await chosen.textContent(), new URL(page.url()).search]).toEqual(["All", "?part=all"]);
  await expectAccessible(buyer);
  // The only dispute is decided, so nothing waits for the arbiter.
  await arbiter.page.goto("/disputes");
  await arbiter.page.getByText("No disputes").waitFor();
  expect(new URL(arbiter.page.url()).search).toBe("?part=all");
});

test("payments: the chart's figures and the CSV are exact, and a hostile title is no formula", async () => {
  const { page } = buyer;
  await page.getByRole("link", { name: "Payments", exact: true }).click();
  await page.getByText("3 payments").waitFor();
  await page.getByText("Show as table").click();
  const month = page.getByRole("figure").getByRole("row").last();
  expect(await month.getByRole("cell").allTextContents()).toEqual(["1.00 TUSD", "2.50 TUSD"]);
  await expectAccessible(buyer);
  const [header = [], ...rows] = await saveTable(page);
  const cell = (name: string) => rows.map((cells) => cells[header.indexOf(name)]);
  expect([cell("claim"), cell("direction"), cell("amount"), cell("amount_base_units")]).toEqual([
    ["refunded", "released", "funded"],
    ["in", "none", "out"],
    ["1.000000", "1.500000", "2.500000"],
    ["1000000", "1500000", "2500000"],
  ]);
  expect(rows.flat().filter((text) => /^[=+\-@\t]/.test(text))).toEqual([]);
  await choose(page, "Event", "Payment received in escrow");
  await page.getByText("1 payment", { exact: true }).waitFor();
  expect((await saveTable(page)).length).toBe(2);
});

test("anybody verifies a receipt in the page, with the chain; a changed one is refused with the reason", async () => {
  const { page } = visitor;
  const { items } = await ask("buyer", "GET", `/orders/${orderId}/receipts`);
  const { id, document } = items[1];
  await page.goto(`/receipts/${id}/checks`);
  await page.getByText("Valid signature from did:web:").waitFor();
  const signed = ["Form", "Issuer", "Key", "Signature", "Time", "Not revoked"];
  expect(await outcomesOf("Settlement document")).toEqual(signed.map((name) => [name, "✓ Valid"]));
  expect(await outcomesOf("x402 receipt")).toContainEqual(["Same event", "✓ Valid"]);
  await page.getByRole("row").filter({ hasText: "Log consistency" }).waitFor();
  expect(await outcomesOf("Receipt log")).toEqual([
    ["Included in log", "✓ Valid"],
    ["Log consistency", "? Unknown"],
  ]);
  await page.getByRole("button", { name: "Check with Test wallet" }).click();
  await page.getByRole("row").filter({ hasText: "Escrow contract" }).waitFor();
  // The page may write the result a moment after the row.
  await expect
    .poll(() => outcomesOf("On-chain checks"))
    .toEqual([
      ["Event on the chain", "✓ Valid"],
      ["Escrow contract", "✓ Valid"],
    ]);
  await expectAccessible(visitor);
  for (const path of [`/receipts/${id}`, "/docs"]) {
    await arbiter.page.goto(path);
    expect([path, await widthBeyond(arbiter.page)]).toEqual([path, 0]);
  }

  await page.getByRole("link", { name: "Receipts", exact: true }).click();
  const changed = JSON.stringify({ ...document, amount: "2500000" });
  await page.getByLabel("Receipt", { exact: true }).fill(changed);
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText("Not valid: do not rely on this receipt.").waitFor();
  const refused = page.getByRole("row").filter({ hasText: "✗ Not valid" });
  await refused.nth(1).waitFor();
  expect(await refused.allTextContents()).toEqual([
    expect.stringMatching(/^Signature.*The signature does not match\./),
    expect.stringMatching(/^Included in log.*The hash of the document differs\./),
  ]);
  await expectAccessible(visitor);
  const input = page.getByLabel("Upload file");
  const text = JSON.stringify(items[2]);
  await input.setInputFiles(file("receipt.json", text));
  await page.getByText("Valid signature from did:web:").waitFor();
  // No result of the good receipt is left for it.
  const trick = text.replace('"document":{', '"document":{"__proto__":{},');
  await input.setInputFiles(file("trick.json", trick));
  await page.getByText("Not valid: do not rely on this receipt.").waitFor();
  expect(visitor.wallet.asked).toEqual([]);
});

test("a receipt leads a party to its order, and nobody else", async () => {
  const { page } = buyer;
  const { items } = await ask("buyer", "GET", `/orders/${orderId}/receipts`);
  const { reference } = await ask("buyer", "GET", `/orders/${orderId}`);
  await page.goto(`/receipts/${items[0].id}/checks`);
  const link = page.getByRole("link", { name: `View order ${reference}` });
  await link.waitFor();
  expect(await link.getAttribute("href")).toBe(`/orders/${orderId}`);
  const receipt = `/receipts/${items[0].id}/checks`;
  const answered = arbiter.page.waitForResponse((answer) => answer.url().includes("/search?"));
  await arbiter.page.goto(receipt);
  await answered;
  await visitor.page.goto(receipt);
  for (const other of [visitor, arbiter]) {
    await other.page.getByText("Valid signature from did:web:").waitFor();
    expect(await other.page.getByRole("link", { name: /^View order/ }).count()).toBe(0);
  }
});

test("an installation without mail shows that, and not as a failure", async () => {
  const { page } = buyer;
  await page.goto("/settings/notifications");
  await page.getByText("This installation sends no email").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  // The browser logs the refusal with its status.
  expect(buyer.faults.splice(0)).toEqual([expect.stringContaining("409 (Conflict)")]);
});

test("a plan is subscribed to; the due order leads to its payment; it is cancelled", async () => {
  const { page } = buyer;
  await page.getByRole("link", { name: "Marketplace", exact: true }).click();
  await page.getByRole("link", { name: "Weekly count" }).click();
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: /^Pay \d/ }).waitFor();
  await page.getByRole("link", { name: "Subscriptions", exact: true }).click();
  await page.getByText("1 subscription").waitFor();
  await expectAccessible(buyer);
  await page.getByRole("table").getByRole("link", { name: "Weekly count" }).click();
  await page.getByRole("link", { name: "Pay period 1" }).click();
  await page.getByRole("button", { name: /^Pay \d/ }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Cancel subscription" }).click();
  await page.getByRole("button", { name: "Cancel permanently" }).click();
  await page.getByText("Cancelled", { exact: true }).waitFor();
  await expectAccessible(buyer);
  const { items } = await ask("buyer", "GET", "/subscriptions");
  expect(items.map((one: Answer["body"]) => [one.status, one.price])).toEqual([["cancelled", "20.000000"]]);
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

/** Creates an order that its buyer paid and its provider delivered. Returns its id. */
async function placeDelivered(serviceId: string): Promise<string> {
  const order = await ask("buyer", "POST", "/orders", { service_id: serviceId }, 201);
  const path = `/orders/${order.id}`;
  const { calls } = await ask("buyer", "GET", `${path}/payment-instructions`);
  for (const { to, data } of calls) {
    const hash = await stack.chain.wallet(sessions.buyer.account).sendTransaction({ to, data });
    await stack.chain.publicClient.waitForTransactionReceipt({ hash });
  }
  await until(
    async () => ((await ask("buyer", "GET", path)).status === "funded" ? true : undefined),
    "the order funded",
  );
  await ask("provider", "POST", `${path}/start`);
  await ask("provider", "POST", `${path}/deliver`, { output_payload: { words: 3 } });
  return order.id;
}

async function openWallet(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Confirm in wallet" }).click();
  await dialog.waitFor({ state: "detached" });
}

const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

/** Returns by how many pixels a page is wider than its window. */
const widthBeyond = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** Returns the checks of a receipt's table, each with its outcome. */
async function outcomesOf(name: string): Promise<(string | null)[][]> {
  const table = visitor.page.getByRole("table", { name });
  await table.waitFor();
  const rows = await table.locator("tbody tr").all();
  return await Promise.all(
    rows.map(async (row) => [
      await row.getByRole("rowheader").textContent(),
      await row.getByRole("cell").first().textContent(),
    ]),
  );
}

/** Returns the cells of the table that the page saves; none of them holds a comma. */
async function saveTable(page: Page): Promise<string[][]> {
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const text = await readFile(await (await saving).path(), "utf8");
  return text
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));
}
