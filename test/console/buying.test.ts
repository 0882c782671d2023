import type { Browser, Locator } from "playwright-core";
import { type Hex, parseGwei } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
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
import { injectWallet, switchUntilNoticed } from "../harness/console/wallet.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

const inputSchema = {
  type: "object",
  properties: {
    text: { type: "string", minLength: 3, description: "What is to be counted." },
    language: { enum: ["en", "de"] },
    keep_names: { type: "boolean" },
  },
  required: ["text"],
  additionalProperties: false,
};

const desktop = { width: 1200, height: 900 };

let stack: TestStack;
let browser: Browser;
let api: Requester;
let provider: Session;
let buyer: Visitor;
/** A service without a schema. */
let free: { agent: string; service: string };

beforeAll(async () => {
  [stack, browser] = await Promise.all([startStack(), startBrowser()]);
  api = requesterOf(stack.baseUrl);
  provider = await signIn(api);
  await publishService(api, provider, { title: "Count words", input_schema: inputSchema });
  const { agent, service } = await publishService(api, provider, { title: "Draw a picture" });
  free = { agent: agent.slug, service: service.slug };
  const account = privateKeyToAccount(generatePrivateKey());
  await stack.chain.fund(account);
  buyer = await openVisitor(browser, { baseUrl: stack.baseUrl, chain: stack.chain, account });
});
afterAll(async () => {
  await closeWindows();
  await stack?.close();
});
afterEach(() => {
  expect(buyer.faults.splice(0)).toEqual([]);
});

// Each test continues on the page where the one before it ended.

test("an owner who rejects the signature is not signed in and reads why; a second attempt signs in", async () => {
  const { page, wallet } = buyer;
  wallet.rejectNext();
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Test wallet" }).click();
  await page.getByRole("alert").filter({ hasText: "You rejected the request in your wallet." }).waitFor();
  await expectAccessible(buyer);
  await signInByPage(buyer);
  await expectAccessible(buyer);
});

test("a form made from the schema shows faults as one types; an order with a fault focuses the first bad field, in view", async () => {
  const { page } = buyer;
  await page.getByRole("link", { name: "Marketplace", exact: true }).click();
  await page.getByRole("searchbox", { name: "Search services" }).fill("count");
  await page.getByRole("search").getByRole("button", { name: "Search", exact: true }).click();
  await page.getByText("1 service").waitFor();
  await expectAccessible(buyer);
  await page.getByRole("link", { name: "Count words" }).click();
  // The button is below the fold, and the first field above it.
  await page.setViewportSize({ width: 390, height: 420 });
  await page.getByRole("button", { name: "Place order" }).click();
  await page.getByRole("alert").filter({ hasText: "This is required." }).waitFor();
  await expectFocused(page.getByLabel("Text (required)"));
  await page.setViewportSize(desktop);
  await page.getByLabel("Text (required)").fill("ab");
  await page.getByText("Enter at least 3 characters.").waitFor();
  await choose(page, "Language", "de");
  await page.getByRole("checkbox", { name: "Keep names" }).check();
  await expectAccessible(buyer);
});

test("two clicks lead from the input to the wallet; the dialog's notes and buttons are in view at every size", async () => {
  const { page, wallet } = buyer;
  const dialog = page.getByRole("dialog");
  const asked = wallet.asked.length;
  await page.getByLabel("Text (required)").fill("one two three");
  await page.getByRole("button", { name: "Place order" }).click();
  await dialog.getByText(`${provider.account.address} (provider)`).waitFor();
  await dialog.getByText("2.50 TUSD", { exact: true }).waitFor();
  await expectAccessible(buyer);

  const wrongChain = dialog.getByText("Your wallet is on a different network.");
  await wallet.switchChain(1);
  await wrongChain.waitFor();
  expect(await dialog.getByRole("button", { name: "Confirm in wallet" }).isDisabled()).toBe(true);
  await expectDialogInView([wrongChain, dialog.getByRole("button", { name: "Switch to Local chain" })]);
  await dialog.getByRole("button", { name: "Switch to Local chain" }).click();
  wallet.rejectNext();
  await dialog.getByRole("button", { name: "Confirm in wallet" }).click();
  const rejected = dialog.getByText("Nothing was signed or sent.");
  await rejected.waitFor();
  expect(wallet.asked.length).toBe(asked + 1);
  await dialog.getByText("Technical details").click();
  await expectDialogInView([rejected]);
  await expectAccessible(buyer);
  await dialog.getByRole("button", { name: "Try again" }).click();
  await status("In escrow");
});

test("the provider's delivery shows as a notice that names the service, and the buyer accepts it", async () => {
  const { page, wallet } = buyer;
  await deliver();
  await status("Delivered");
  const notice = page.getByRole("alertdialog").filter({ hasText: "A test agent delivered “Count words”." });
  await notice.getByRole("link", { name: "View order" }).waitFor();
  await page
    .getByText("Payment releases to the provider automatically unless the buyer opens a dispute.")
    .waitFor();
  await expectAccessible(buyer);
  await accept("Accept and release payment");
  expect(wallet.asked.map(({ method }) => method)).toEqual([
    "personal_sign",
    "personal_sign",
    "eth_signTypedData_v4",
    "eth_signTypedData_v4",
    "eth_signTypedData_v4",
  ]);
});

test("the settled order is reviewed, changed and withdrawn; the answer appears without a reload, and all text is plain text", async () => {
  const { page } = buyer;
  const review = page.getByRole("region", { name: "Review" });
  await choose(review, "Rating", "2, poor");
  await review.getByLabel("Your review").fill("<img src=x onerror=alert(1)> Slow.");
  await review.getByRole("button", { name: "Publish review" }).click();
  await review.getByText("<img src=x onerror=alert(1)> Slow.").first().waitFor();
  await expectAccessible(buyer);

  const path = new URL(page.url()).pathname;
  const { token } = provider;
  const { review: written } = expectStatus(200, await api.request("GET", `${path}/review`, { token }));
  const body = { text: "We are sorry." };
  expectStatus(201, await api.request("POST", `/reviews/${written.id}/answer`, { token, body }));
  await review.getByText("We are sorry.").waitFor();
  await page.getByText("A test agent answered your review.").waitFor();

  await review.getByText("Edit review", { exact: true }).click();
  await choose(review, "Rating", "4, good");
  await review.getByRole("button", { name: "Save changes" }).click();
  await review.getByText("4 of 5").waitFor();
  await review.getByRole("button", { name: "Withdraw the review" }).click();
  await review.getByRole("button", { name: "Withdraw permanently" }).click();
  await review.getByText("Withdrawn by the buyer").waitFor();
  expect(await review.textContent()).not.toMatch(/Slow|sorry/);
});

test("on direct escrow an order is paid by two calls, after an unreachable node and a dropped transaction", async () => {
  const { page, wallet } = buyer;
  const { node } = stack.chain;
  const dialog = page.getByRole("dialog");
  await page.getByRole("link", { name: "Marketplace", exact: true }).click();
  await page.getByRole("link", { name: "Count words" }).click();
  await page.getByText("Payment and dispute options").click();
  await choose(page, "Payment method", "Pay from wallet, two transactions");
  await page.getByLabel("Text (required)").fill("four five");
  wallet.cutNode(true);
  await page.getByRole("button", { name: "Place order" }).click();
  await page.getByRole("alert").filter({ hasText: "Your wallet can't reach the network." }).waitFor();
  wallet.cutNode(false);
  await page.getByRole("button", { name: "Pay 2.50 TUSD" }).click();

  await node.setAutomine(false);
  await dialog.getByRole("button", { name: "Confirm in wallet" }).click();
  await dialog.getByText("Confirming on-chain…").waitFor();
  await node.request({ method: "anvil_dropAllTransactions" } as never);
  await dialog.getByRole("alert").filter({ hasText: "Transaction dropped." }).waitFor();
  await node.setAutomine(true);
  await dialog.getByRole("button", { name: "Try again" }).click();
  await status("In escrow");
  await deliver();
  await status("Delivered");
  await accept("Accept and release payment (own transaction)");
});

test("a transaction that the wallet raises or cancels, and a reorganised block, are explained", async () => {
  const { page } = buyer;
  const { node, publicClient } = stack.chain;
  const { account } = buyer.wallet;
  const dialog = page.getByRole("dialog");
  const wallet = stack.chain.wallet(account);
  const sent = () => buyer.wallet.asked.filter(({ method }) => method === "eth_sendTransaction");
  let seen = sent().length;
  /** Replaces the waiting transaction, as a wallet does, and lets both be mined. */
  const replaceNext = async (change: (pending: { to: Hex; data: Hex }) => { to: Hex; data?: Hex }) => {
    await expect.poll(() => sent().length).toBe(++seen);
    // The page knows the transaction only once its node has returned it.
    buyer.wallet.read.length = 0;
    await expect.poll(() => buyer.wallet.read).toContain("eth_getTransactionByHash");
    await dialog.getByText("Confirming on-chain…").waitFor();
    const nonce = await publicClient.getTransactionCount({ address: account.address });
    const [pending] = (sent().at(-1)?.params ?? []) as { to: Hex; data: Hex }[];
    if (!pending) throw new Error("The wallet has sent nothing.");
    const next = change({ to: pending.to, data: pending.data });
    const fees = { maxFeePerGas: parseGwei("90"), maxPriorityFeePerGas: parseGwei("9") };
    await wallet.sendTransaction({ ...next, ...fees, nonce, gas: 500_000n });
    await node.mine({ blocks: 1 });
  };
  await page.getByRole("link", { name: "Marketplace", exact: true }).click();
  await page.getByRole("link", { name: "Count words" }).click();
  await page.getByText("Payment and dispute options").click();
  await choose(page, "Payment method", "Pay from wallet, two transactions");
  await page.getByLabel("Text (required)").fill("six seven");
  await page.getByRole("button", { name: "Place order" }).click();
  await dialog.getByRole("button", { name: "Confirm in wallet" }).waitFor();

  const before = await node.snapshot();
  await node.setAutomine(false);
  await dialog.getByRole("button", { name: "Confirm in wallet" }).click();
  // The approval is raised, and counts. The payment behind it is cancelled.
  await replaceNext((pending) => pending);
  await replaceNext(() => ({ to: account.address }));
  await dialog
    .getByRole("alert")
    .filter({ hasText: "You cancelled the transaction in your wallet." })
    .waitFor();
  await node.setAutomine(true);
  await dialog.getByRole("button", { name: "Try again" }).click();
  await status("In escrow");

  await node.revert({ id: before });
  await node.mine({ blocks: 8 });
  await page.getByText("A blockchain reorganisation reversed this step.").waitFor();
  await status("Awaiting payment");
});

test("the purchases name service and agent, and Ctrl+K finds an order by its reference", async () => {
  const { page } = buyer;
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Purchases" }).click();
  await page.getByText("3 orders").waitFor();
  await expectAccessible(buyer);
  const row = page.getByRole("row").filter({ hasText: "Count words" }).first();
  const [reference = ""] = /E-[0-9A-Z]+/.exec(String(await row.textContent())) ?? [];
  expect(await row.textContent()).toContain("A test agent");
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Search" }).fill(reference);
  await page.getByRole("option", { name: new RegExp(reference) }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: `Order ${reference}` }).waitFor();
});

test("a service without a schema asks for one text, and sends it as the request", async () => {
  const { page } = buyer;
  await page.goto(`/market/${free.agent}/${free.service}`);
  await page.getByLabel("Your request").fill("Draw a cat.");
  await page.getByRole("button", { name: "Place order" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("region", { name: "Input" }).getByText("Draw a cat.").waitFor();
  const { token } = await signIn(api, buyer.wallet.account);
  const path = new URL(page.url()).pathname;
  const { input_payload: sent } = expectStatus(200, await api.request("GET", path, { token }));
  expect(sent).toEqual({ request: "Draw a cat." });
});

test("an order that cannot be read says so, and a button reads it again", async () => {
  const { page, faults } = buyer;
  const reads = "**/api/v1/orders/**";
  await page.route(reads, (route) => route.abort());
  await page.reload();
  await page.getByRole("alert").filter({ hasText: "Can't reach Earnest." }).waitFor();
  await page.unroute(reads);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { level: 1, name: "Draw a picture" }).waitFor();
  expect(faults.splice(0).filter((fault) => !fault.includes("net::ERR_FAILED"))).toEqual([]);
});

test("a metered order is paid up to its most, and the buyer's page releases the charge of the delivered units", async () => {
  const { page, wallet } = buyer;
  const metered = { pricing_model: "metered", price: "0.05", price_unit: "page", max_quantity: 100 };
  const { agent, service } = await publishService(api, provider, { title: "Read pages", ...metered });
  await page.goto(`/market/${agent.slug}/${service.slug}`);
  await page.getByLabel("Maximum units").fill("40");
  await page.getByText("You pay for the units delivered. The rest comes back to you.").waitFor();
  await page.getByLabel("Your request").fill("Read them.");
  await expectAccessible(buyer);
  await page.getByRole("button", { name: "Place order" }).click();
  await page.getByRole("dialog").getByText("2.00 TUSD", { exact: true }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Confirm in wallet" }).click();
  await status("In escrow");
  await deliver({ units: 7 });
  await page.getByText("Charged for 7 units").waitFor();
  await page.getByText("Delivery confirmed on-chain").waitFor();
  await expectAccessible(buyer);
  await page.getByRole("button", { name: "Accept and release payment", exact: true }).click();
  await page.getByRole("dialog").getByText("0.35 TUSD").first().waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Confirm in wallet" }).click();
  await status("Completed");
  expect(wallet.asked.at(-1)?.method).toBe("eth_signTypedData_v4");
  await page.getByRole("tab", { name: "Receipts" }).click();
  await page.getByRole("link", { name: "Payment released" }).waitFor();
  await page.getByRole("link", { name: "Payment refunded" }).waitFor();
});

test("a request is posted, a provider sends a quote, and the buyer accepts it and comes to its payment", async () => {
  const { page } = buyer;
  await page.getByRole("link", { name: "Requests", exact: true }).click();
  await page.getByRole("link", { name: "Post a request" }).click();
  await page.getByRole("button", { name: "Post request" }).click();
  await page.getByRole("alert").filter({ hasText: "Enter a title." }).waitFor();
  await expectFocused(page.getByLabel("Title (required)"));
  await page.getByLabel("Title (required)").fill("A picture of my cat");
  await page.getByLabel("Description (required)").fill("Grey, asleep.");
  await page.getByLabel("Tags (required)").fill("drawing, cats");
  await page.getByLabel("Budget").fill("30");
  await expectAccessible(buyer);
  await page.getByRole("button", { name: "Post request" }).click();
  await page.getByRole("heading", { level: 1, name: "A picture of my cat" }).waitFor();
  await page.getByRole("heading", { name: "No quotes yet" }).waitFor();
  await expectAccessible(buyer);

  const options = { baseUrl: stack.baseUrl, chain: stack.chain, account: provider.account };
  const seller = await openVisitor(browser, options);
  await signInByPage(seller);
  await seller.page.goto(new URL(page.url()).pathname);
  await choose(seller.page, "Service", "Draw a picture (A test agent)");
  await seller.page.getByRole("button", { name: "Send quote" }).click();
  await expectFocused(seller.page.getByLabel("Your price"));
  await seller.page.getByLabel("Your price").fill("25");
  await seller.page.getByLabel("Delivery time (hours)").fill("12");
  await expectAccessible(seller);
  await seller.page.getByRole("button", { name: "Send quote" }).click();
  await seller.page.getByText("Quote sent.").waitFor();
  await seller.page.getByRole("link", { name: "Quotes", exact: true }).click();
  await seller.page.getByText("25.00 TUSD").waitFor();
  await expectAccessible(seller);
  expect(seller.faults).toEqual([]);
  await seller.page.close();

  await page.getByText("A test agent sent you a quote of 25.00 TUSD.").waitFor();
  await page.getByRole("button", { name: "Accept quote" }).click();
  await page.getByRole("button", { name: "Accept quote and place order" }).click();
  await page.getByRole("dialog").getByText("25.00 TUSD", { exact: true }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await status("Awaiting payment");
});

test("a key above its limit needs approval: the order waits on the first page, is approved, and can then be paid", async () => {
  const { page } = buyer;
  await page.getByRole("link", { name: "API keys", exact: true }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Label").fill("shopper");
  await page.getByRole("button", { name: "Buy", exact: true }).click();
  await page.getByText("Limits and expiry").click();
  await page.getByLabel("Daily limit").fill("20");
  await page.getByLabel("Require approval above").fill("2");
  await expectAccessible(buyer);
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const apiKey = String(await page.getByTestId("secret").textContent());
  await page.getByRole("button", { name: "Done" }).click();
  const { items } = expectStatus(200, await api.request("GET", "/marketplace/services?q=count"));
  const body = { service_id: items[0].id, input_payload: { text: "one two" } };
  const order = expectStatus(201, await api.request("POST", "/orders", { apiKey, body }));
  await page.getByText("2.50 of 20.00 TUSD").waitFor();

  await page.getByRole("link", { name: "shopper" }).click();
  await page.getByLabel("Daily limit").fill("5");
  await page.getByRole("button", { name: "Save limits" }).click();
  // The dialog shows it too, until it closes.
  await page.getByRole("table", { name: "API keys" }).getByText("2.50 of 5.00 TUSD").waitFor();
  const [{ limits }] = expectStatus(200, await api.request("GET", "/me/spend", { apiKey })).items;
  expect(limits).toMatchObject({ per_day: "5", approval_above: "2" });
  await expectAccessible(buyer);

  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page
    .getByRole("region", { name: "To approve" })
    .getByRole("link", { name: new RegExp(order.reference) })
    .click();
  await page.getByRole("heading", { name: "Needs your approval" }).waitFor();
  expect(await page.getByRole("button", { name: /^Pay \d/ }).count()).toBe(0);
  await expectAccessible(buyer);
  await page.getByRole("button", { name: "Approve order" }).click();
  await page.getByRole("button", { name: "Pay 2.50 TUSD" }).waitFor();
  const { approval } = expectStatus(200, await api.request("GET", `/orders/${order.id}`, { apiKey }));
  expect(approval.status).toBe("approved");
});

test("on a phone, in dark mode, every page fits; the keyboard reaches the content", async () => {
  const { page } = buyer;
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: "dark" });
  const open = async (name: string) => {
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("dialog").getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.getByText("Loading…", { exact: true }).waitFor({ state: "detached" });
  };
  for (const name of ["Requests", "Subscriptions", "Quotes", "Disputes", "Marketplace", "Overview"]) {
    await open(name);
    await expectAccessible(buyer);
  }
  await open("Purchases");
  await expectAccessible(buyer);
  await page.getByRole("table").getByRole("link", { name: "Count words" }).last().click();
  await status("Completed");
  await expectAccessible(buyer);
  await page.reload();
  await status("Completed");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
});

test("of two wallets the chosen one signs, and a switch of the other one concerns nobody", async () => {
  const [one, two] = [privateKeyToAccount(generatePrivateKey()), privateKeyToAccount(generatePrivateKey())];
  const visitor = await openVisitor(browser, { baseUrl: stack.baseUrl, chain: stack.chain, account: one });
  const second = await injectWallet(visitor.context, stack.chain, two, "Second wallet");
  const { page, wallet, faults } = visitor;
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Test wallet" }).waitFor();
  await page.getByRole("button", { name: "Second wallet" }).click();
  await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
  expect([wallet.asked.length, second.asked.length]).toEqual([0, 1]);
  await wallet.switchAccount(privateKeyToAccount(generatePrivateKey()));
  await page.reload();
  await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
  await page.getByRole("button", { name: two.address.slice(0, 6) }).waitFor();
  await switchUntilNoticed(page, second);
  await page.reload();
  await page.getByRole("button", { name: two.address.slice(0, 6) }).waitFor();
  expect(faults).toEqual([]);
});

/** Asserts that these parts of the open dialog, and its buttons, are in view on a desktop and on a phone. */
async function expectDialogInView(parts: readonly Locator[]): Promise<void> {
  const { page } = buyer;
  const buttons = page.locator(".dialog-end .buttons").getByRole("button");
  for (const size of [{ width: 1440, height: 900 }, { width: 390, height: 844 }, desktop]) {
    await page.setViewportSize(size);
    for (const part of [...parts, ...(await buttons.all())]) await expectInView(part);
  }
}

/** Waits until the order's page shows a status without a reload. */
async function status(text: string): Promise<void> {
  await buyer.page.locator(".status").filter({ hasText: text }).waitFor();
}

/** Starts, delivers and records, as the provider's program does. */
async function deliver(fields: { units?: number } = {}): Promise<void> {
  const { token, account } = provider;
  const path = new URL(buyer.page.url()).pathname;
  expectStatus(200, await api.request("POST", `${path}/start`, { token }));
  const body = { output_payload: { words: 3 }, ...fields };
  expectStatus(200, await api.request("POST", `${path}/deliver`, { token, body }));
  const { typed_data } = expectStatus(200, await api.request("GET", `${path}/delivery-record`, { token }));
  const signature = await account.signTypedData(typed_data);
  expectStatus(202, await api.request("POST", `${path}/delivery-record`, { token, body: { signature } }));
}

/** Pays the provider by a button of the order's page, and waits for the receipt. */
async function accept(button: string): Promise<void> {
  const { page } = buyer;
  await page.getByText("Delivery confirmed on-chain").waitFor();
  if (button.endsWith("(own transaction)")) {
    await page.getByText("Send it from your own wallet instead").first().click();
  }
  await page.getByRole("button", { name: button, exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Confirm in wallet" }).click();
  await status("Completed");
  await page.getByRole("tab", { name: "Receipts" }).click();
  await page.getByRole("link", { name: "Payment released" }).waitFor();
}
