import { createWalletClient, custom, getAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { checkSignInText, Earnest, UntrustedTextError } from "../src/index.ts";
import { startService, type TestService } from "./service.fixture.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const newWallet = () => privateKeyToAccount(generatePrivateKey());

describe("signing in", () => {
  test("gives a session, which signing out ends", async () => {
    const client = service.client();
    const wallet = newWallet();
    const signedIn = await client.signIn({ wallet, chainId: 31_337 });
    expect(signedIn.account.primary_address).toBe(getAddress(wallet.address));
    const me = await client.me();
    expect(me.id).toBe(signedIn.account.id);
    const other = service.client({ accessToken: () => signedIn.tokens.access_token });
    expect((await other.me()).id).toBe(me.id);
    await client.signOut();
    await expect(client.me()).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(other.me()).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("takes viem's wallet client as well", async () => {
    const account = newWallet();
    const wallet = createWalletClient({
      account,
      transport: custom({ request: () => Promise.reject(new Error("nothing is asked of a node")) }),
    });
    expect((await service.client().signIn({ wallet, chainId: 31_337 })).account.primary_address).toBe(
      getAddress(account.address),
    );
  });

  test("adds a second wallet to the account, which the text names", async () => {
    const { client } = await service.signedIn({ organisation: null });
    const second = newWallet();
    const added = await client.linkWallet({ wallet: second, chainId: 31_337 });
    expect(added.address).toBe(getAddress(second.address));
    expect((await client.wallets.list()).items.length).toBe(2);
  });

  test("does not sign what another host asks for, and sends nothing more", async () => {
    const wallet = { address: newWallet().address, signMessage: vi.fn(async () => "0x") };
    // The address that the service calls its own is not the one that this client was given.
    const client = new Earnest({ baseUrl: service.baseUrl.replace("127.0.0.1", "localhost") });
    service.seen.length = 0;
    await expect(client.signIn({ wallet, chainId: 31_337 })).rejects.toThrow(UntrustedTextError);
    expect(wallet.signMessage).not.toHaveBeenCalled();
    expect(service.seen.map(({ path }) => path)).toEqual(["/api/v1/auth/nonce"]);
    const host = new URL(service.baseUrl).host;
    const session = client.signIn({ wallet: newWallet(), chainId: 31_337, host });
    expect((await session).tokens.token_type).toBe("Bearer");
  });
});

describe("the text", () => {
  const expected = {
    host: "market.example",
    address: "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
    chainId: 8453,
    nonce: "f3c0a1d2e4b59687",
    now: new Date("2026-11-22T12:00:00Z"),
  };
  const good = `market.example wants you to sign in with your Ethereum account:
0x90F79bf6EB2c4f870365E785982E1f101E93b906

Sign in to Earnest. This starts a session; it sends no transaction and moves no money.

URI: https://market.example
Version: 1
Chain ID: 8453
Nonce: f3c0a1d2e4b59687
Issued At: 2026-11-22T11:59:00.000Z
Expiration Time: 2026-11-22T12:09:00.000Z`;

  test("is taken as the service writes it", () => {
    expect(() => checkSignInText(good, expected)).not.toThrow();
  });

  test.each([
    ["another host", "market.example wants", "evil.example wants"],
    ["a host with a user before it", "market.example wants", "market.example@evil.example wants"],
    ["another address on the web", "URI: https://market.example", "URI: https://evil.example"],
    [
      "an address that begins alike",
      "URI: https://market.example",
      "URI: https://market.example.evil.example",
    ],
    ["another scheme", "URI: https://market.example", "URI: javascript://market.example"],
    [
      "another wallet",
      "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
      "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    ],
    ["another chain", "Chain ID: 8453", "Chain ID: 1"],
    ["another nonce", "Nonce: f3c0a1d2e4b59687", "Nonce: 0000000000000000"],
    ["another version", "Version: 1", "Version: 2"],
    ["another purpose", "Sign in to Earnest.", "Add this wallet to the Earnest account acc_1,"],
    ["an end in the past", "Expiration Time: 2026-11-22T12:09", "Expiration Time: 2026-11-22T11:59"],
    ["no end", "\nExpiration Time: 2026-11-22T12:09:00.000Z", ""],
    ["resources", "12:09:00.000Z", "12:09:00.000Z\nResources:\n- https://evil.example/all-of-it"],
    ["no resource in its list", "12:09:00.000Z", "12:09:00.000Z\nResources:"],
    ["a request's id", "12:09:00.000Z", "12:09:00.000Z\nRequest ID: 1"],
    ["a second text in its statement", "moves no money.", "moves no money.\n\nURI: https://evil.example"],
    ["a line before it", "market.example wants", "I agree to everything.\nmarket.example wants"],
    ["an end of line at its end", "12:09:00.000Z", "12:09:00.000Z\n"],
  ])("is refused with %s", (_, from, to) => {
    const text = good.replace(from, to);
    expect(text).not.toBe(good);
    expect(() => checkSignInText(text, expected)).toThrow(UntrustedTextError);
  });

  test("names the account where a wallet is added, and is refused for another one", () => {
    const text = good.replace(
      "Sign in to Earnest.",
      "Add this wallet to the Earnest account acc_1, whose people",
    );
    expect(() => checkSignInText(text, { ...expected, accountId: "acc_1" })).not.toThrow();
    expect(() => checkSignInText(text, { ...expected, accountId: "acc_2" })).toThrow(UntrustedTextError);
    expect(() => checkSignInText(good, { ...expected, accountId: "acc_1" })).toThrow(UntrustedTextError);
  });
});
