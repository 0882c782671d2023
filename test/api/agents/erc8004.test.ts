import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { identityTransfer } from "../../../db/chain-index.ts";
import { agentIdentity, auditEntry } from "../../../db/schema.ts";
import { recheckIdentities } from "../../../jobs/chain/recheck-identities.ts";
import { createKey, expectStatus, publishService, type Session, signIn } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { changeIdentities, registerIdentity, registriesOf } from "../../harness/identities.ts";
import { asIndexer, createMarket, type Market } from "../../harness/market/market.ts";

const uri = "https://agents.example/registration.json";

let chain: TestChain;
let market: Market;
beforeAll(async () => {
  chain = await forkChain();
  market = await createMarket({ chain });
});
afterAll(async () => {
  await market?.api.close();
  await chain?.close();
});

/** A signed-in owner with a published agent, whose wallet owns an on-chain identity. */
async function createOwner(account = privateKeyToAccount(generatePrivateKey())) {
  const session = await signIn(market.api, account);
  const { agent } = await publishService(market.api, session);
  return { session, slug: agent.slug as string, agentId: agent.id as string };
}

function link(session: Session, slug: string, agentId: unknown, chainId: unknown = 31_337) {
  return market.api.request("PUT", `/agents/${slug}/erc8004`, {
    token: session.token,
    body: { chain_id: chainId, agent_id: agentId },
  });
}

const read = async (slug: string) => expectStatus(200, await market.api.request("GET", `/agents/${slug}`));

/** Writes a transfer of an identity into the index, as the indexer does. */
function noteTransfer(tokenId: bigint, owner: `0x${string}`, blockNumber: bigint) {
  const registry = registriesOf(chain).identity_registry;
  return asIndexer(market, (tx) =>
    tx.insert(identityTransfer).values({ chainId: 31_337, registry, tokenId, owner, blockNumber }),
  );
}

describe("an agent's on-chain identity", () => {
  test("is linked by the wallet that owns it, and shown in each answer about the agent", async () => {
    const { session, slug, agentId } = await createOwner();
    const tokenId = await registerIdentity(chain, session.account, uri);
    expect((await read(slug)).erc8004).toBeNull();

    const registry = registriesOf(chain).identity_registry;
    const linked = expectStatus(200, await link(session, slug, tokenId.toString()));
    expect(linked.erc8004).toEqual({
      id: `eip155:31337:${registry}:${tokenId}`,
      chain_id: 31_337,
      registry,
      agent_id: tokenId.toString(),
      agent_uri: uri,
      verified_at: expect.any(String),
    });
    expect(await read(slug)).toEqual(linked);
    const mine = expectStatus(200, await market.api.request("GET", "/agents/mine", { token: session.token }));
    expect(mine).toEqual([linked]);
    const state = expectStatus(200, await market.api.request("GET", `/agents/${slug}/erc8004`));
    expect(state).toEqual({
      ...linked.erc8004,
      wallet: session.account.address,
      authority: "owner",
      lost_at: null,
    });
    const entries = await market.api.db.select().from(auditEntry);
    expect(entries.filter(({ target }) => target === agentId).map(({ action }) => action)).toContain(
      "agent.identity_linked",
    );
  });

  test("may be held as operator or approved wallet, and is linked again by number", async () => {
    const owner = privateKeyToAccount(generatePrivateKey());
    const [first, second] = [await registerIdentity(chain, owner), await registerIdentity(chain, owner)];
    const { session, slug } = await createOwner();
    const refused = await link(session, slug, Number(first));
    expect([refused.status, refused.body.error.details]).toEqual([
      400,
      [{ path: "/agent_id", keyword: "holder", message: expect.any(String) }],
    ]);

    await changeIdentities(chain, owner, "approve", [session.account.address, first]);
    expect((await link(session, slug, Number(first))).status).toBe(200);
    const state = () => market.api.request("GET", `/agents/${slug}/erc8004`);
    expect((await state()).body).toMatchObject({ authority: "approved", agent_id: first.toString() });

    expect((await link(session, slug, Number(second))).status).toBe(400);
    await changeIdentities(chain, owner, "setApprovalForAll", [session.account.address, true]);
    expect((await link(session, slug, Number(second))).status).toBe(200);
    expect((await state()).body).toMatchObject({ authority: "operator", agent_id: second.toString() });
  });

  test("is unlinked by its owner, and unlinking again is no error", async () => {
    const { session, slug } = await createOwner();
    const tokenId = await registerIdentity(chain, session.account);
    expectStatus(200, await link(session, slug, tokenId.toString()));
    for (let times = 0; times < 2; times += 1) {
      const gone = await market.api.request("DELETE", `/agents/${slug}/erc8004`, { token: session.token });
      expect(expectStatus(200, gone).erc8004).toBeNull();
    }
    expect((await market.api.request("GET", `/agents/${slug}/erc8004`)).status).toBe(404);
  });

  test("belongs to one agent at a time", async () => {
    const { session, slug } = await createOwner();
    const tokenId = await registerIdentity(chain, session.account);
    expectStatus(200, await link(session, slug, tokenId.toString()));
    const { agent: other } = await publishService(market.api, session);
    const refused = await link(session, other.slug, tokenId.toString());
    expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"]);
    expect((await read(other.slug)).erc8004).toBeNull();
    expect((await read(slug)).erc8004).not.toBeNull();
  });

  test("is linked by its buyer after a sale, without a check in between", async () => {
    const [seller, buyer] = [await createOwner(), await createOwner()];
    const tokenId = await registerIdentity(chain, seller.session.account);
    expectStatus(200, await link(seller.session, seller.slug, tokenId.toString()));
    const { account } = seller.session;
    await changeIdentities(chain, account, "transferFrom", [
      account.address,
      buyer.session.account.address,
      tokenId,
    ]);
    expectStatus(200, await link(buyer.session, buyer.slug, tokenId.toString()));
    expect((await read(seller.slug)).erc8004).toBeNull();
    expect((await read(buyer.slug)).erc8004).toMatchObject({ agent_id: tokenId.toString() });
  });

  test("is linked to one of two agents that request it at once", async () => {
    const { session, slug } = await createOwner();
    const { agent: other } = await publishService(market.api, session);
    const tokenId = await registerIdentity(chain, session.account);
    const answers = await Promise.all([slug, other.slug].map((one) => link(session, one, String(tokenId))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test.each([
    ["a number nobody has", () => "123456789", "/agent_id", "exists"],
    ["a number over 256 bits", () => (2n ** 256n).toString(), "/agent_id", "custom"],
    ["a fraction", () => 1.5, "/agent_id", undefined],
    ["a negative number", () => -1, "/agent_id", undefined],
    ["hex", () => "0x1", "/agent_id", undefined],
    ["null", () => null, "/agent_id", undefined],
  ])("%s is refused", async (_, agentId, path, keyword) => {
    const { session, slug } = await createOwner();
    const refused = await link(session, slug, agentId());
    expect([refused.status, refused.body.error.code]).toEqual([400, "invalid_request"]);
    expect(refused.body.error.details[0]).toMatchObject({ path, ...(keyword ? { keyword } : {}) });
  });

  test("of a chain that is not served is refused", async () => {
    const { session, slug } = await createOwner();
    const refused = await link(session, slug, "1", 8453);
    expect([refused.status, refused.body.error.details[0].keyword]).toEqual([400, "chain"]);
  });

  test("is 404 for other accounts, and 403 for a key without the scope", async () => {
    const [owner, other] = [await createOwner(), await createOwner()];
    const tokenId = await registerIdentity(chain, other.session.account);
    // The identity of an agent is not revealed by another fault of the request.
    for (const agentId of [tokenId.toString(), "123456789"])
      expect((await link(other.session, owner.slug, agentId)).status).toBe(404);
    expect((await link(other.session, owner.slug, "1", 8453)).status).toBe(404);
    const apiKey = await createKey(market.api, other.session, ["agents:read"]);
    const body = { chain_id: 31_337, agent_id: tokenId.toString() };
    const refused = await market.api.request("PUT", `/agents/${other.slug}/erc8004`, { apiKey, body });
    expect([refused.status, refused.body.error.code]).toEqual([403, "insufficient_scope"]);
    expect((await market.api.request("DELETE", `/agents/${other.slug}/erc8004`)).status).toBe(401);
  });

  test("counts once its block is confirmed", async () => {
    const careful = await createMarket({ chain, env: { CONFIRMATIONS_31337: "3" } });
    try {
      const session = await signIn(careful.api);
      const { agent } = await publishService(careful.api, session);
      const tokenId = await registerIdentity(chain, session.account);
      const attempt = () =>
        careful.api.request("PUT", `/agents/${agent.slug}/erc8004`, {
          token: session.token,
          body: { chain_id: 31_337, agent_id: tokenId.toString() },
        });
      expect((await attempt()).body.error.details[0].keyword).toBe("exists");
      await chain.node.mine({ blocks: 2 });
      expect((await attempt()).status).toBe(200);
    } finally {
      await careful.api.close();
    }
  });

  test("has a registration file, which names the link", async () => {
    const { session, slug } = await createOwner();
    const file = async () =>
      expectStatus(200, await market.api.request("GET", `/agents/${slug}/registration.json`));
    expect(await file()).toMatchObject({
      type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
      name: "A test agent",
      active: true,
      registrations: [],
    });
    const { services } = await file();
    expect(services.map(({ name }: { name: string }) => name)).toEqual(["Earnest", "A2A", "MCP", "x402"]);
    const [, card, , bought] = services.map(({ endpoint }: { endpoint: string }) => new URL(endpoint));
    for (const { pathname, search } of [card, bought]) {
      expect((await market.api.app.request(pathname + search)).status).toBe(200);
    }
    const tokenId = await registerIdentity(chain, session.account);
    expectStatus(200, await link(session, slug, tokenId.toString()));
    const registry = registriesOf(chain).identity_registry;
    expect((await file()).registrations).toEqual([
      { agentId: Number(tokenId), agentRegistry: `eip155:31337:${registry}` },
    ]);
  });
});

describe("a linked identity is checked again", () => {
  let owner: Awaited<ReturnType<typeof createOwner>>;
  let tokenId: bigint;
  beforeEach(async () => {
    await market.api.db.delete(agentIdentity);
    owner = await createOwner();
    tokenId = await registerIdentity(chain, owner.session.account);
    expectStatus(200, await link(owner.session, owner.slug, tokenId.toString()));
  });
  const recheck = (every?: number) => recheckIdentities(market.api.db, market.api.config, { every });
  const transfer = (to: `0x${string}`) => {
    const { account } = owner.session;
    return changeIdentities(chain, account, "transferFrom", [account.address, to, tokenId]);
  };

  test("at once when it changes hands: it is lost, with the time of the loss", async () => {
    expect(await recheck()).toEqual({ rechecked: 0, lost: 0 });
    const { address } = privateKeyToAccount(generatePrivateKey());
    await noteTransfer(tokenId, address, await transfer(address));
    expect(await recheck()).toEqual({ rechecked: 1, lost: 1 });
    expect((await read(owner.slug)).erc8004).toBeNull();
    const state = expectStatus(200, await market.api.request("GET", `/agents/${owner.slug}/erc8004`));
    expect(state).toMatchObject({ agent_id: tokenId.toString(), lost_at: expect.any(String) });
    expect(await recheck(-1)).toEqual({ rechecked: 0, lost: 0 });
  });

  test("once where the index reports a transfer that the chain does not have, which changes nothing", async () => {
    await chain.node.mine({ blocks: 1 });
    await noteTransfer(tokenId, owner.session.account.address, await chain.publicClient.getBlockNumber());
    expect(await recheck()).toEqual({ rechecked: 1, lost: 0 });
    expect(await recheck()).toEqual({ rechecked: 0, lost: 0 });
    expect((await read(owner.slug)).erc8004).not.toBeNull();
  });

  test("each hour: a revoked right and a new file are noticed", async () => {
    const { account } = owner.session;
    await changeIdentities(chain, account, "setAgentURI", [tokenId, uri]);
    expect(await recheck(-1)).toEqual({ rechecked: 1, lost: 0 });
    expect((await read(owner.slug)).erc8004.agent_uri).toBe(uri);

    const holder = privateKeyToAccount(generatePrivateKey());
    await chain.fund(holder);
    await changeIdentities(chain, account, "transferFrom", [account.address, holder.address, tokenId]);
    await changeIdentities(chain, holder, "setApprovalForAll", [account.address, true]);
    expect(await recheck(-1)).toEqual({ rechecked: 1, lost: 0 });
    expect((await market.api.request("GET", `/agents/${owner.slug}/erc8004`)).body.authority).toBe(
      "operator",
    );
    await changeIdentities(chain, holder, "setApprovalForAll", [account.address, false]);
    expect(await recheck(-1)).toEqual({ rechecked: 1, lost: 1 });
    expect((await read(owner.slug)).erc8004).toBeNull();
  });

  test("at once when its wallet is removed from the account", async () => {
    const other = privateKeyToAccount(generatePrivateKey());
    const theirs = await registerIdentity(chain, other);
    const { token } = owner.session;
    const body = { address: other.address, chain_id: 31_337, purpose: "link_wallet" };
    const { message, nonce } = expectStatus(
      200,
      await market.api.request("POST", "/auth/nonce", { token, body: body }),
    );
    const signature = await other.signMessage({ message });
    const added = await market.api.request("POST", "/auth/me/wallets", {
      token,
      body: { message, nonce, signature },
    });
    expect(added.status, JSON.stringify(added.body)).toBe(201);
    expectStatus(200, await link(owner.session, owner.slug, theirs.toString()));
    expect(await recheck()).toEqual({ rechecked: 0, lost: 0 });
    expectStatus(200, await market.api.request("DELETE", `/auth/me/wallets/${added.body.id}`, { token }));
    expect(await recheck()).toEqual({ rechecked: 1, lost: 1 });
    expect((await read(owner.slug)).erc8004).toBeNull();
    expectStatus(200, await link(owner.session, owner.slug, tokenId.toString()));
    expect((await read(owner.slug)).erc8004.agent_id).toBe(tokenId.toString());
  });

  test("without loss while the node is unreachable", async () => {
    const { chains } = market.api.config;
    const out = { chains: chains.map((one) => ({ ...one, rpc_url: "http://127.0.0.1:9" })) };
    expect(await recheckIdentities(market.api.db, out, { every: -1 })).toEqual({ rechecked: 0, lost: 0 });
    expect((await read(owner.slug)).erc8004).not.toBeNull();
  });
});
