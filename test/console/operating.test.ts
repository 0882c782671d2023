import type { Browser, Page } from "playwright-core";
import { typeid } from "typeid-js";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { grantOperator } from "../../trade/moderation/operators.ts";
import { expectStatus, publishService, type Requester, requesterOf, signIn } from "../harness/api.ts";
import {
  choose,
  closeWindows,
  expectAccessible,
  openVisitor,
  signInByPage,
  startBrowser,
  type Visitor,
} from "../harness/console/browser.ts";
import { walkHostileMarket } from "../harness/console/hostile-walk.ts";
import { startRecorder } from "../harness/jobs/deliveries.ts";
import { startMailServer } from "../harness/mail.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

let stack: TestStack;
let browser: Browser;
let mail: Awaited<ReturnType<typeof startMailServer>>;
let receiver: Awaited<ReturnType<typeof startRecorder>>;
let api: Requester;
/** The account that operates the pages: another in each test, in a window of its own. */
let owner: Visitor;
let visitors: Visitor[] = [];

beforeAll(async () => {
  mail = await startMailServer();
  const env = { SMTP_URL: mail.url, MAIL_FROM: "Earnest <mail@example.org>" };
  [stack, browser, receiver] = await Promise.all([startStack({ env }), startBrowser(), startRecorder()]);
  api = requesterOf(stack.baseUrl);
});
afterAll(async () => {
  await closeWindows();
  await receiver?.close();
  await stack?.close();
  await mail?.close();
});
beforeEach(async () => {
  for (const { context } of visitors) await context.close();
  visitors = [];
  owner = await enter();
});
afterEach(() => {
  expect(visitors.flatMap(({ faults }) => faults)).toEqual([]);
});

test("a second wallet is added by its signature, made the primary one, and removed", async () => {
  const { page, wallet } = owner;
  const signer = wallet.account;
  const first = signer.address;
  await follow(page, "Wallets");
  await page.getByText("Primary", { exact: true }).waitFor();
  const second = privateKeyToAccount(generatePrivateKey());
  await wallet.switchAccount(second);
  await page.getByRole("button", { name: "Add wallet" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Test wallet" }).click();
  await page.getByText("Wallet added.").waitFor();
  await expectAccessible(owner);
  const cardOf = (address: string) =>
    page.getByRole("listitem").filter({ hasText: `${address.slice(0, 6)}…${address.slice(-4)}` });
  await cardOf(second.address).getByRole("button", { name: "Make primary" }).click();
  await cardOf(second.address).getByText("Primary", { exact: true }).waitFor();
  await cardOf(first).getByRole("button", { name: "Make primary" }).click();
  await cardOf(first).getByText("Primary", { exact: true }).waitFor();
  await cardOf(second.address)
    .getByRole("button", { name: /^Remove/ })
    .click();
  await cardOf(second.address).getByRole("button", { name: /now$/ }).click();
  await page.getByText("Wallet removed.").waitFor();
  const { token } = await signIn(api, signer);
  const { items } = expectStatus(200, await api.request("GET", "/auth/me/wallets", { token }));
  expect(items.map(({ address }: { address: string }) => address)).toEqual([first]);
});

test("an invited member joins and acts for the organisation; after the removal, access ends at once", async () => {
  const { page } = owner;
  const guest = await open();
  await follow(page, "Organisation");
  await page.getByLabel("Name").fill("Lingua");
  await page.getByRole("button", { name: "Save name" }).click();
  await page.getByRole("button", { name: "Invite a member" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Wallet").fill(guest.wallet.account.address);
  await choose(dialog, "Role", "Admin – everything except owners");
  await expectAccessible(owner);
  await dialog.getByRole("button", { name: "Invite", exact: true }).click();
  await page.getByText("1 invitation", { exact: true }).waitFor();
  await expectAccessible(owner);

  await signInByPage(guest);
  await follow(guest.page, "Organisation");
  await guest.page.getByRole("button", { name: "Join Lingua" }).click();
  await guest.page.getByText("You act for Lingua.").waitFor();
  await guest.page.getByText("2 members").waitFor();
  await expectAccessible(guest);
  const acting = {
    token: (await sessionOf(guest)).token,
    organisation: (await sessionOf(owner)).accountId,
  };
  const readOrders = () =>
    api.request("GET", "/orders", {
      token: acting.token,
      headers: { "X-Organisation": acting.organisation },
    });
  expect((await readOrders()).status).toBe(200);

  const url = "http://localhost:9/theirs";
  const added = await api.request("POST", "/webhooks", {
    token: acting.token,
    headers: { "X-Organisation": acting.organisation },
    body: { url, events: ["*"] },
  });
  expect(added.status).toBe(201);
  const invited = await api.request("POST", `/organisations/${acting.organisation}/invitations`, {
    token: acting.token,
    body: { address: `0x${"ab".repeat(20)}`, role: "developer" },
  });
  expect(invited.status).toBe(201);

  const member = guest.wallet.account.address;
  await page.getByRole("button", { name: `Remove ${member}` }).click();
  await page.getByRole("button", { name: `Remove ${member} now` }).click();
  await page.getByText(`Removed ${member}.`, { exact: true }).waitFor();
  await page.getByText(`Disabled webhooks: ${url}. Rotate each secret`).waitFor();
  await page.getByText("Revoked", { exact: true }).waitFor();
  expect((await readOrders()).status).toBe(403);
  await follow(guest.page, "Purchases");
  await guest.page.getByText("You're no longer a member of that organisation.").waitFor();
  await expect.poll(() => guest.page.evaluate(readOrganisation)).toMatch(/^acc_\w+ $/);

  await follow(page, "Audit log");
  await page.getByText("Member removed").waitFor();
  await page.getByText("Webhook disabled").waitFor();
  await expectAccessible(owner);
  // The refused requests of the removed member.
  guest.faults.splice(0);
});

test("an address is confirmed by the mail that its server got, and removed", async () => {
  const { page } = owner;
  await follow(page, "Notifications");
  const address = `${typeid("mail")}@example.org`;
  await page.getByLabel("Address", { exact: false }).fill(address);
  // No address is set yet, and the browser logs the 404.
  expect(owner.faults.splice(0)).toEqual([expect.stringContaining("404 (Not Found)")]);
  await page.getByRole("radio", { name: "Daily digest" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Open the link in the email we sent you").waitFor();
  const taken = () => mail.taken.filter(({ to }) => to === address);
  await expect.poll(() => taken().length).toBe(1);
  const [link] = /http:\S+\/mail\/verify\?token=[\w.-]+/.exec(taken()[0]?.text ?? "") ?? [];
  await page.goto(String(link));
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("Your address is confirmed").waitFor();
  await page.goto("/settings/notifications");
  await page.getByText("Confirmed", { exact: true }).waitFor();
  expect(await page.getByRole("radio", { name: "Daily digest" }).isChecked()).toBe(true);
  await expectAccessible(owner);
});

test("hostile text in any field is plain text on every page, in mails and in tables", async () => {
  const { token, accountId } = await sessionOf(owner);
  const victim = { account: owner.wallet.account, accountId, token };
  await walkHostileMarket(stack, owner, victim, { mail, receiver });
});

test("on a phone, in dark mode, the pages fit", async () => {
  const { page } = owner;
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(owner);
  for (const path of [
    ...["/settings/audit", "/settings/organisation", "/settings/sessions", "/settings/wallets", "/webhooks"],
    ...["/keys", "/events", "/developers", "/docs", "/docs?op=placeOrder", "/chain-status"],
  ]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page
      .getByText(/^Loading/)
      .first()
      .waitFor({ state: "detached" });
    await expectAccessible(owner);
  }
});

/** Opens a window for a new account. */

test("a reported agent is suspended by an operator, and the reporter reads the answer", async () => {
  const { page } = owner;
  const seller = await signIn(api);
  const { agent } = await publishService(api, seller);
  await page.goto(`${stack.baseUrl}/agents/${agent.slug}`);
  await page.getByRole("button", { name: "Report", exact: true }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("What is wrong?").fill("It sells stolen data.");
  await expectAccessible(owner);
  await dialog.getByRole("button", { name: "Send report" }).click();
  await page.getByText("Report sent.").waitFor();

  const operator = await open();
  const { address } = operator.wallet.account;
  await grantOperator(stack.db, { address, chainId: null });
  await signInByPage(operator);
  await follow(operator.page, "Moderation");
  await operator.page.getByRole("link", { name: agent.name }).click();
  await operator.page.getByText("It sells stolen data.").waitFor();
  await expectAccessible(operator);
  await operator.page.getByLabel(/^Reason/).fill("It is stolen.");
  await operator.page.getByLabel("Answer to the reporters").fill("It is gone.");
  await operator.page.getByRole("button", { name: `Suspend ${agent.name}` }).click();
  await operator.page.getByRole("button", { name: "Confirm: Suspend" }).click();
  await operator.page.getByText("Decided.").waitFor();
  await follow(operator.page, "Service state");
  await operator.page.getByRole("heading", { name: "Queues" }).waitFor();
  await expectAccessible(operator);

  await follow(page, "Reports");
  await page.getByText("Action taken").waitFor();
  await page.getByText("It is gone.").waitFor();
  await expectAccessible(owner);
  expect(await page.getByRole("link", { name: "Moderation" }).count()).toBe(0);
  expect((await api.request("GET", `/agents/${agent.slug}`)).status).toBe(404);
});

async function open(): Promise<Visitor> {
  const account = privateKeyToAccount(generatePrivateKey());
  const visitor = await openVisitor(browser, { baseUrl: stack.baseUrl, chain: stack.chain, account });
  visitors.push(visitor);
  return visitor;
}

async function enter(): Promise<Visitor> {
  const visitor = await open();
  await signInByPage(visitor);
  return visitor;
}

const follow = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();

/** Runs in the page. The text names the person and, after a space, the organisation that the person acts for. */
const readOrganisation = () => sessionStorage.getItem("earnest.organisation /");

/** A session of a program of the visitor: no script can read the browser's own. */
const sessionOf = ({ wallet }: Visitor) => signIn(api, wallet.account);
