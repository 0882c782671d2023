import type { Browser, Locator } from "playwright-core";
import { type Hex, zeroAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { expectStatus, type Requester, requesterOf, type Session, signIn } from "../harness/api.ts";
import {
  choose,
  closeWindows,
  expectAccessible,
  openVisitor,
  signInByPage,
  startBrowser,
  type Visitor,
} from "../harness/console/browser.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

const outputSchema = {
  type: "object",
  properties: { "größte Zahl": { type: "integer", minimum: 1 } },
  required: ["größte Zahl"],
  additionalProperties: false,
};

let stack: TestStack;
let browser: Browser;
let api: Requester;
let provider: Visitor;
let buyer: Visitor;
/** The buyer's program. */
let program: Session;
/** The order that was refunded. */
let refunded: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startStack(), startBrowser()]);
  api = requesterOf(stack.baseUrl);
  const [sells, buys] = [newAccount(), newAccount()];
  await stack.chain.fund(buys);
  const { baseUrl, chain } = stack;
  [program, provider, buyer] = await Promise.all([
    signIn(api, buys),
    openVisitor(browser, { baseUrl, chain, account: sells, isPhone: true }),
    openVisitor(browser, { baseUrl, chain, account: buys }),
  ]);
});
afterAll(async () => {
  await closeWindows();
  await stack?.close();
});
afterEach(() => {
  expect([...provider.faults.splice(0), ...buyer.faults.splice(0)]).toEqual([]);
});

// Each test continues on the page where the one before it ended.

test("an agent is created on the page, shows its missing fields, and is published once it has them", async () => {
  const { page } = provider;
  await signInByPage(provider);
  await follow(provider, "Agents");
  await page.getByText("No agents yet").waitFor();
  await expectAccessible(provider);
  await page.getByRole("link", { name: "Create agent" }).click();
  const create = page.getByRole("button", { name: "Create agent" });
  await create.click();
  const name = page.getByLabel("Name (required)", { exact: true });
  await page.getByRole("alert").filter({ hasText: "Enter a URL name." }).waitFor();
  await expectFocusInView(name);
  await name.fill("Çounter!");
  const slug = page.getByLabel("URL name");
  expect(await slug.inputValue()).toBe("counter");
  await slug.fill("");
  await name.fill("Counter");
  await create.click();
  await expectFocusInView(slug);
  await slug.fill("counter");
  await page.getByLabel("Languages").fill("klingon, ja");
  await page.getByRole("row", { name: "Text" }).first().click();
  await expectAccessible(provider);
  await create.click();
  await page.getByRole("alert").filter({ hasText: "Must be a language tag" }).first().waitFor();
  await expectFocusInView(page.getByRole("textbox", { name: "Languages" }));
  expectRefusals("400 (Bad Request)");
  await page.getByRole("row", { name: "klingon" }).getByRole("button").click();
  await create.click();
  await page.getByRole("button", { name: "Publish" }).click();
  await page.getByRole("alert").filter({ hasText: "Payout wallet: This is required." }).waitFor();
  await expectAccessible(provider);
  await page.getByRole("button", { name: "Choose a payout wallet" }).click();
  await page.getByRole("button", { name: "Use this wallet" }).click();
  await page.getByText("Open orders keep the wallet").waitFor();
  await page.getByRole("button", { name: "Publish" }).click();
  await status("Published");
  expectRefusals("409 (Conflict)");
});

test("a domain is claimed on the page, which shows its TXT record, and the claim is removed", async () => {
  const { page } = provider;
  await page.getByRole("tab", { name: "Domain" }).click();
  const domain = page.getByRole("textbox", { name: "Domain", exact: true });
  await domain.fill("github.io");
  await page.getByRole("button", { name: "Claim domain" }).click();
  await page.getByRole("alert").filter({ hasText: "is a public suffix" }).waitFor();
  expectRefusals("400 (Bad Request)");
  await domain.fill("Counter.Invalid");
  await page.getByRole("button", { name: "Claim domain" }).click();
  await page.getByText("_earnest-agent.counter.invalid", { exact: true }).waitFor();
  await page.getByText(/^earnest-agent=.+\/counter token=[0-9a-f]{40}$/).waitFor();
  await expectAccessible(provider);
  await page.getByRole("button", { name: /^Remove domain/ }).click();
  await page.getByRole("button", { name: "Remove counter.invalid" }).click();
  await page.getByText("Removed the domain of Counter.").waitFor();
});

test("a schema's faults are shown with their lines as one types, and the page survives a hostile schema", async () => {
  const { page } = provider;
  await page.getByRole("link", { name: "Add service" }).click();
  await page.getByLabel("URL name").fill("largest");
  const titled = (text: string) => page.getByRole("textbox", { name: "Title" }).fill(text);
  await titled("💎".repeat(161));
  await page.getByRole("alert").filter({ hasText: "Use at most 160 characters. This has 161." }).waitFor();
  await titled("Find \u202eeht");
  await page
    .getByRole("alert")
    .filter({ hasText: "This must not contain the invisible character U+202E" })
    .waitFor();
  await titled("💎".repeat(160));
  await page.getByText("160 of 160 characters.").waitFor();
  await titled("Find the largest number");
  await page.getByRole("textbox", { name: "Tags" }).fill("numbers,");
  await page.getByRole("row", { name: "numbers" }).waitFor();
  const output = page.getByLabel("Output schema (JSON Schema)", { exact: true });
  const says = (text: string) => page.getByRole("alert").filter({ hasText: text }).waitFor();
  const above = `{\n  "type": "object"${"\n".repeat(41)}  `;
  await output.fill(`${above}"required": []\n}`);
  await says("Line 43, column 3: Expected a comma.");
  await output.evaluate((area) => area.scrollTo(0, 0));
  await page.getByRole("button", { name: "Go to: Line 43" }).click();
  const seen = await output.evaluate((area: HTMLTextAreaElement) => [
    area.selectionStart,
    area.scrollTop > 0,
  ]);
  expect(seen).toEqual([above.length, true]);
  await output.fill('{ "properties": {\n  "n": { "type": "int" } } }');
  await says('Line 2, column 18: "type" is none of array,');
  await output.fill('{ "properties": { "n": { "pattern": "(?=a)" } } }');
  await says('Line 1, column 37: "pattern" is no pattern that RE2 can run (it has no (?=).');
  await output.fill('{ "properties": { "n": { "$dynamicRef": "#n" } } }');
  await says('Line 1, column 41: "$dynamicRef" is not enforced here; use $ref.');
  await output.fill('{ "properties": { "n": { "$ref": "#/$defs/n" } } }');
  await says('"$ref" refers to nothing in this schema;');
  await expectAccessible(provider);
  await page.getByRole("button", { name: "Create service" }).click();
  await expectFocusInView(output);
  const asked = page.waitForEvent("dialog");
  await Promise.all([follow(provider, "API keys"), asked.then((dialog) => dialog.dismiss())]);
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "Add service" }).waitFor();

  // Its form would have more inputs than any page can show.
  const again = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`again${at}`, { $ref: "#" }]));
  const hostile = { type: "object", properties: again };
  await output.fill(JSON.stringify(hostile));
  const preview = page.locator("details").filter({ hasText: "Form preview: Output schema (JSON Schema)" });
  await preview.getByText("Form preview").click();
  await preview.getByLabel("Edit as JSON").waitFor();

  await output.fill(JSON.stringify(outputSchema, null, 2));
  await preview.getByLabel("größte Zahl").fill("0");
  await preview.getByText("Enter 1 or more.").waitFor();
  await expectAccessible(provider);
});

test("a service is published once it has its missing fields, and is shown on the market", async () => {
  const { page } = provider;
  await page.getByRole("button", { name: "Create service" }).click();
  await page.getByRole("button", { name: "Publish" }).click();
  await page.getByRole("alert").filter({ hasText: "Price: This is required." }).waitFor();
  expectRefusals("409 (Conflict)");

  const { token } = await signIn(api, provider.wallet.account);
  const body = { summary: "Of any list." };
  expectStatus(200, await api.request("PATCH", "/agents/counter/services/largest", { token, body }));
  const price = page.getByRole("textbox", { name: "Price", exact: true });
  await price.fill("2.50");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").filter({ hasText: "This was edited elsewhere" }).waitFor();
  expectRefusals("412 (Precondition Failed)");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await price.fill("2.50");
  await page.getByRole("tab", { name: "Auto-fulfilment" }).click();
  const endpoint = page.getByRole("textbox", { name: "Auto-fulfilment URL" });
  await endpoint.fill("https://10.0.0.1/");
  await page.getByRole("tab", { name: "Schemas" }).click();
  expect(await price.isVisible()).toBe(false);
  await expectAccessible(provider);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").filter({ hasText: "not a public one" }).first().waitFor();
  await expectFocusInView(endpoint);
  expectRefusals("400 (Bad Request)");
  await endpoint.fill("http://localhost:9/orders");
  await page.getByLabel("Timeout (seconds)").fill("5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Service saved.").waitFor();
  await page.getByRole("button", { name: "Publish" }).click();
  await status("Published");
  for (const isOn of [false, true]) {
    await expect.poll(() => page.getByRole("switch").isEnabled()).toBe(true);
    await page.getByText("Accepting orders", { exact: true }).click();
    const service = () => api.request("GET", "/agents/counter/services/largest");
    await expect.poll(async () => (await service()).body.available).toBe(isOn);
  }
  await expectAccessible(provider);
  const found = expectStatus(200, await api.request("GET", "/agents/counter/services/largest"));
  expect(found).toMatchObject({ price: "2.500000", tags: ["numbers"], output_schema: outputSchema });
  expect([found.answers_at_once, found.execution]).toEqual([true, null]);
});

test("a received order is started, delivered by its schema's form, revised on request, and recorded", async () => {
  const { page, wallet } = provider;
  const order = await placeAndPay();
  await page.goto("/");
  await page.getByRole("region", { name: "To start" }).getByRole("link", { name: order.reference }).click();
  await page.getByText("The host refuses connections on this port.").first().waitFor();
  await expectAccessible(provider);
  await page.getByRole("button", { name: "Start work" }).click();
  const number = page.getByLabel("größte Zahl");
  await page.getByRole("button", { name: "Deliver", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "This is required." }).waitFor();
  await expectAccessible(provider);
  await number.fill("7");
  await page.getByRole("button", { name: "Deliver", exact: true }).click();
  await status("Delivered");

  // An order keeps the schema of its placement.
  const { token: own } = await signIn(api, wallet.account);
  const body = { output_schema: null };
  expectStatus(200, await api.request("PATCH", "/agents/counter/services/largest", { token: own, body }));
  await signInByPage(buyer);
  await buyer.page.getByRole("region", { name: "To review" }).getByRole("link").click();
  await buyer.page.getByText("Request a revision (1 left)").click();
  await buyer.page.getByLabel("What should change?").fill("Look at the whole list.");
  await expectAccessible(buyer);
  await buyer.page.getByRole("button", { name: "Request revision" }).click();
  await page.getByText("The buyer requested a revision.").waitFor();
  await page.locator(".note").getByText("Look at the whole list.").waitFor();
  await page.getByText("The service's output schema changed after this order was placed.").waitFor();
  const written = page.getByLabel("JSON", { exact: true });
  await written.fill('{ "größte Zahl": 0 }');
  await page.getByRole("button", { name: "Deliver", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "/größte Zahl: must be >= 1" }).waitFor();
  expectRefusals("422 (Unprocessable Entity)");
  await written.fill('{ "größte Zahl": 9 }');
  await page.getByRole("button", { name: "Deliver", exact: true }).click();
  await status("Delivered");
  await follow(provider, "Overview");
  await page.getByRole("region", { name: "Confirm delivery on-chain" }).getByRole("link").click();
  await page.getByRole("button", { name: "Confirm delivery on-chain" }).click();
  await page.getByRole("dialog").getByText("You sign that you delivered this output.").waitFor();
  await expectAccessible(provider);
  await page.getByRole("dialog").getByRole("button", { name: "Confirm in wallet" }).click();
  await page.getByText("Delivery confirmed on-chain").waitFor();
  const { token } = program;
  const recorded = expectStatus(200, await api.request("GET", `/orders/${order.id}`, { token }));
  expect([recorded.output_payload, recorded.delivery_record]).toEqual([{ "größte Zahl": 9 }, "matched"]);
  expect(wallet.asked.at(-1)?.method).toBe("eth_signTypedData_v4");
});

test("an order that cannot be done is refunded by one signature", async () => {
  const { page } = provider;
  const order = await placeAndPay();
  await page.goto("/sales?status=funded");
  await page.getByRole("link", { name: "Find the largest number" }).click();
  await page.getByRole("button", { name: "Refund the buyer", exact: true }).click();
  await page.getByRole("dialog").getByText("The escrow pays 2.50 TUSD back to the buyer.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Confirm in wallet" }).click();
  await status("Refunded");
  refunded = order.id;
});

test("the provider answers a review and reports it, and the market filters the service by its rating", async () => {
  const { page } = provider;
  const { token } = program;
  const body = { rating: 4, text: "<b>Honest.</b>" };
  expectStatus(201, await api.request("POST", `/orders/${refunded}/review`, { token, body }));
  await page.goto("/sell/agents/counter");
  await page.getByRole("tab", { name: "Reviews" }).click();
  const review = page.getByRole("article", { name: "Review of Find the largest number" });
  await review.getByText("<b>Honest.</b>").waitFor();
  await review.getByText("Answer (1 left)").click();
  await review.getByLabel("Your answer").fill("  We give back what we <i>cannot</i> do.  ");
  await expectAccessible(provider);
  await review.getByRole("button", { name: "Publish answer" }).click();
  await review.getByText("The provider answered").waitFor();
  await review.getByText("Answer (1 left)").waitFor({ state: "detached" });
  await review.getByText("We give back what we <i>cannot</i> do.").waitFor();
  await review.getByRole("button", { name: "Report" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("What is wrong?").fill("It is of another order.");
  await dialog.getByRole("button", { name: "Send report" }).click();
  await review.getByText("Disputed by the provider.").waitFor();
  await review.getByRole("button", { name: "Report" }).waitFor({ state: "detached" });
  const shown = expectStatus(200, await api.request("GET", "/agents/counter/reviews?service=largest"));
  expect(shown.items[0]).toMatchObject({
    answer: { text: "We give back what we <i>cannot</i> do." },
    disputed_by_provider: true,
  });

  const found = async () => (await api.request("GET", "/marketplace/services?min_rating=4")).body.total;
  await expect.poll(found).toBe(1);
  await page.goto("/market");
  await page.getByRole("button", { name: "Filters" }).click();
  await choose(page, "Rating", "4+ (1)");
  await choose(page, "Sort", "Highest score");
  await page.getByText("1 service", { exact: true }).waitFor();
  await page.getByText("★ 4 (1)").waitFor();
  await expectAccessible(provider);
  await choose(page, "Rating", "4.5+ (0)");
  await page.getByText("No services found").waitFor();

  // The refund came before the deadline and without a dispute, so the order counts as declined.
  await page.goto("/market/counter/largest");
  const record = page.getByRole("table", { name: "Track record" });
  await expect
    .poll(async () => {
      await page.reload();
      await record.waitFor();
      return await record.getByRole("row", { name: /^Refunded \/ declined/ }).textContent();
    })
    .toBe("Refunded / declined0 / 10 / 10 / 1");
  await page.getByText("which do not affect the score").first().waitFor();
  await expectAccessible(provider);
  await page.getByRole("link", { name: "How scores work" }).first().click();
  await page.getByRole("heading", { name: "How scores work" }).waitFor();
  await page.getByText("A buyer counts at most once").waitFor();
  await expectAccessible(provider);
});

test("a request is posted, quoted, and its quote accepted: the order has the quoted price and time", async () => {
  const { page: buys } = buyer;
  await follow(buyer, "Requests");
  await buys.getByRole("link", { name: "Post a request" }).click();
  await buys.getByLabel("Title").fill("The largest of a million numbers");
  await buys.getByLabel("Description").fill("They come in a file.");
  await buys.getByLabel("Tags").fill("numbers");
  await expectAccessible(buyer);
  await buys.getByRole("button", { name: "Post request" }).click();
  await buys.getByText("No quotes yet").waitFor();

  const { page: sells } = provider;
  await follow(provider, "Requests");
  await sells.getByLabel("Filter by tag").fill("numbers");
  await sells.getByRole("button", { name: "Filter", exact: true }).click();
  await expectAccessible(provider);
  await sells.getByRole("link", { name: "The largest of a million numbers" }).click();
  await sells.getByLabel("Your price").fill("7.25");
  await sells.getByLabel("Delivery time (hours)").fill("48");
  await expectAccessible(provider);
  await sells.getByRole("button", { name: "Send quote" }).click();
  await sells.getByRole("button", { name: "Withdraw quote" }).waitFor();

  await buys.getByRole("button", { name: "Accept quote" }).click();
  await buys.getByText("Payment and dispute options").click();
  await choose(buys, "Dispute resolution", "None (deadlines only)");
  await expectAccessible(buyer);
  await buys.getByRole("button", { name: "Accept quote and place order" }).click();
  await buys.locator(".status").filter({ hasText: "Awaiting payment" }).waitFor();
  const path = new URL(buys.url()).pathname;
  const agreement = expectStatus(
    200,
    await api.request("GET", `${path}/agreement`, { token: program.token }),
  );
  expect(agreement).toMatchObject({
    service_slug: "largest",
    amount_base_units: "7250000",
    delivery_window_seconds: 48 * 3600,
    arbiter: zeroAddress,
  });
});

test("a quote in stages is paid once; each stage is delivered, revised and accepted by itself", async () => {
  const [{ page: buys }, { page: sells }] = [buyer, provider];
  const { token } = program;
  const wanted = { title: "A manual", description: "Forty pages.", tags: ["manuals"] };
  const { id } = expectStatus(201, await api.request("POST", "/requests", { token, body: wanted }));
  await sells.goto(`/requests/${id}`);
  await sells.getByRole("button", { name: "Split into stages" }).click();
  await sells.getByRole("button", { name: "Send quote" }).click();
  await sells.getByRole("alert").filter({ hasText: "Enter a title." }).first().waitFor();
  await expectAccessible(provider);
  await fillStages([
    ["1", "Outline", "0.75", "24"],
    ["2", "Manual", "1.75", "48"],
  ]);
  await sells.getByText("2.50 TUSD · 3 days").waitFor();
  const second = sells.getByRole("group", { name: "Stage 2" });
  await second.getByText("Output schema (JSON Schema)").click();
  const schema = { type: "object", properties: { chapters: { type: "integer" } }, required: ["chapters"] };
  await second.getByLabel("Output schema of stage 2").fill(JSON.stringify(schema));
  await expectAccessible(provider);
  await sells.getByRole("button", { name: "Send quote" }).click();
  await sells.getByRole("button", { name: "Withdraw quote" }).waitFor();

  await buys.goto(`/requests/${id}`);
  const offered = buys.getByRole("list", { name: "Stages" });
  await offered.getByRole("listitem").filter({ hasText: "Outline" }).getByText("0.75 TUSD").waitFor();
  await buys.getByRole("button", { name: "Accept quote" }).click();
  await buys.getByRole("button", { name: "Accept quote and place order" }).click();
  await buys.getByRole("dialog").getByText("2.50 TUSD", { exact: true }).waitFor();
  await buys.getByRole("dialog").getByText("0.75 + 1.75 TUSD", { exact: true }).waitFor();
  await buys.getByRole("dialog").getByRole("button", { name: "Confirm in wallet" }).click();
  await buys.locator(".status").filter({ hasText: "In escrow" }).waitFor();
  const stages = buys.getByRole("list", { name: "Stages" }).getByRole("listitem");
  const expectStage = (number: number, text: string) =>
    stages
      .nth(number - 1)
      .getByText(text, { exact: true })
      .waitFor();
  await expectStage(1, "Open");

  await sells.goto(new URL(buys.url()).pathname);
  await sells.getByRole("button", { name: "Start work" }).click();
  await sells.getByText("Deliver stage 1: Outline").waitFor();
  await deliverStage("Your result", "Ten chapters");
  await expectStage(1, "Delivered");
  await stages.nth(0).getByText("Ten chapters").waitFor();
  await expectAccessible(buyer);
  await buys.getByText("Request a revision (1 left)").click();
  await buys.getByLabel("What should change?").fill("Twelve, please.");
  await buys.getByRole("button", { name: "Request revision" }).click();
  await sells.locator(".note").getByText("Twelve, please.").waitFor();
  await expectAccessible(provider);
  await deliverStage("Your result", "Twelve chapters");
  await stages.nth(0).getByText("Twelve chapters").waitFor();
  expect(await buys.getByText("Request a revision (1 left)").count()).toBe(0);
  await buys.getByText("Accept it to release 0.75 TUSD.").waitFor();
  await acceptStage(1, ["1 of 2", "0.75 TUSD"]);
  await expectStage(1, "Accepted");
  await buys.getByText("1 of 2 accepted", { exact: true }).waitFor();
  await buys.getByText("Waiting for the provider to deliver stage 2.").waitFor();

  await sells.getByText("Deliver stage 2: Manual").waitFor();
  expect(await sells.getByText("The buyer requested a revision.").count()).toBe(0);
  await deliverStage("Chapters (required)", "12");
  await buys.getByText("Request a revision (1 left)").waitFor();
  await acceptStage(2, ["2 of 2", "1.75 TUSD", "2.50 TUSD"]);
  await buys.locator(".status").filter({ hasText: "Completed" }).waitFor();
  await expectStage(2, "Accepted");
  await expectAccessible(buyer);
  await stages.nth(0).getByText("Output", { exact: true }).click();
  await stages.nth(0).getByRole("link", { name: "View receipt" }).waitFor();
  await buys.getByRole("tab", { name: "Receipts" }).click();
  await buys.getByRole("link", { name: "Part paid" }).first().waitFor();
  await buys.getByRole("link", { name: "Payment released" }).waitFor();
});

test("a service's stages are written in its form, and buyers see them with their sum", async () => {
  const { page } = provider;
  const { token } = await signIn(api, provider.wallet.account);
  const path = "/agents/counter/services/largest";
  expectStatus(200, await api.request("PATCH", path, { token, body: { execution: null } }));
  await page.goto("/sell/agents/counter/largest");
  await page.getByRole("button", { name: "Split into stages" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expectFocusInView(page.getByRole("group", { name: "Stage 1" }).getByLabel("Title"));
  await fillStages([
    ["1", "Sample", "1", "6"],
    ["2", "Whole list", "3.25", "18"],
  ]);
  await page.getByText("4.25 TUSD · 1 day").waitFor();
  await expectAccessible(provider);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Service saved.").waitFor();
  const service = expectStatus(200, await api.request("GET", path));
  expect(service).toMatchObject({ price: "4.250000", delivery_time_hours: 24, max_quantity: null });
  expect(service.stages).toHaveLength(2);
  await buyer.page.goto("/market/counter/largest");
  const shown = buyer.page.getByRole("region", { name: "Stages" });
  await shown.getByRole("listitem").filter({ hasText: "Whole list" }).getByText("3.25 TUSD").waitFor();
  await shown.getByText("4.25 TUSD").waitFor();
  await buyer.page.getByText("paid in 2 stages").waitFor();
  expect(await buyer.page.getByLabel("Quantity").count()).toBe(0);
  await expectAccessible(buyer);
});

test("a session has no task and no delivery on its pages, which say what goes back at its end", async () => {
  const { page } = provider;
  const { token } = await signIn(api, provider.wallet.account);
  const session = {
    endpoint_url: "https://calls.example/v1",
    session_key: "_HpP3NYtYtKo3JW7ywUlD14HQHmAknyl9ay0WWehQrc",
  };
  const body = {
    slug: "calls",
    title: "Count by calls",
    summary: "Of any list.",
    tags: ["numbers"],
    pricing_model: "per_call",
    price: "0.001",
    delivery_time_hours: 24,
    session,
  };
  const path = "/agents/counter/services";
  expectStatus(201, await api.request("POST", path, { token, body }));
  expectStatus(200, await api.request("POST", `${path}/calls/publish`, { token }));
  const order = await placeAndPay("calls", { quantity: 1000 });
  for (const { page: shown } of [provider, buyer]) {
    await shown.goto(`/orders/${order.id}`);
    await shown.getByText("The session is open. The buyer's program pays for each call.").waitFor();
    await shown.getByText("What its calls have not cost goes back to the buyer.").first().waitFor();
    const steps = await shown.getByRole("list", { name: "Progress" }).getByRole("listitem").count();
    expect(steps).toBe(3);
  }
  expect(await page.getByRole("button", { name: "Start work" }).count()).toBe(0);
  await expectAccessible(provider);
  const listed = page.waitForResponse((response) => response.url().includes("status=funded"));
  await page.goto("/");
  await listed;
  await expectAccessible(provider);
  expect(await page.getByRole("link", { name: order.reference }).count()).toBe(0);
});

test("the page of another seller's agent has no owner actions: it leads to the public page", async () => {
  const { page } = buyer;
  for (const path of ["", "/new", "/largest"]) {
    await page.goto(`/sell/agents/counter${path}`);
    await page.waitForURL("**/agents/counter");
    await page.getByRole("heading", { name: "Counter" }).waitFor();
    for (const action of ["Pause", "Archive", "Publish", "Delete", "Save"]) {
      expect(await page.getByRole("button", { name: action }).count()).toBe(0);
    }
  }
  const refused = "console: Failed to load resource: the server responded with a status of 404 (Not Found)";
  expect(buyer.faults.splice(0)).toEqual([refused, refused, refused]);
});

test("analytics shows charts with axes, whose tooltip follows the pointer and the arrow keys", async () => {
  const { page } = provider;
  await page.goto("/analytics");
  const figure = page.getByRole("figure").filter({ hasText: "Orders by status" });
  const plot = figure.getByRole("application");
  await plot.getByText("Refunded", { exact: true }).waitFor();
  await plot.getByText("0", { exact: true }).waitFor();
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  if (!box) throw new Error("The chart has no place on the page.");
  await page.mouse.move(box.x + box.width - 30, box.y + box.height / 2);
  const tip = figure.locator(".chart-tip");
  await tip.getByText("1", { exact: true }).waitFor();
  await page.mouse.move(0, 0);
  await tip.waitFor({ state: "detached" });
  await plot.focus();
  await tip.waitFor();
  const first = await tip.textContent();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => tip.textContent()).not.toBe(first);
  await figure.getByText("Show as table").click();
  await figure.getByRole("row", { name: "Refunded 1" }).waitFor();
  await expectAccessible(provider);

  await page.getByRole("tab", { name: "Webhooks and keys" }).click();
  await page.getByText("No webhook deliveries").waitFor();
  await expectAccessible(provider);
  await buyer.page.goto("/analytics?days=7");
  await buyer.page.getByRole("tab", { name: "Purchases" }).click();
  await buyer.page.getByRole("figure").filter({ hasText: "Spending by day (TUSD)" }).waitFor();
  await buyer.page.getByText("Paid into escrow").waitFor();
  await expectAccessible(buyer);
  await choose(buyer.page, "Period", "Custom");
  await buyer.page.getByRole("group", { name: "From" }).first().waitFor();
  await expectAccessible(buyer);
});

/** Fills the fields of stages on the provider's page: number, title, amount and hours of each. */
async function fillStages(stages: [string, string, string, string][]): Promise<void> {
  for (const [number, title, amount, hours] of stages) {
    const stage = provider.page.getByRole("group", { name: `Stage ${number}` });
    await stage.getByLabel("Title").fill(title);
    await stage.getByLabel("Amount (TUSD)").fill(amount);
    await stage.getByLabel("Hours").fill(hours);
  }
}

/** Delivers a stage on the provider's page, in the field with a label, and signs its record. */
async function deliverStage(label: string, output: string): Promise<void> {
  const { page } = provider;
  await page.getByLabel(label).fill(output);
  await page.getByRole("button", { name: "Deliver", exact: true }).click();
  await page.getByRole("button", { name: "Confirm delivery on-chain" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Confirm in wallet" }).click();
}

/** Accepts a stage by the buyer's wallet, whose dialog shows these values. */
async function acceptStage(number: number, values: string[]): Promise<void> {
  const { page } = buyer;
  await page.getByRole("button", { name: `Accept stage ${number}`, exact: true }).click();
  for (const value of values) {
    await page.getByRole("dialog").getByText(value, { exact: true }).first().waitFor();
  }
  await page.getByRole("dialog").getByRole("button", { name: "Confirm in wallet" }).click();
}

/** Follows a link of the navigation, which is a drawer on a phone. */
async function follow({ page }: Visitor, name: string): Promise<void> {
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole("link", { name, exact: true }).click();
}

/** Waits until a field has the focus, and asserts that it is in the window. */
async function expectFocusInView(field: Locator): Promise<void> {
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  const place = await field.boundingBox();
  const height = await field.evaluate(() => innerHeight);
  expect(place && place.y >= 0 && place.y + Math.min(place.height, 40) <= height).toBe(true);
}

/** Asserts that the browser's console has each expected refusal, and nothing else. */
function expectRefusals(...statuses: string[]): void {
  const said = statuses.map(
    (one) => `console: Failed to load resource: the server responded with a status of ${one}`,
  );
  expect(provider.faults.splice(0)).toEqual(said);
}

const newAccount = () => privateKeyToAccount(generatePrivateKey());

/** Waits until the provider's page shows a status without a reload. */
async function status(text: string): Promise<void> {
  await provider.page.locator(".status").filter({ hasText: text }).waitFor();
}

/** Places an order of the service and funds its escrow, as a buyer's program does. */
async function placeAndPay(slug = "largest", fields = {}): Promise<{ id: string; reference: string }> {
  const { token, account } = program;
  const service = expectStatus(200, await api.request("GET", `/agents/counter/services/${slug}`));
  const body = { service_id: service.id, ...fields };
  const order = expectStatus(201, await api.request("POST", "/orders", { token, body }));
  const path = `/orders/${order.id}`;
  const { calls } = expectStatus(200, await api.request("GET", `${path}/payment-instructions`, { token }));
  for (const { to, data } of calls as { to: Hex; data: Hex }[]) {
    const hash = await stack.chain.wallet(account).sendTransaction({ to, data });
    await stack.chain.publicClient.waitForTransactionReceipt({ hash });
  }
  await expect.poll(async () => (await api.request("GET", path, { token })).body.status).toBe("funded");
  return order;
}
