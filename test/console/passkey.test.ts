import type { Browser } from "playwright-core";
import { type Address, erc20Abi, formatUnits, getAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localAccounts } from "../../tools/stack/anvil.ts";
import {
  expectStatus,
  publishService,
  type Requester,
  requesterOf,
  type Session,
  signIn,
} from "../harness/api.ts";
import { closeWindows, expectAccessible, startBrowser } from "../harness/console/browser.ts";
import { type Device, openDevice } from "../harness/console/device.ts";
import { joinStack, type SharedStack } from "../harness/stack.ts";

let stack: SharedStack;
let browser: Browser;
let api: Requester;
let provider: Session;
/** The path of the provider's service on the market. */
let market: string;
beforeAll(async () => {
  [stack, browser] = await Promise.all([joinStack(), startBrowser()]);
  api = requesterOf(stack.baseUrl);
  provider = await signIn(api);
  const { agent, service } = await publishService(api, provider, { title: "Count words" });
  market = `/market/${agent.slug}/${service.slug}`;
});
afterAll(async () => {
  await closeWindows();
  await stack?.close();
});

const isSignedIn = ({ page }: Device) =>
  page.getByRole("heading", { name: "Overview", exact: true }).waitFor();

test("a person without a wallet creates a passkey, signs in, pays by it, and releases the payment", async () => {
  const device = await openDevice(browser, stack.baseUrl);
  const { page, faults } = device;
  await page.goto("/sign-in");
  await expectAccessible(device);
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await isSignedIn(device);
  const answer = await device.context.request.get("/api/v1/auth/me/wallets", {
    headers: { "earnest-console": "1" },
  });
  const wallets = (await answer.json()) as { items: { address: Address }[] };
  const account = getAddress(String(wallets.items[0]?.address));
  await stack.chain.fund({ address: account });
  await stack.chain.node.setBalance({ address: account, value: 0n });

  await page.goto(market);
  // The dialog of the payment opens by itself.
  await page.getByRole("button", { name: "Place order" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`${account} (buyer)`).waitFor();
  await dialog.getByRole("button", { name: "Confirm with your passkey" }).click();
  await page.getByText("In escrow", { exact: true }).first().waitFor();
  const { items } = expectStatus(
    200,
    await api.request("GET", "/orders/received", { token: provider.token }),
  );
  const path = `/orders/${items[0].id}`;
  expectStatus(200, await api.request("POST", `${path}/start`, { token: provider.token }));
  const body = { output_payload: { words: 3 } };
  expectStatus(200, await api.request("POST", `${path}/deliver`, { token: provider.token, body }));
  // The dialog of an early release closes when the delivery arrives.
  await page.getByText("Check the output below. Accept it to release the payment.").waitFor();
  await page.getByRole("button", { name: "Accept and release payment" }).click();
  await dialog.getByRole("button", { name: "Confirm with your passkey" }).click();
  await page.getByText("Completed", { exact: true }).first().waitFor();

  // The rest moves to another wallet.
  await page.goto("/settings/wallets");
  await page.getByRole("button", { name: "Move tokens" }).waitFor();
  await expectAccessible(device);
  await page.getByRole("button", { name: "Move tokens" }).click();
  await page.getByText("Enter an address with 0x and 40 characters.").waitFor();
  const receiver = localAccounts.arbiter.address;
  const { address: token } = stack.chain.chain.token as { address: Address };
  const balanceOf = (holder: Address) =>
    stack.chain.publicClient.readContract({
      address: token,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [holder],
    });
  const had = await balanceOf(receiver);
  const rest = await balanceOf(account);
  await page.getByLabel("Receiver").fill(receiver);
  await page.getByLabel("Amount").fill(formatUnits(rest, 6));
  await page.getByRole("button", { name: "Move tokens" }).click();
  await expect.poll(() => balanceOf(receiver)).toBe(had + rest);
  expect(faults).toEqual([]);
});

test("the passkey, synced to a second device, signs in there, and another page's key is not believed", async () => {
  const first = await openDevice(browser, stack.baseUrl);
  await first.page.goto("/sign-in");
  await first.page.getByRole("button", { name: "Create a passkey" }).click();
  await isSignedIn(first);
  const { credentials } = await first.cdp.send("WebAuthn.getCredentials", {
    authenticatorId: first.authenticatorId,
  });
  const [credential] = credentials;
  if (!credential) throw new Error("The authenticator has no passkey.");

  const second = await openDevice(browser, stack.baseUrl);
  await second.cdp.send("WebAuthn.addCredential", { authenticatorId: second.authenticatorId, credential });
  // A service that names another account leads into no other account.
  const address = `0x${"11".repeat(20)}`;
  await second.page.route("**/api/v1/passkeys?*", async (route) => {
    const answer = await route.fetch();
    const { items } = (await answer.json()) as { items: object[] };
    await route.fulfill({ response: answer, json: { items: items.map((each) => ({ ...each, address })) } });
  });
  await second.page.goto("/sign-in");
  await second.page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await second.page.getByRole("alert").waitFor();
  await second.page.unroute("**/api/v1/passkeys?*");
  await second.page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await isSignedIn(second);
  expect(await second.page.evaluate(() => Object.entries(localStorage).join())).toContain(
    credential.credentialId.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
  );
  expect([...first.faults, ...second.faults]).toEqual([]);
});

test("a user who is not verified is not signed in and reads why", async () => {
  const device = await openDevice(browser, stack.baseUrl);
  const { page, cdp, authenticatorId } = device;
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await isSignedIn(device);
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await device.context.clearCookies();
  await page.evaluate(() => sessionStorage.clear());
  await page.goto("/");
  await page.getByText("Your session has ended. Please sign in again.").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).first().click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("alert").filter({ hasText: "Nothing was signed or sent." }).waitFor();
});
