import { eq } from "drizzle-orm";
import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hashMessage,
  parseErc6492Signature,
  parseUnits,
  serializeErc6492Signature,
  zeroAddress,
} from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freeTransfers } from "../../../api/accounts/transfer-limits.ts";
import { relay } from "../../../db/schema.ts";
import { createPasskeyAccountCall, passkeyAccountOf } from "../../../protocol/settlement/passkey.ts";
import { localAccounts } from "../../../tools/stack/anvil.ts";
import { type Answer, signIn, type TestApi } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { createDocumentedApi } from "../../harness/documented.ts";
import { makeParty } from "../../harness/party.ts";
import {
  type Authenticator,
  createAuthenticator,
  type Forgery,
  passkeyWallet,
} from "../../harness/passkey.ts";

let chain: TestChain;
let api: TestApi;
beforeAll(async () => {
  chain = await forkChain();
  api = await createDocumentedApi({ chain });
});
afterAll(async () => {
  await api?.close();
  await chain?.close();
});

/** The precompile of RIP-7212 and EIP-7951, and a valid signature: digest, r, s and key. */
const precompile = "0x0000000000000000000000000000000000000100";
const validP256: Hex =
  "0xbb5a52f42f9c9261ed4361f59422a1e30036e7c32b270c8807a419feca60502300000000000000000000000000000000000000000000000000000000000000050000000000000000000000000000000000000000000000000000000000000001a71af64de5126a4a4e02b7922d66ce9415ce88a4c9d25514d91082c8725ac9575d47723c8fbe580bb369fec9c2665d8e30a435b9932645482e7c9f11e872296b";

type Wallet = ReturnType<typeof passkeyWallet>;
const randomAddress = () => privateKeyToAddress(generatePrivateKey());

async function enter(wallet: Wallet, body: Record<string, unknown> = {}): Promise<Answer> {
  const challenge = await api.request("POST", "/auth/nonce", {
    body: { address: wallet.address, chain_id: chain.chain.chain_id },
  });
  const { message, nonce } = challenge.body;
  return api.request("POST", "/auth/signin", {
    body: { message, nonce, signature: await wallet.signMessage({ message }), ...body },
  });
}

const nameOf = ({ key }: Authenticator) => ({ passkey: key });

/** The passkeys that are known of some accounts. */
const find = async (...wallets: Wallet[]) => {
  const addresses = wallets.map(({ address }) => address).join(",");
  return (await api.request("GET", `/passkeys?addresses=${addresses}`)).body.items;
};

async function deploy({ factory, key }: Wallet): Promise<void> {
  const hash = await chain
    .wallet(localAccounts.deployer)
    .sendTransaction(createPasskeyAccountCall(factory, key));
  await chain.publicClient.waitForTransactionReceipt({ hash });
}

describe("signing in with a passkey", () => {
  test.each([
    ["before its account is deployed (ERC-6492)", false],
    ["after its account is deployed (ERC-1271)", true],
  ])("opens a session %s, and other devices find the public key", async (_, isDeployed) => {
    const authenticator = createAuthenticator();
    const wallet = passkeyWallet(chain, authenticator);
    if (isDeployed) await deploy(wallet);
    const { status, body } = await enter(wallet, nameOf(authenticator));
    expect([status, body.account?.primary_address]).toEqual([200, wallet.address]);
    const unknown = passkeyWallet(chain, createAuthenticator());
    expect(await find(unknown, wallet)).toEqual([{ address: wallet.address, ...authenticator.key }]);
    const again = await enter(wallet);
    expect([again.status, again.body.account?.id]).toEqual([200, body.account.id]);
  });

  test.each<[what: string, forgery: Forgery]>([
    ["on another site", { origin: "https://earnest.evil.example" }],
    ["on another port of the host", { origin: "http://localhost:1" }],
    ["on a host below the service's", { origin: "http://evil.localhost:42069" }],
    ["for another relying party", { rpId: "evil.example" }],
    ["in a frame of another site", { crossOrigin: true }],
    ["with another challenge", { challenge: hashMessage("something else") }],
    ["without a verified person", { flags: 0x01 }],
    ["without a present person", { flags: 0x04 }],
    ["as a creation", { type: "webauthn.create" }],
    ["with the malleable s", { highS: true }],
  ])("refuses an assertion made %s, deployed or not", async (_, forgery) => {
    const authenticator = createAuthenticator();
    const wallet = passkeyWallet(chain, authenticator, { forgery });
    for (const isDeployed of [false, true]) {
      if (isDeployed) await deploy(wallet);
      const { status, body } = await enter(wallet, nameOf(authenticator));
      expect([status, body.error?.code]).toEqual([401, "unauthenticated"]);
    }
    expect(await find(wallet)).toEqual([]);
  });

  test("refuses an assertion of another site whose deployment goes through another contract", async () => {
    const wallet = passkeyWallet(chain, createAuthenticator(), {
      forgery: { origin: "http://localhost:1" },
    });
    const [forwarder, own] = [randomAddress(), passkeyWallet(chain, createAuthenticator())];
    // The contract sends its calldata on to the factory.
    const bytecode: Hex = `0x363d3d373d3d363d3d73${wallet.factory.slice(2)}5af100`;
    await chain.node.setCode({ address: forwarder, bytecode });
    const through = (one: Wallet): Wallet => ({
      ...one,
      signMessage: async (text) => {
        const { data, signature } = parseErc6492Signature(await one.signMessage(text));
        return serializeErc6492Signature({ address: forwarder, data: data as Hex, signature });
      },
    });
    expect((await enter(through(wallet))).status).toBe(401);
    expect((await enter(through(own))).status).toBe(200);
  });

  test("refuses another passkey's assertion with the owner's or its own deployment", async () => {
    const [owner, thief] = [createAuthenticator(), createAuthenticator()];
    const stolen = passkeyWallet(chain, thief, { owner: owner.key });
    expect((await enter(stolen, nameOf(owner))).status).toBe(401);
    const foreign = { ...passkeyWallet(chain, thief), address: stolen.address };
    expect((await enter(foreign)).status).toBe(401);
  });

  test("refuses an assertion for another account of the same passkey", async () => {
    const authenticator = createAuthenticator();
    const wallet = passkeyWallet(chain, authenticator);
    const elsewhere = passkeyAccountOf(zeroAddress, authenticator.key);
    const named = passkeyWallet(
      { ...chain, chain: { ...chain.chain, passkey_factory: zeroAddress } },
      authenticator,
    );
    expect(named.address).toBe(elsewhere);
    const replayed = { ...wallet, signMessage: named.signMessage };
    expect((await enter(replayed)).status).toBe(401);
  });

  test("refuses a message that was signed before", async () => {
    const wallet = passkeyWallet(chain, createAuthenticator());
    const challenge = await api.request("POST", "/auth/nonce", {
      body: { address: wallet.address, chain_id: chain.chain.chain_id },
    });
    const { message, nonce } = challenge.body;
    const body = { message, nonce, signature: await wallet.signMessage({ message }) };
    expect((await api.request("POST", "/auth/signin", { body })).status).toBe(200);
    expect((await api.request("POST", "/auth/signin", { body })).status).toBe(401);
    const next = await api.request("POST", "/auth/nonce", {
      body: { address: wallet.address, chain_id: chain.chain.chain_id },
    });
    const replayed = { ...body, message: next.body.message, nonce: next.body.nonce };
    expect((await api.request("POST", "/auth/signin", { body: replayed })).status).toBe(401);
  });

  test("refuses a public key that is not the account's, and a key's wallet with one", async () => {
    const authenticator = createAuthenticator();
    const wallet = passkeyWallet(chain, authenticator);
    const other = createAuthenticator();
    const lied = await enter(wallet, nameOf(other));
    expect([lied.status, lied.body.error.details?.[0]?.keyword]).toEqual([400, "public_key"]);
    expect(await find(wallet, passkeyWallet(chain, other))).toEqual([]);
  });

  test("nobody occupies or replaces a passkey: its account is the only name that it has", async () => {
    const [owner, outsider] = [createAuthenticator(), createAuthenticator()];
    const [own, foreign] = [passkeyWallet(chain, owner), passkeyWallet(chain, outsider)];
    expect((await enter(foreign, nameOf(owner))).status).toBe(400);
    const squat = { passkey: { ...outsider.key, credential_id: owner.credentialId } };
    expect((await enter(foreign, squat)).status).toBe(400);
    expect((await enter(foreign, nameOf(outsider))).status).toBe(200);
    expect((await enter(own, nameOf(owner))).status).toBe(200);
    expect(await find(own)).toEqual([{ address: own.address, ...owner.key }]);
  });

  test.each([
    ["no accounts", ""],
    ["five accounts", Array(5).fill(zeroAddress).join(",")],
    ["an id of an authenticator", "q83vEjRWeJCrze8SNFZ4kA"],
  ])("refuses to look for %s", async (_, addresses) => {
    expect((await api.request("GET", `/passkeys?addresses=${addresses}`)).status).toBe(400);
  });
});

describe("moving tokens out of a passkey account", () => {
  const receiver = localAccounts.arbiter.address;

  async function newUser() {
    const authenticator = createAuthenticator();
    const wallet = passkeyWallet(chain, authenticator);
    const { body } = await enter(wallet, nameOf(authenticator));
    const token = body.tokens.access_token as string;
    const { items } = (await api.request("GET", "/auth/me/wallets", { token })).body;
    const path = `/auth/me/wallets/${items[0].id}/transfer`;
    return { wallet, token, accountId: body.account.id as string, id: items[0].id as string, path };
  }
  type User = Awaited<ReturnType<typeof newUser>>;

  const read = ({ path, token }: User, to: string = receiver, amount = "1.5") =>
    api.request("GET", `${path}?to=${to}&amount=${amount}`, { token });

  async function sign({ wallet }: User, shown: Answer["body"], changes: Record<string, unknown> = {}) {
    const { nonce, deadline, to, amount } = { ...shown, ...changes } as Record<string, string>;
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: "transfer",
      args: [to as Address, parseUnits(amount as string, 6)],
    });
    const calls = [{ to: chain.chain.token.address as Address, value: 0n, data }];
    return wallet.signCalls({ calls, nonce: BigInt(nonce as string), deadline: BigInt(deadline as string) });
  }

  const bodyOf = ({ to, amount, nonce, deadline }: Record<string, string>, signature: Hex) => ({
    to,
    amount,
    nonce,
    deadline,
    signature,
  });

  test("queues a signed transfer once, also before the account is deployed", async () => {
    const user = await newUser();
    await chain.fund(user.wallet);
    const shown = await read(user);
    expect(shown.body).toMatchObject({
      account: user.wallet.address,
      nonce: "0",
      amount: "1.500000",
      relay: null,
    });
    const body = bodyOf(shown.body, await sign(user, shown.body));
    const first = await api.request("POST", user.path, { token: user.token, body });
    expect([first.status, first.body.relay?.status]).toEqual([202, "queued"]);
    const again = await api.request("POST", user.path, { token: user.token, body });
    expect(again.body).toEqual(first.body);
    expect((await read(user)).body.relay).toEqual(first.body.relay);
    const other = { ...shown.body, amount: "2" };
    const second = await api.request("POST", user.path, {
      token: user.token,
      body: bodyOf(other, await sign(user, other)),
    });
    expect([second.status, second.body.error?.code]).toEqual([409, "conflict"]);
  });

  test.each<[what: string, changes: Record<string, string>, status: number]>([
    ["to another receiver than signed", { to: localAccounts.deployer.address }, 400],
    ["of another amount than signed", { amount: "2" }, 400],
    ["of a later nonce", { nonce: "1" }, 409],
    ["past its deadline", { deadline: "1" }, 400],
    ["of more than the balance", { amount: "20000" }, 400],
    ["of nothing", { amount: "0" }, 400],
    ["of a part of a base unit", { amount: "0.0000001" }, 400],
    ["to nobody", { to: zeroAddress }, 400],
  ])("refuses a transfer %s, and queues nothing", async (_, changes, status) => {
    const user = await newUser();
    await chain.fund(user.wallet);
    const shown = await read(user);
    const body = { ...bodyOf(shown.body, await sign(user, shown.body)), ...changes };
    const answer = await api.request("POST", user.path, { token: user.token, body });
    expect([answer.status, answer.body.error?.message]).toEqual([status, expect.any(String)]);
    expect(await api.db.$count(relay, eq(relay.accountId, user.accountId))).toBe(0);
  });

  test("refuses another passkey's signature, another account's wallet, and a wallet that is no passkey", async () => {
    const [user, thief] = [await newUser(), await newUser()];
    await chain.fund(user.wallet);
    const shown = await read(user);
    const forged = passkeyWallet(chain, createAuthenticator(), { owner: user.wallet.key });
    const body = bodyOf(shown.body, await sign({ ...user, wallet: forged }, shown.body));
    expect((await api.request("POST", user.path, { token: user.token, body })).status).toBe(400);
    const signed = bodyOf(shown.body, await sign(user, shown.body));
    expect((await api.request("POST", user.path, { token: thief.token, body: signed })).status).toBe(404);

    const key = await signIn(api);
    const { items } = (await api.request("GET", "/auth/me/wallets", { token: key.token })).body;
    const path = `/auth/me/wallets/${items[0].id}/transfer`;
    const answer = await read({ ...user, path, token: key.token });
    expect([answer.status, answer.body.error.code]).toEqual([409, "invalid_state"]);
  });

  test("deploys an account once one of its orders is funded, and not before", async () => {
    const user = await newUser();
    const path = user.path.replace("/transfer", "/deployment");
    const early = await api.request("POST", path, { token: user.token });
    expect([early.status, early.body.error?.code]).toEqual([409, "invalid_state"]);
    await makeParty(api.db, user.accountId);
    const queued = await api.request("POST", path, { token: user.token });
    expect([queued.status, queued.body.relay?.status]).toEqual([202, "queued"]);
    expect((await api.request("POST", path, { token: user.token })).body).toEqual(queued.body);
    await deploy(user.wallet);
    expect((await api.request("POST", path, { token: user.token })).body).toEqual({ relay: null });
  });

  test("pays for few transfers of accounts that bought nothing, so that money going around uses up no gas of others", async () => {
    const user = await newUser();
    await chain.fund(user.wallet);
    const send = async () => {
      const shown = await read(user);
      const body = bodyOf(shown.body, await sign(user, shown.body));
      const answer = await api.request("POST", user.path, { token: user.token, body });
      // The transfers never reach the chain here, so each next one needs the place of the last.
      await api.db.delete(relay).where(eq(relay.accountId, user.accountId));
      return answer;
    };
    for (let sent = 0; sent < freeTransfers.own; sent += 1) expect((await send()).status).toBe(202);
    const refused = await send();
    expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await makeParty(api.db, user.accountId);
    expect((await send()).status).toBe(202);
  });

  test("counts transfers on the account's gas of the hour", async () => {
    const poor = await createDocumentedApi({ chain, env: { RELAY_GAS_PER_HOUR: "1000000" } });
    const usual = api;
    api = poor;
    try {
      const user = await newUser();
      await chain.fund(user.wallet);
      await api.db.insert(relay).values({
        id: "rly_earlier",
        key: "earlier",
        chainId: chain.chain.chain_id,
        accountId: user.accountId,
        to: receiver,
        data: "0x",
        gasBound: 600_000,
        gasCharged: 600_000,
      });
      const shown = await read(user);
      const body = bodyOf(shown.body, await sign(user, shown.body));
      const { status, body: answered } = await api.request("POST", user.path, { token: user.token, body });
      expect([status, answered.error?.code]).toEqual([429, "rate_limited"]);
      expect(await api.db.$count(relay)).toBe(1);
    } finally {
      api = usual;
      await poor.close();
    }
  });

  test("on a chain without the precompile for P-256, sign-in and transfers stay within the bounds of gas", async () => {
    const usual = { api, chain };
    chain = await forkChain({ hardfork: "prague" });
    api = await createDocumentedApi({ chain });
    try {
      const { data } = await chain.publicClient.call({ to: precompile, data: validP256 });
      expect(data).toBeUndefined();
      const user = await newUser();
      await chain.fund(user.wallet);
      const shown = await read(user);
      const body = bodyOf(shown.body, await sign(user, shown.body));
      const queued = await api.request("POST", user.path, { token: user.token, body });
      expect([queued.status, queued.body.relay?.status]).toEqual([202, "queued"]);
      await deploy(user.wallet);
      expect((await enter(user.wallet)).status).toBe(200);
    } finally {
      await api.close();
      await chain.close();
      ({ api, chain } = usual);
    }
  });
});
