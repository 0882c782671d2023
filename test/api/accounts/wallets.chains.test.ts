import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import {
  type Address,
  concatHex,
  createTestClient,
  http,
  type LocalAccount,
  serializeErc6492Signature,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { order, subscription, subscriptionOrder, wallet } from "../../../db/schema.ts";
import { renewSubscriptions } from "../../../jobs/subscriptions/renew.ts";
import { startAnvil } from "../../../tools/stack/anvil.ts";
import { type Answer, expectStatus, publishService, signIn } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { deployWallet, walletCode } from "../../harness/contract-wallet.ts";
import { getFixture } from "../../harness/fixtures/fixture.ts";
import { changeIdentities, registerIdentity } from "../../harness/identities.ts";
import {
  createMarket,
  indexer,
  type Market,
  placeDelivered,
  settleNow,
} from "../../harness/market/market.ts";

/** The chain on which orders settle, and a second chain that is served. */
const [here, elsewhere] = [31_337, 31_338];

let chain: TestChain;
let other: Awaited<ReturnType<typeof startElsewhere>>;
let market: Market;
beforeAll(async () => {
  chain = await forkChain();
  other = await startElsewhere();
  market = await createMarket({ chain, env: other.env });
});
afterAll(async () => {
  await market.api.close();
  await other.close();
  await chain.close();
});

async function startElsewhere() {
  const folder = mkdtempSync(join(tmpdir(), "earnest-elsewhere-"));
  const { child, rpcUrl } = await startAnvil({
    port: 0,
    logFile: join(folder, "anvil.log"),
    args: ["--chain-id", String(elsewhere)],
  });
  const manifest = join((await getFixture("baseChain")).deployments, `${here}.json`);
  copyFileSync(manifest, join(folder, `${here}.json`));
  const copy = { ...JSON.parse(readFileSync(manifest, "utf8")), chain_id: elsewhere };
  writeFileSync(join(folder, `${elsewhere}.json`), JSON.stringify(copy));
  return {
    node: createTestClient({ mode: "anvil", transport: http(rpcUrl) }),
    env: { DEPLOYMENTS_DIR: folder, [`RPC_URL_${elsewhere}`]: rpcUrl },
    async close() {
      await child.stop(5000);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const newSigner = () => privateKeyToAccount(generatePrivateKey());

/** The proof of a wallet for one chain, signed by `sign`. */
async function prove(
  address: Address,
  chainId: number,
  signer: LocalAccount,
  { token, wrapped = false }: { token?: string; wrapped?: boolean } = {},
) {
  const body = { address, chain_id: chainId, purpose: token ? "link_wallet" : "sign_in" };
  const { message, nonce } = expectStatus(
    200,
    await market.api.request("POST", "/auth/nonce", { token, body: body }),
  );
  const signature = await signer.signMessage({ message });
  return {
    message,
    nonce,
    signature: wrapped ? serializeErc6492Signature({ address, data: "0x", signature }) : signature,
  };
}
async function enter(...[address, chainId, signer, options]: Parameters<typeof prove>): Promise<Answer> {
  const body = await prove(address, chainId, signer, options);
  return market.api.request("POST", "/auth/signin", { body });
}
/** A session in the form that `ask` and `publishService` take. */
async function session(...proof: Parameters<typeof prove>) {
  const { tokens, account } = expectStatus(200, await enter(...proof));
  return { token: tokens.access_token as string, accountId: account.id as string };
}
const call = (token: string, method: string, path: string, body?: unknown) =>
  market.api.request(method, path, { token, body });

/** A contract wallet on one chain, and another owner's contract at the same address on the other. */
async function deployTwins() {
  const [owner, thief] = [newSigner(), newSigner()];
  const address = await deployWallet(chain, owner.address);
  await other.node.setCode({ address, bytecode: walletCode(thief.address) });
  return { address, owner, thief };
}

describe("a contract wallet", () => {
  test("is one wallet on each chain: the same address on another chain belongs to another account", async () => {
    const { address, owner, thief } = await deployTwins();
    const mine = await session(address, here, owner);
    const theirs = await session(address, elsewhere, thief);
    expect(theirs.accountId).not.toBe(mine.accountId);
    expect((await session(address, here, owner)).accountId).toBe(mine.accountId);
    expect((await session(address, elsewhere, thief)).accountId).toBe(theirs.accountId);
    for (const [{ token }, chain_id] of [
      [mine, here],
      [theirs, elsewhere],
    ] as const) {
      const { items } = expectStatus(200, await call(token, "GET", "/auth/me/wallets"));
      expect(items).toMatchObject([{ address, chain_id }]);
    }
    expect((await enter(address, here, thief)).status).toBe(401);
    expect((await enter(address, elsewhere, owner)).status).toBe(401);
  });

  test("is added to an account on its own chain", async () => {
    const { address, owner, thief } = await deployTwins();
    const { token } = await signIn(market.api);
    const body = await prove(address, elsewhere, thief, { token });
    expect(expectStatus(201, await call(token, "POST", "/auth/me/wallets", body)).chain_id).toBe(elsewhere);
    expect((await session(address, here, owner)).accountId).not.toBe(
      (await session(address, elsewhere, thief)).accountId,
    );
  });

  test("of another chain cannot buy, arbitrate or hold an identity on the settlement chain", async () => {
    const { address, thief } = await deployTwins();
    const { token } = await session(address, elsewhere, thief);
    const orderInput = { service_id: market.service.id, input_payload: { text: "Guten Tag" } };
    const bought = await call(token, "POST", "/orders", { ...orderInput, buyer_address: address });
    expect([bought.status, bought.body.error.details[0].path]).toEqual([400, "/buyer_address"]);
    expect((await call(token, "POST", "/orders", orderInput)).body.error.details[0].path).toBe(
      "/buyer_address",
    );

    expectStatus(201, await call(token, "POST", "/agents", { slug: "twin", name: "Twin" }));

    const { id, row } = await placeDelivered(market);
    await market.api.db.update(order).set({ arbiter: address }).where(eq(order.id, id));
    await indexer(market, row).disputed();
    await settleNow(market);
    expect((await call(token, "GET", `/orders/${id}`)).status).toBe(404);
    expect((await call(token, "GET", "/disputes")).body.items).toEqual([]);
    expect((await call(token, "GET", "/events")).body.items).toEqual([]);

    const holder = newSigner();
    const tokenId = await registerIdentity(chain, holder);
    await changeIdentities(chain, holder, "transferFrom", [holder.address, address, tokenId]);
    const identity = { chain_id: here, agent_id: tokenId.toString() };
    const linked = await call(token, "PUT", "/agents/twin/erc8004", identity);
    expect([linked.status, linked.body.error.details[0].keyword]).toEqual([400, "holder"]);
  });

  test("is paid on its own chain, and its agent sells on no other chain", async () => {
    const { address, thief } = await deployTwins();
    const { token } = await session(address, elsewhere, thief);
    expectStatus(201, await call(token, "POST", "/agents", { slug: "paid-there", name: "Paid there" }));
    expectStatus(200, await call(token, "PUT", "/agents/paid-there/payout-wallet", { address }));
    expectStatus(200, await call(token, "POST", "/agents/paid-there/publish"));
    const services = "/agents/paid-there/services";
    const [tokenHere, tokenThere] = [here, elsewhere].map((chain_id) => ({
      chain_id,
      token: chain.chain.token.address,
    }));
    const draft = { slug: "words", title: "Words", price: "1", delivery_time_hours: 1, category: "other" };
    const refusal = (answer: Answer) => {
      const [violation] = answer.body.error.details;
      return [answer.status, violation.path, violation.keyword];
    };
    const refused = [400, "/accepts", "payout_wallet"];
    expect(refusal(await call(token, "POST", services, draft))).toEqual(refused);
    const both = { ...draft, accepts: [tokenThere, tokenHere] };
    const unproved = await call(token, "POST", services, both);
    expect(refusal(unproved)).toEqual(refused);
    expect(unproved.body.error.message).toContain(
      `not proved on ${chain.chain.network_name} (chain ${here})`,
    );
    const { id } = expectStatus(
      201,
      await call(token, "POST", services, { ...draft, accepts: [tokenThere] }),
    );
    expect(refusal(await call(token, "PATCH", `${services}/words`, { accepts: null }))).toEqual(refused);
    expectStatus(200, await call(token, "POST", `${services}/words/publish`));
    const order = { service_id: id, input_payload: {}, pay_with: tokenThere };
    const placed = expectStatus(201, await call(market.buyer.token, "POST", "/orders", order));
    expect(placed).toMatchObject({ provider_address: address, escrow: { chain_id: elsewhere } });
  });

  test("is refused as payout wallet where its agent sells on a chain on which it is not proved", async () => {
    const { address, owner } = await deployTwins();
    const { token } = await session(address, here, owner);
    expectStatus(201, await call(token, "POST", "/agents", { slug: "sells-there", name: "Sells there" }));
    const draft = { slug: "words", title: "Words", price: "1", delivery_time_hours: 1, category: "other" };
    const accepts = [{ chain_id: elsewhere, token: chain.chain.token.address }];
    expectStatus(201, await call(token, "POST", "/agents/sells-there/services", { ...draft, accepts }));
    const pay = () => call(token, "PUT", "/agents/sells-there/payout-wallet", { address });
    const refused = await pay();
    expect([refused.status, refused.body.error.details]).toMatchObject([
      400,
      [{ path: "/address", keyword: "chain" }],
    ]);
    expect(refused.body.error.message).toContain(`(chain ${elsewhere}), where the service words sells`);
    // The owner has the same contract on the other chain, and proves it there.
    await other.node.setCode({ address, bytecode: walletCode(owner.address) });
    const proof = await prove(address, elsewhere, owner, { token });
    expectStatus(201, await call(token, "POST", "/auth/me/wallets", proof));
    expectStatus(200, await pay());
  });

  test("arbitrates on its own chain", async () => {
    const { address, owner } = await deployTwins();
    const { token } = await session(address, here, owner);
    const { id, row } = await placeDelivered(market);
    await market.api.db.update(order).set({ arbiter: address }).where(eq(order.id, id));
    await indexer(market, row).disputed();
    await settleNow(market);
    expectStatus(200, await call(token, "GET", `/orders/${id}/dispute`));
    const { items } = expectStatus(200, await call(token, "GET", "/disputes"));
    expect(items.map((one: { id: string }) => one.id)).toEqual([id]);
  });

  test("is not paid, by an order or by a renewal, once it proves to be of another chain", async () => {
    const provider = await signIn(market.api);
    const { service } = await publishService(market.api, provider, {
      pricing_model: "subscription",
      interval: "month",
    });
    const { id } = expectStatus(
      201,
      await call(market.buyer.token, "POST", "/subscriptions", { service_id: service.id }),
    );
    await market.api.db
      .update(wallet)
      .set({ chainId: elsewhere, provedBy: "contract" })
      .where(eq(wallet.accountId, provider.accountId));
    const again = await call(market.buyer.token, "POST", "/subscriptions", { service_id: service.id });
    expect([again.status, again.body.error.code]).toEqual([409, "invalid_state"]);
    const due = new Date(Date.now() - 1000);
    await market.api.db.update(subscription).set({ nextOrderAt: due }).where(eq(subscription.id, id));
    await renewSubscriptions(market.api.db, market.api.config, market.api.context);
    expect(await market.api.db.$count(subscriptionOrder, eq(subscriptionOrder.subscriptionId, id))).toBe(1);
  });

  test("answers an invitation to its own chain only", async () => {
    const { address, owner, thief } = await deployTwins();
    const { token: host, accountId } = await signIn(market.api);
    const invite = async (chain_id?: number) =>
      expectStatus(
        201,
        await call(host, "POST", `/organisations/${accountId}/invitations`, {
          address,
          chain_id,
          role: "admin",
        }),
      );
    const mine = await session(address, here, owner);
    const theirs = await session(address, elsewhere, thief);
    const seen = async ({ token }: { token: string }) =>
      expectStatus(200, await call(token, "GET", "/invitations")).items.map((one: { id: string }) => one.id);
    const unbound = await invite();
    expect([await seen(mine), await seen(theirs)]).toEqual([[], []]);
    expect((await call(theirs.token, "POST", `/invitations/${unbound.id}/accept`)).status).toBe(404);
    const bound = await invite(here);
    expect([await seen(mine), await seen(theirs)]).toEqual([[bound.id], []]);
    expect((await call(theirs.token, "POST", `/invitations/${bound.id}/accept`)).status).toBe(404);
    expectStatus(200, await call(mine.token, "POST", `/invitations/${bound.id}/accept`));
    const unserved = await call(host, "POST", `/organisations/${accountId}/invitations`, {
      address,
      chain_id: 1,
      role: "admin",
    });
    expect([unserved.status, unserved.body.error.details[0].path]).toEqual([400, "/chain_id"]);
  });
});

describe("a plain key", () => {
  test("is one wallet on all chains, also with a signature wrapped for a contract (ERC-6492)", async () => {
    const signer = newSigner();
    const first = await session(signer.address, elsewhere, signer);
    expect((await session(signer.address, here, signer)).accountId).toBe(first.accountId);
    const wrapped = await session(signer.address, here, signer, { wrapped: true });
    expect(wrapped.accountId).toBe(first.accountId);
    const { items } = expectStatus(200, await call(first.token, "GET", "/auth/me/wallets"));
    expect(items).toMatchObject([{ address: signer.address, chain_id: null }]);
  });

  test("takes precedence over the contract that its account delegates to on one chain (EIP-7702)", async () => {
    const [signer, thief] = [newSigner(), newSigner()];
    const first = await session(signer.address, here, signer);
    await delegate(signer.address, thief);
    const refused = await enter(signer.address, here, thief);
    expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"]);
    expect((await session(signer.address, here, signer)).accountId).toBe(first.accountId);
  });

  test("has an account of its own where its contract signed in first", async () => {
    const [signer, guest] = [newSigner(), newSigner()];
    await delegate(signer.address, guest);
    const before = await session(signer.address, here, guest);
    const after = await session(signer.address, here, signer);
    expect(after.accountId).not.toBe(before.accountId);
    // Without the code, nothing can sign for the contract's account.
    await chain.node.setCode({ address: signer.address, bytecode: "0x" });
    expect((await enter(signer.address, here, guest)).status).toBe(401);
    expect((await session(signer.address, elsewhere, signer)).accountId).toBe(after.accountId);
  });

  /** Gives a key's account the code of a contract wallet of another owner, on the settlement chain. */
  async function delegate(address: Address, owner: LocalAccount) {
    const contract = await deployWallet(chain, owner.address);
    await chain.node.setCode({ address, bytecode: concatHex(["0xef0100", contract]) });
  }
});
