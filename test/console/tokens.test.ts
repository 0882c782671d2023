import type { Browser, Page } from "playwright-core";
import { type Address, erc20Abi, getAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
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
import { openDevice } from "../harness/console/device.ts";
import { secondId, startTwoChains, type TwoChains } from "../harness/flows/two-chains.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

let chains: TwoChains;
let stack: TestStack;
let browser: Browser;
let api: Requester;
let provider: Visitor;
let buyer: Visitor;
/** The page of the provider's service, and the page of its form. */
let pages: { offer: string; form: string };
/** The faults of a device of a test. */
let faults: string[] = [];

beforeAll(async () => {
  [chains, browser] = await Promise.all([startTwoChains({ withSecondUsd: true }), startBrowser()]);
  stack = await startStack({
    chain: { ...chains.first, env: chains.env },
    env: { DEFAULT_CHAIN_ID: "31337" },
  });
  api = requesterOf(stack.baseUrl);
  const [sells, buys] = [newAccount(), newAccount()];
  const { agent, service } = await publishService(api, await signIn(api, sells), { title: "Count words" });
  pages = {
    offer: `/market/${agent.slug}/${service.slug}`,
    form: `/sell/agents/${agent.slug}/${service.slug}`,
  };
  // The buyer has gas on both chains, the second chain's own token, and USDC on the first chain.
  await chains.second.fund(buys);
  await chains.first.node.setBalance({ address: buys.address, value: 10n ** 19n });
  await chains.usdc.mint(buys.address, 10_000_000n);
  const { baseUrl, chain } = stack;
  [provider, buyer] = await Promise.all([
    openVisitor(browser, { baseUrl, chain, account: sells, isPhone: true }),
    openVisitor(browser, { baseUrl, chain, account: buys }),
  ]);
  buyer.wallet.others.push(chains.second);
});
afterAll(async () => {
  await closeWindows();
  await stack?.close();
  await chains?.close();
});
afterEach(() => {
  expect([...provider.faults.splice(0), ...buyer.faults.splice(0), ...faults.splice(0)]).toEqual([]);
});

const newAccount = () => privateKeyToAccount(generatePrivateKey());

/** Places an order of the service in a token, and returns the dialog of its payment. */
async function place(page: Page, token: string) {
  await page.goto(pages.offer);
  await page.getByText("Pay with", { exact: true }).waitFor();
  await choose(page, "Pay with", token);
  await page.getByRole("button", { name: "Place order" }).click();
  return page.getByRole("dialog");
}

const isFunded = (page: Page) => page.getByText("In escrow", { exact: true }).first().waitFor();

test("a provider sets a price in dollars, and chooses the tokens of both chains that pay it", async () => {
  const { page } = provider;
  await signInByPage(provider);
  await page.goto(pages.form);
  const tokens = page.getByRole("group", { name: "Accepted tokens" });
  await choose(page, "Currency", "USD");
  for (const name of ["FRGN · Chain 3141592", "TUSD · Chain 3141592", "USDC · Local chain"])
    await tokens.getByRole("checkbox", { name: new RegExp(`^${name}`) }).check();
  await tokens.getByRole("checkbox", { name: "TUSD · Local chain" }).uncheck();
  await tokens.getByRole("button", { name: "Prefer USDC · Local chain" }).click();
  await expectAccessible(provider);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Service saved.").waitFor();
  const { items } = expectStatus(200, await api.request("GET", "/marketplace/services"));
  expect(items[0].price_currency).toBe("USD");
  expect(
    items[0].accepts.map(({ symbol, chain_id }: { symbol: string; chain_id: number }) => [symbol, chain_id]),
  ).toEqual([
    ["USDC", 31_337],
    ["FRGN", secondId],
    ["TUSD", secondId],
  ]);
});

test("a buyer pays on a chain that the wallet adds, by an approval and one signature", async () => {
  const { page, wallet } = buyer;
  await signInByPage(buyer);
  const dialog = await place(page, "FRGN · Chain 3141592 (you have 10,000.00)");
  await page.getByRole("button", { name: "Switch to Chain 3141592" }).click();
  await dialog.getByText("2.50 FRGN", { exact: true }).waitFor();
  await dialog.getByText(`(${secondId})`).waitFor();
  expect(wallet.added.map(({ chainId, rpcUrls }) => [Number(chainId), rpcUrls])).toEqual([
    [secondId, [chains.second.rpcUrl]],
  ]);
  await expectAccessible(buyer);
  await dialog.getByRole("button", { name: "Confirm in wallet" }).click();
  await isFunded(page);
  expect(wallet.asked.slice(-2).map(({ method }) => method)).toEqual([
    "eth_sendTransaction",
    "eth_signTypedData_v4",
  ]);
});

test("the preferred token that the wallet holds is chosen, and paid on the first chain", async () => {
  const { page } = buyer;
  await page.goto(pages.offer);
  await page.getByRole("button", { name: /USDC · Local chain \(you have 10\.00\)/ }).waitFor();
  await page.getByRole("button", { name: "Place order" }).click();
  await page.getByRole("button", { name: "Switch to Local chain" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2.50 USDC", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Confirm in wallet" }).click();
  await isFunded(page);
});

test("a passkey pays on a further chain, also in a token without authorizations, and moves tokens out", async () => {
  const device = await openDevice(browser, stack.baseUrl);
  const { page } = device;
  faults = device.faults;
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
  await page.goto("/settings/wallets");
  const shown = await page.getByRole("main").getByTitle(/^0x/).first().getAttribute("title");
  const account = getAddress(shown as Address);
  const token = chains.secondUsd as Address;
  await mint(token, account, 10_000_000n);

  const dialog = await place(page, "TUSD · Chain 3141592");
  await dialog.getByRole("button", { name: "Confirm with your passkey" }).click();
  await isFunded(page);

  // FRGN takes no signed authorizations: the account's own calls pay, by one signature.
  await mint(chains.foreign.token, account, 10n ** 19n);
  const byCalls = await place(page, "FRGN · Chain 3141592 (you have 10.00)");
  await byCalls.getByText("One signature allows exactly this amount", { exact: false }).waitFor();
  await expectAccessible(device);
  await byCalls.getByRole("button", { name: "Confirm with your passkey" }).click();
  await isFunded(page);

  await page.goto("/settings/wallets");
  const card = page.getByRole("listitem").filter({ hasText: "Chain 3141592" });
  await choose(card, "Token", "TUSD");
  const receiver = newAccount().address;
  await card.getByLabel("Receiver").fill(receiver);
  await card.getByLabel("Amount").fill("7.5");
  await card.getByRole("button", { name: "Move tokens" }).click();
  const received = () =>
    chains.second.publicClient.readContract({
      address: token,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [receiver],
    });
  await expect.poll(received).toBe(7_500_000n);
});

test("a dead chain is named to those whom it concerns, and every page lists the state of each chain", async () => {
  const stranger = await openVisitor(browser, {
    baseUrl: stack.baseUrl,
    chain: stack.chain,
    account: newAccount(),
  });
  await signInByPage(stranger);
  await chains.second.close();
  const dead = "Chain 3141592: Not reachable";
  const chip = (page: Page, name: string) =>
    page.getByRole("banner").getByRole("link", { name, exact: true }).first();
  // The buyer has an unfinished order on the dead chain.
  await expect
    .poll(async () => {
      await buyer.page.goto("/");
      await buyer.page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
      return chip(buyer.page, dead)
        .waitFor({ timeout: 3000 })
        .then(() => true)
        .catch(() => false);
    })
    .toBe(true);
  await buyer.page.getByText("Earnest can't reach Chain 3141592.", { exact: false }).waitFor();
  await expectAccessible(buyer);
  expect(await chip(buyer.page, dead).getAttribute("title")).toMatch(
    /^Local chain: (Up to date|Not checked)\nChain 3141592: Not reachable$/,
  );
  await chip(buyer.page, dead).click();
  const cardOf = (name: string) => buyer.page.getByRole("region", { name });
  await cardOf("Chain 3141592").getByText("Not reachable", { exact: true }).waitFor();
  await cardOf("Local chain").getByText("Blocks behind", { exact: true }).waitFor();
  await cardOf("Log of receipts").waitFor();
  await expectAccessible(buyer);

  // Another account has no order there.
  await stranger.page.goto("/chain-status");
  await stranger.page
    .getByRole("region", { name: "Chain 3141592" })
    .getByText("Not reachable")
    .first()
    .waitFor();
  await chip(stranger.page, "Local chain").waitFor();
  expect(await chip(stranger.page, "Local chain").getAttribute("title")).toContain(dead);
  expect(await stranger.page.getByRole("banner").getByText("Not reachable").count()).toBe(0);
  faults = stranger.faults;
  await stranger.context.close();
});

/** Gives an account tokens of the second chain. */
async function mint(token: Address, to: Address, amount: bigint): Promise<void> {
  const params = [to, token, `0x${amount.toString(16)}`];
  await chains.second.node.request({ method: "anvil_dealERC20", params } as never);
}
