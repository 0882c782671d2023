import { count, eq, sql } from "drizzle-orm";
import type { LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { parseSiweMessage } from "viem/siwe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { account, session, signInNonce, wallet } from "../../../db/schema.ts";
import { type Answer, createKey, signIn, type TestApi } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { deployCode, deployWallet, foreseeWallet, lengthWalletCode } from "../../harness/contract-wallet.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let chain: TestChain;
let api: TestApi;
beforeAll(async () => {
  chain = await forkChain({ fork: null });
  api = await createDocumentedApi({ chain });
});
afterAll(async () => {
  await api.close();
  await chain.close();
});

const newWallet = () => privateKeyToAccount(generatePrivateKey());
const askNonce = (address: string, chain_id: unknown = 31_337) =>
  api.request("POST", "/auth/nonce", { body: { address, chain_id } });
const send = (body: unknown) => api.request("POST", "/auth/signin", { body });
const countRows = async () => {
  const [accounts, wallets, sessions] = await Promise.all(
    [account, wallet, session].map((table) => api.db.select({ rows: count() }).from(table)),
  );
  return [accounts, wallets, sessions].map((rows) => rows?.[0]?.rows);
};

/** Asserts that the request is refused and leaves no row behind. */
async function expectRefused(attempt: () => Promise<Answer>, message: RegExp): Promise<void> {
  const before = await countRows();
  const answer = await attempt();
  expect([answer.status, answer.body.error.code]).toEqual([401, "unauthenticated"]);
  expect(answer.body.error.message).toMatch(message);
  expect(await countRows()).toEqual(before);
}

describe("POST /auth/nonce", () => {
  test("gives an EIP-4361 message of this service, the wallet and the chain", async () => {
    const { address } = newWallet();
    const { status, body } = await askNonce(address.toLowerCase());
    expect(status).toBe(200);
    expect(body.message).toMatch(/^localhost:42069 wants you to sign in with your Ethereum account:\n0x/);
    const parsed = parseSiweMessage(body.message);
    expect(parsed).toMatchObject({
      address,
      chainId: 31_337,
      domain: "localhost:42069",
      uri: "http://localhost:42069",
      version: "1",
      nonce: body.nonce,
      statement: expect.stringContaining("Sign in to Earnest"),
    });
    expect(parsed.expirationTime?.toISOString()).toBe(body.expires_at);
    expect(Number(parsed.expirationTime) - Number(parsed.issuedAt)).toBe(600_000);
  });

  test("never returns the same nonce twice", async () => {
    const { address } = newWallet();
    const nonces = await Promise.all([1, 2, 3].map(async () => (await askNonce(address)).body.nonce));
    expect(new Set(nonces).size).toBe(3);
  });

  test("is 400 for a chain that is not served, and names the chains that are", async () => {
    const { status, body } = await askNonce(newWallet().address, 1);
    expect([status, body.error.code]).toEqual([400, "invalid_request"]);
    expect(body.error.message).toBe("Chain 1 is not served. Use one of: 31337.");
    expect(body.error.details).toEqual([
      { path: "/chain_id", keyword: "enum", message: "must be one of: 31337" },
    ]);
  });

  test.each([
    ["an address that is none", { address: "0x12", chain_id: 31_337 }, "/address"],
    ["no address", { chain_id: 31_337 }, "/address"],
    ["a chain id in words", { address: newWallet().address, chain_id: "31337" }, "/chain_id"],
    ["a chain id below one", { address: newWallet().address, chain_id: 0 }, "/chain_id"],
    ["a field it does not know", { address: newWallet().address, chain_id: 31_337, domain: "x" }, ""],
  ])("is 400 for %s, with its path", async (_, body, path) => {
    const answer = await api.request("POST", "/auth/nonce", { body });
    expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_request"]);
    expect(answer.body.error.details[0].path).toBe(path);
  });

  test("deletes nonces that expired long ago", async () => {
    const { nonce } = (await askNonce(newWallet().address)).body;
    const stands = async () => (await api.db.$count(signInNonce, eq(signInNonce.nonce, nonce))) === 1;
    await askNonce(newWallet().address);
    expect(await stands()).toBe(true);
    await api.db
      .update(signInNonce)
      .set({ expiresAt: sql`now() - interval '2 days'` })
      .where(eq(signInNonce.nonce, nonce));
    await askNonce(newWallet().address);
    expect(await stands()).toBe(false);
  });
});

describe("POST /auth/signin", () => {
  async function prepare(signer: LocalAccount, address: string = signer.address) {
    const { message, nonce } = (await askNonce(address)).body;
    return { message, nonce, signature: await signer.signMessage({ message }) };
  }

  test("opens a session of a new account, whose primary wallet is the signer", async () => {
    const signer = newWallet();
    const { status, body } = await send(await prepare(signer));
    expect(status).toBe(200);
    expect(body.tokens).toEqual({
      access_token: expect.stringMatching(/^est_[\w-]{43}$/),
      token_type: "Bearer",
      expires_at: expect.any(String),
    });
    const hours = (Date.parse(body.tokens.expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    expect(body.account).toEqual({
      id: expect.stringMatching(/^acc_[0-9a-z]{26}$/),
      username: null,
      display_name: null,
      primary_address: signer.address,
      role: "member",
      created_at: expect.any(String),
    });
  });

  test("stores the network of a new account, by which the limits of all accounts count it", async () => {
    const signer = newWallet();
    const signInFrom = async (remoteAddress: string) => {
      const answer = await api.app.request(
        "/api/v1/auth/signin",
        {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(await prepare(signer)),
        },
        { incoming: { socket: { remoteAddress } } },
      );
      const { account: owner } = (await answer.json()) as { account: { id: string } };
      const [row] = await api.db.select().from(account).where(eq(account.id, owner.id));
      return row?.network;
    };
    expect(await signInFrom("203.0.113.7")).toBe("203.0.113.0/24");
    expect(await signInFrom("198.51.100.7")).toBe("203.0.113.0/24");
  });

  test("stores no token, only its hash", async () => {
    const { body } = await send(await prepare(newWallet()));
    const stored = await api.db.select().from(session).where(eq(session.accountId, body.account.id));
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(body.tokens.access_token);
  });

  test("finds the same account again", async () => {
    const signer = newWallet();
    const first = (await send(await prepare(signer))).body;
    const second = (await send(await prepare(signer, signer.address.toLowerCase()))).body;
    expect(second.account.id).toBe(first.account.id);
    expect(second.tokens.access_token).not.toBe(first.tokens.access_token);
  });

  test("creates one account when two first sign-ins of a wallet race", async () => {
    const signer = newWallet();
    const attempts = await Promise.all(Array.from({ length: 6 }, () => prepare(signer)));
    const answers = await Promise.all(attempts.map(send));
    expect(answers.map(({ status }) => status)).toEqual(attempts.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.account.id)).size).toBe(1);
    expect(await api.db.$count(wallet, eq(wallet.address, signer.address))).toBe(1);
  });

  test("lets one of two sign-ins with the same nonce through", async () => {
    const attempt = await prepare(newWallet());
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(attempt)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  test("is 401 for a nonce that was used already", async () => {
    const attempt = await prepare(newWallet());
    expect((await send(attempt)).status).toBe(200);
    await expectRefused(() => send(attempt), /unknown or already used/);
  });

  test("is 401 for a nonce that the service did not issue", async () => {
    const attempt = await prepare(newWallet());
    await expectRefused(() => send({ ...attempt, nonce: "f".repeat(96) }), /unknown or already used/);
  });

  test("is 401 for an expired nonce", async () => {
    const attempt = await prepare(newWallet());
    await api.db
      .update(signInNonce)
      .set({ expiresAt: sql`now() - interval '1 second'` })
      .where(eq(signInNonce.nonce, attempt.nonce));
    await expectRefused(() => send(attempt), /expired/);
  });

  test("is 401 for another message with a valid signature, and the nonce is used up", async () => {
    const signer = newWallet();
    const attempt = await prepare(signer);
    const message = attempt.message.replace("localhost:42069 wants", "elsewhere.example wants");
    const other = { ...attempt, message, signature: await signer.signMessage({ message }) };
    await expectRefused(() => send(other), /not the message that came with the nonce/);
    await expectRefused(() => send(attempt), /unknown or already used/);
  });

  test("is 401 for a nonce of another wallet", async () => {
    const mine = await prepare(newWallet());
    const theirs = await prepare(newWallet());
    await expectRefused(() => send({ ...mine, nonce: theirs.nonce }), /not the message/);
  });

  test("is 401 for the signature of another wallet, and the nonce is used up", async () => {
    const signer = newWallet();
    const attempt = await prepare(signer);
    const forged = await newWallet().signMessage({ message: attempt.message });
    await expectRefused(() => send({ ...attempt, signature: forged }), /no signature of the message by 0x/);
    await expectRefused(() => send(attempt), /unknown or already used/);
  });

  test.each([
    ["of no bytes", "0x"],
    ["of one byte", "0x00"],
    ["of zeros", `0x${"00".repeat(65)}`],
    ["of many bytes", `0x${"ab".repeat(5000)}`],
  ])("is 401 for a signature %s", async (_, signature) => {
    const attempt = await prepare(newWallet());
    await expectRefused(() => send({ ...attempt, signature }), /no signature/);
  });

  test.each([
    ["a signature in no hex", { signature: "signed" }, "/signature"],
    ["half a byte of signature", { signature: "0xabc" }, "/signature"],
    ["no nonce", { nonce: undefined }, "/nonce"],
    ["no message", { message: undefined }, "/message"],
  ])("is 400 for %s, and the nonce stays valid", async (_, change, path) => {
    const attempt = await prepare(newWallet());
    const { status, body } = await send({ ...attempt, ...change });
    expect([status, body.error.code, body.error.details[0].path]).toEqual([400, "invalid_request", path]);
    expect((await send(attempt)).status).toBe(200);
  });

  describe("with a contract wallet (ERC-1271)", () => {
    test("opens a session for a signature that the contract accepts", async () => {
      const signer = newWallet();
      const address = await deployWallet(chain, signer.address);
      const { status, body } = await send(await prepare(signer, address));
      expect(status).toBe(200);
      expect(body.account.primary_address).toBe(address);
    });

    test.each([0, 1, 31, 32, 65, 32_768])("opens a session for a signature of %i bytes", async (bytes) => {
      const address = await deployCode(chain, lengthWalletCode(bytes));
      const attempt = await prepare(newWallet(), address);
      const signed = `0x${"5a".repeat(bytes)}`;
      expect((await send({ ...attempt, signature: signed })).status).toBe(200);
      const other = await prepare(newWallet(), address);
      const wrong = bytes === 1 ? "0x" : "0x5a";
      await expectRefused(() => send({ ...other, signature: wrong }), /no signature/);
    });

    test("is 401 for an empty signature where no contract is deployed or the contract reverts", async () => {
      for (const address of [newWallet().address, chain.chain.escrow_contract]) {
        const attempt = await prepare(newWallet(), address);
        await expectRefused(() => send({ ...attempt, signature: "0x" }), /no signature/);
      }
    });

    test("is 401 for a signature that the contract refuses", async () => {
      const address = await deployWallet(chain, newWallet().address);
      const attempt = await prepare(newWallet(), address);
      await expectRefused(() => send(attempt), /no signature/);
    });

    test("opens a session for a wallet that is not deployed yet (ERC-6492), and refuses another signer", async () => {
      const signer = newWallet();
      const { address, wrap } = foreseeWallet(signer.address);
      const attempt = await prepare(signer, address);
      const { status, body } = await send({ ...attempt, signature: wrap(attempt.signature) });
      expect([status, body.account?.primary_address]).toEqual([200, address]);
      expect(await chain.publicClient.getCode({ address })).toBeUndefined();
      const forged = await prepare(newWallet(), address);
      await expectRefused(() => send({ ...forged, signature: wrap(forged.signature) }), /no signature/);
      const bare = await prepare(signer, address);
      await expectRefused(() => send(bare), /no signature/);
    });

    test("is 401 for a contract without ERC-1271", async () => {
      const attempt = await prepare(newWallet(), chain.chain.escrow_contract);
      await expectRefused(() => send(attempt), /no signature/);
    });

    test("is 503 while the node is unreachable, and leaves no row", async () => {
      const cut = await createDocumentedApi({ chain, env: { RPC_URL_31337: "http://127.0.0.1:9" } });
      try {
        const signer = newWallet();
        const challenge = await cut.request("POST", "/auth/nonce", {
          body: { address: signer.address, chain_id: 31_337 },
        });
        const { message, nonce } = challenge.body;
        const signature = await newWallet().signMessage({ message });
        const answer = await cut.request("POST", "/auth/signin", { body: { message, nonce, signature } });
        expect([answer.status, answer.body.error.code]).toEqual([503, "dependency_unavailable"]);
        expect(await cut.db.$count(session)).toBe(0);
        // The signature of a plain key needs no chain.
        await signIn(cut, signer);
      } finally {
        await cut.close();
      }
    });
  });
});

describe("GET /me", () => {
  test("shows the owner of a session, which may do everything", async () => {
    const { account: signer, token, accountId } = await signIn(api);
    const { body } = await api.request("GET", "/me", { token });
    expect(body).toMatchObject({ id: accountId, primary_address: signer.address, role: "member" });
    expect(body.auth.via_api_key).toBe(false);
    expect(body.auth.scopes).toHaveLength(10);
  });

  test("shows the owner of a key, and its scopes", async () => {
    const owner = await signIn(api);
    const key = await createKey(api, owner, ["webhooks:read"]);
    const { body } = await api.request("GET", "/me", { apiKey: key });
    expect(body.id).toBe(owner.accountId);
    expect(body.auth).toEqual({
      via_api_key: true,
      scopes: ["webhooks:read"],
      role: null,
      member_account_id: owner.accountId,
      operator: false,
    });
  });
});

describe("GET /auth/me/wallets", () => {
  test("lists the wallets of the caller only", async () => {
    const { account: signer, token } = await signIn(api);
    const { body } = await api.request("GET", "/auth/me/wallets", { token });
    expect(body.items).toEqual([
      {
        id: expect.stringMatching(/^wal_/),
        address: signer.address,
        chain_id: null,
        is_primary: true,
        verified_at: expect.any(String),
      },
    ]);
  });
});
