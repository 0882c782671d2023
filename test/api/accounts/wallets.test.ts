import { and, eq } from "drizzle-orm";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { auditEntry, wallet } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import {
  type Answer,
  createKey,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { deployWallet } from "../../harness/contract-wallet.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let chain: TestChain;
let api: TestApi;
let owner: Session;
beforeAll(async () => {
  chain = await forkChain({ fork: null });
  api = await createDocumentedApi({ chain });
});
afterAll(async () => {
  await api.close();
  await chain.close();
});
beforeEach(async () => {
  owner = await signIn(api);
});

const newSigner = () => privateKeyToAccount(generatePrivateKey());
const ask = (address: string, purpose?: string, token?: string) =>
  api.request("POST", "/auth/nonce", { token, body: { address, chain_id: 31_337, purpose } });
const list = async ({ token }: Session) =>
  expectStatus(200, await api.request("GET", "/auth/me/wallets", { token })).items;
const add = (session: Session, body: object) =>
  api.request("POST", "/auth/me/wallets", { token: session.token, body });
const remove = (session: Session, id: string) =>
  api.request("DELETE", `/auth/me/wallets/${id}`, { token: session.token });
const makePrimary = (session: Session, id: string) =>
  api.request("PUT", `/auth/me/wallets/${id}/primary`, { token: session.token });

/** The proof by which a wallet is added to the session's account. */
async function prove(session: Session, signer = newSigner(), address: string = signer.address) {
  const { message, nonce } = expectStatus(200, await ask(address, "link_wallet", session.token));
  return { message, nonce, signature: await signer.signMessage({ message }) };
}
async function link(session: Session, signer = newSigner()): Promise<Answer["body"]> {
  return expectStatus(201, await add(session, await prove(session, signer)));
}
async function signInWith(signer: ReturnType<typeof newSigner>) {
  const { message, nonce } = expectStatus(200, await ask(signer.address));
  const signature = await signer.signMessage({ message });
  return api.request("POST", "/auth/signin", { body: { message, nonce, signature } });
}

test("a sign-in that races the removal of its wallet waits, and gets no access to the old account", async () => {
  const signer = newSigner();
  const { id } = await link(owner, signer);
  let signedIn: Promise<Answer> | undefined;
  await inTransaction(api.db, async (tx) => {
    await tx.select().from(wallet).where(eq(wallet.id, id)).for("update");
    signedIn = signInWith(signer);
    await expect
      .poll(async () => {
        const { rowCount } = await api.db.execute(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rowCount;
      })
      .toBe(1);
    await tx.delete(wallet).where(eq(wallet.id, id));
  });
  const { account, tokens } = expectStatus(200, (await signedIn) as Answer);
  expect(account.id).not.toBe(owner.accountId);
  expect(expectStatus(200, await api.request("GET", "/me", { token: tokens.access_token })).id).toBe(
    account.id,
  );
});

describe("POST /auth/me/wallets", () => {
  test("adds a wallet that signed, which then signs in to the same account", async () => {
    const signer = newSigner();
    const added = await link(owner, signer);
    expect(added).toMatchObject({
      id: expect.stringMatching(/^wal_/),
      address: signer.address,
      is_primary: false,
    });
    expect((await list(owner)).map(({ address }: { address: string }) => address)).toEqual([
      owner.account.address,
      signer.address,
    ]);
    const { account } = expectStatus(200, await signInWith(signer));
    expect(account).toMatchObject({ id: owner.accountId, primary_address: owner.account.address });
  });

  test("gives a message that names the account, which is no sign-in message", async () => {
    const { message } = await prove(owner);
    expect(message).toContain(`Add this wallet to the Earnest account ${owner.accountId}`);
    expect(message).not.toContain("Sign in to");
  });

  test("adds a contract wallet that accepts the signature (ERC-1271), and refuses one that does not", async () => {
    const signer = newSigner();
    const address = await deployWallet(chain, signer.address);
    const refused = await add(owner, await prove(owner, newSigner(), address));
    expect([refused.status, refused.body.error.code]).toEqual([401, "unauthenticated"]);
    expectStatus(201, await add(owner, await prove(owner, signer, address)));
    expect(await list(owner)).toHaveLength(2);
  });

  test("is 200 for a wallet that the account has already", async () => {
    const signer = newSigner();
    const first = await link(owner, signer);
    expect(expectStatus(200, await add(owner, await prove(owner, signer)))).toEqual(first);
    expect(await list(owner)).toHaveLength(2);
  });

  test("is 409 for a wallet of another account, which keeps it", async () => {
    const other = await signIn(api);
    const { status, body } = await add(owner, await prove(owner, other.account as never));
    expect([status, body.error.code]).toEqual([409, "conflict"]);
    expect(await list(other)).toHaveLength(1);
    expect(await list(owner)).toHaveLength(1);
  });

  test("adds a wallet to one of two accounts that request it at once, and no sign-in gets it", async () => {
    const signer = newSigner();
    const other = await signIn(api);
    const [mine, theirs] = [await prove(owner, signer), await prove(other, signer)];
    const [first, second, third] = await Promise.all([
      add(owner, mine),
      add(other, theirs),
      signInWith(signer),
    ]);
    expect(third.status).toBe(200);
    expect(await api.db.$count(wallet, eq(wallet.address, signer.address))).toBe(1);
    expect([first.status, second.status].filter((status) => status === 201).length).toBeLessThanOrEqual(1);
  });

  describe("is 401, and adds no wallet, for", () => {
    const refuse = async (attempt: () => Promise<Answer>, message: RegExp) => {
      const before = await api.db.$count(wallet);
      const { status, body } = await attempt();
      expect([status, body.error.code]).toEqual([401, "unauthenticated"]);
      expect(body.error.message).toMatch(message);
      expect(await api.db.$count(wallet)).toBe(before);
    };

    test("a signature of a sign-in message", async () => {
      const signer = newSigner();
      const { message, nonce } = expectStatus(200, await ask(signer.address));
      const signature = await signer.signMessage({ message });
      await refuse(
        () => add(owner, { message, nonce, signature }),
        /signed for sign_in, not for link_wallet/,
      );
    });

    test("a sign-in with the signature of a wallet message", async () => {
      const proof = await prove(owner);
      await refuse(() => api.request("POST", "/auth/signin", { body: proof }), /not for sign_in/);
      await refuse(() => add(owner, proof), /already used/);
    });

    test("a signature that adds the wallet to another account", async () => {
      const other = await signIn(api);
      const proof = await prove(other);
      await refuse(() => add(owner, proof), /another account/);
      await refuse(() => add(other, proof), /already used/);
    });

    test("a repeated nonce, another message or another wallet's signature", async () => {
      const signer = newSigner();
      const proof = await prove(owner, signer);
      expectStatus(201, await add(owner, proof));
      await refuse(() => add(owner, proof), /already used/);
      const changed = await prove(owner);
      await refuse(() => add(owner, { ...changed, message: `${changed.message} ` }), /not the message/);
      const forged = await prove(owner);
      const signature = await newSigner().signMessage({ message: forged.message });
      await refuse(() => add(owner, { ...forged, signature }), /no signature/);
    });
  });

  test("a request for the message without a session", async () => {
    const { address } = newSigner();
    const key = await createKey(api, owner, ["agents:write"]);
    expect((await ask(address, "link_wallet")).status).toBe(401);
    expect((await ask(address, "link_wallet", "est_nothing")).status).toBe(401);
    const byKey = await ask(address, "link_wallet", key);
    expect([byKey.status, byKey.body.error.code]).toEqual([403, "insufficient_scope"]);
    expect((await ask(address, "something")).status).toBe(400);
    // A stale token does not prevent a new sign-in.
    expect((await ask(address, "sign_in", "est_nothing")).status).toBe(200);
  });

  test("is recorded in the audit trail", async () => {
    const signer = newSigner();
    const { id } = await link(owner, signer);
    const [entry] = await api.db
      .select()
      .from(auditEntry)
      .where(and(eq(auditEntry.accountId, owner.accountId), eq(auditEntry.action, "wallet.added")));
    expect(entry).toMatchObject({ target: id, data: { address: signer.address } });
  });
});

describe("DELETE /auth/me/wallets/{id}", () => {
  test("removes the wallet, ends its sessions and frees it for another account", async () => {
    const signer = newSigner();
    const { id } = await link(owner, signer);
    const theirs = expectStatus(200, await signInWith(signer)).tokens.access_token;
    expect(expectStatus(200, await remove(owner, id))).toEqual({ id });
    expect(await list(owner)).toHaveLength(1);
    expect((await api.request("GET", "/me", { token: theirs })).status).toBe(401);
    expect((await api.request("GET", "/me", { token: owner.token })).status).toBe(200);
    expect(expectStatus(200, await signInWith(signer)).account.id).not.toBe(owner.accountId);
  });

  test("is 409 for the primary wallet", async () => {
    await link(owner);
    const [first] = await list(owner);
    const { status, body } = await remove(owner, first.id);
    expect([status, body.error.code]).toEqual([409, "conflict"]);
    expect(await list(owner)).toHaveLength(2);
  });

  test("is 409 for the payout wallet of an agent, naming the agent, until the agent has another or is retired", async () => {
    const { agent } = await publishService(api, owner);
    const signer = newSigner();
    const { id } = await link(owner, signer);
    const pay = (address: string) =>
      api.request("PUT", `/agents/${agent.slug}/payout-wallet`, { token: owner.token, body: { address } });
    expectStatus(200, await pay(signer.address));
    const { status, body } = await remove(owner, id);
    expect([status, body.error.code]).toEqual([409, "conflict"]);
    expect(body.error.message).toContain(agent.slug);
    expectStatus(200, await pay(owner.account.address));
    expectStatus(200, await remove(owner, id));
    expect((await pay(signer.address)).status).toBe(400);
  });

  test("leaves no agent with a removed payout wallet when both changes race", async () => {
    const { agent } = await publishService(api, owner);
    for (let round = 0; round < 5; round += 1) {
      const signer = newSigner();
      const { id } = await link(owner, signer);
      const body = { address: signer.address };
      const [removed, paid] = await Promise.all([
        remove(owner, id),
        api.request("PUT", `/agents/${agent.slug}/payout-wallet`, { token: owner.token, body }),
      ]);
      expect([
        [200, 400],
        [409, 200],
      ]).toContainEqual([removed.status, paid.status]);
    }
  });
});

describe("PUT /auth/me/wallets/{id}/primary", () => {
  test("makes the wallet primary, and the old primary an ordinary one", async () => {
    const signer = newSigner();
    const { id } = await link(owner, signer);
    for (const again of [1, 2]) {
      expect(expectStatus(200, await makePrimary(owner, id)), `${again}`).toMatchObject({
        id,
        is_primary: true,
      });
    }
    const primaries = (await list(owner)).filter((one: { is_primary: boolean }) => one.is_primary);
    expect(primaries.map(({ address }: { address: string }) => address)).toEqual([signer.address]);
    const me = await api.request("GET", "/me", { token: owner.token });
    expect(me.body.primary_address).toBe(signer.address);
    const [first] = await list(owner);
    expectStatus(200, await remove(owner, first.id));
  });

  test("leaves one primary wallet when two requests race", async () => {
    const ids = [(await link(owner)).id, (await link(owner)).id];
    const answers = await Promise.all(ids.map((id) => makePrimary(owner, id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await list(owner)).filter((one: { is_primary: boolean }) => one.is_primary)).toHaveLength(1);
  });
});

test("is 404 for wallets of others, 403 for keys and 401 for anonymous callers", async () => {
  const other = await signIn(api);
  const { id } = await link(other);
  const key = await createKey(api, owner, ["agents:write"]);
  for (const [method, path] of [
    ["DELETE", `/auth/me/wallets/${id}`],
    ["PUT", `/auth/me/wallets/${id}/primary`],
  ] as const) {
    expect((await api.request(method, path, { token: owner.token })).status).toBe(404);
    expect((await api.request(method, path, { token: key })).status).toBe(403);
    expect((await api.request(method, path)).status).toBe(401);
  }
  expect((await remove(owner, "wal_nothing")).status).toBe(404);
  expect(await list(other)).toHaveLength(2);
});
