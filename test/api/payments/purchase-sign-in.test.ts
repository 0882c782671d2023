import { decodePaymentRequiredHeader } from "@x402/core/http";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import {
  createSIWxClientExtension,
  createSIWxPayload,
  encodeSIWxHeader,
  type SIWxPayload,
  wrapFetchWithSIWx,
} from "@x402/extensions/sign-in-with-x";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { eq, sql } from "drizzle-orm";
import type { Address, Hex, LocalAccount } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readWebhookKey } from "../../../config/keys/webhook-key.ts";
import { order, payment, signInNonce } from "../../../db/schema.ts";
import { createSignInNonce } from "../../../trade/purchases/sealed-terms.ts";
import { type Answer, expectStatus, publishService } from "../../harness/api.ts";
import { deployWallet } from "../../harness/contract-wallet.ts";
import { rowOf } from "../../harness/market/market.ts";
import { newAccount } from "../../harness/market/payments.ts";
import { input, openPurchases, type Purchases } from "../../harness/market/purchases.ts";

let market: Purchases["market"];
let path: string;
let newPayer: Purchases["newPayer"];
let sign: Purchases["sign"];
let countAll: Purchases["countAll"];
let appFetch: Purchases["appFetch"];
let post: Purchases["post"];
beforeAll(async () => {
  ({ market, path, newPayer, sign, countAll, appFetch, post } = await openPurchases());
});
afterAll(() => market?.close());

describe("a sign-in by x402's sign-in-with-x", () => {
  const url = () => `http://localhost:42069/api/v1${path}`;
  const bodyOf = (request: unknown) => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const readAnswer = async (response: Response) =>
    [response.status, (await response.json()) as Answer["body"]] as const;

  /** A wallet's own purchase. */
  async function buyOnce(signer = null as LocalAccount | null, from?: Address) {
    const payer = signer ?? (await newPayer());
    const { request, header } = await sign(payer, from ? { from, buyer: from } : {});
    const { order: placed } = expectStatus(202, await post(request, { headers: header }));
    return { payer, request, header, placed };
  }

  /** The message of a new 402, signed by a stock client, after a change. */
  async function proveBy(
    signer: { address: Address; signMessage: (data: { message: string }) => Promise<Hex> },
    change: Record<string, unknown> = {},
    request: unknown = undefined,
  ): Promise<SIWxPayload> {
    const terms = expectStatus(402, await post(request));
    const { info, supportedChains } = terms.extensions["sign-in-with-x"];
    const challenge = { ...info, ...supportedChains[0], ...change };
    return createSIWxPayload(challenge, signer, challenge.uri);
  }
  const readBy = (payload: unknown, request?: unknown, at = path) =>
    post(request, { headers: { "sign-in-with-x": encodeSIWxHeader(payload as SIWxPayload) } }, at);

  test("gives a stock client the order that its wallet bought, with and without the body, and pays nothing", async () => {
    const { payer, request, placed } = await buyOnce();
    const before = await countAll();
    const siwxFetch = wrapFetchWithSIWx(appFetch, payer);
    for (const init of [bodyOf(request), { method: "POST" }]) {
      const [status, { order: read, claim }] = await readAnswer(await siwxFetch(url(), init));
      expect([status, read.id]).toEqual([202, placed.id]);
      const own = await market.api.request("GET", `/orders/${placed.id}`, { token: claim.token });
      expect(expectStatus(200, own).id).toBe(placed.id);
    }
    const other = { ...request, input_payload: { text: "Another text" } };
    expect((await siwxFetch(url(), bodyOf(other))).status).toBe(402);
    const back = { ...request, buyer_address: newAccount().address };
    expect((await siwxFetch(url(), bodyOf(back))).status).toBe(402);
    expect(await countAll()).toEqual({ ...before, sign_in_nonce: (before.sign_in_nonce ?? 0) + 4 });
  });

  test("lets a stock client that pays buy once for each body", async () => {
    const payer = await newPayer();
    const { chain_id, token } = market.chain;
    const network = `eip155:${chain_id}` as const;
    const client = new x402Client().register(network, new ExactEvmScheme(payer));
    client.setSpendControls({ allowedAssets: [{ network, asset: token.address }] });
    client.registerExtension(createSIWxClientExtension({ signers: [payer] }));
    const payFetch = wrapFetchWithPayment(appFetch, client);
    const request = { input_payload: input, buyer_address: payer.address };
    const ids: string[] = [];
    for (const text of ["One", "One", "Two", "One"]) {
      const body = { ...request, input_payload: { text } };
      const [status, bought] = await readAnswer(await payFetch(url(), bodyOf(body)));
      expect(status).toBe(202);
      ids.push(bought.order.id);
    }
    expect(new Set(ids).size).toBe(2);
    expect(ids[1]).toBe(ids[0]);
    expect(await market.api.db.$count(order, eq(order.buyerAddress, payer.address))).toBe(2);
  });

  test("finds nothing for a stranger, a failed payment, or the order that a wallet paid for another account", async () => {
    const { placed, request, payer } = await buyOnce();
    const stranger = await proveBy(newAccount());
    expectStatus(402, await readBy(stranger, request));
    const { db } = market.api;
    const { buyerAccountId, providerAccountId } = await rowOf(market, placed.id);
    await db.update(order).set({ buyerAccountId: providerAccountId }).where(eq(order.id, placed.id));
    expectStatus(402, await readBy(await proveBy(payer)));
    await db.update(order).set({ buyerAccountId }).where(eq(order.id, placed.id));
    expectStatus(202, await readBy(await proveBy(payer)));
    await db.update(payment).set({ status: "failed" }).where(eq(payment.orderId, placed.id));
    expectStatus(402, await readBy(await proveBy(payer)));
    await db.update(payment).set({ status: "accepted" }).where(eq(payment.orderId, placed.id));
    await db
      .update(order)
      .set({ createdAt: sql`now() - interval '366 days'` })
      .where(eq(order.id, placed.id));
    expectStatus(402, await readBy(await proveBy(payer)));
  });

  test("is refused with a new message when it is replayed, late, altered, or made for another place", async () => {
    const { payer, placed } = await buyOnce();
    const refusedFor = async (reason: string, payload: unknown, at = path) => {
      const answer = await readBy(payload, undefined, at);
      const { error, extensions } = expectStatus(402, answer);
      const header = decodePaymentRequiredHeader(answer.headers.get("payment-required") ?? "");
      expect(header.error).toMatch(new RegExp(`^${reason}: `));
      expect(header.error).toContain(error.message);
      expect(extensions["sign-in-with-x"].info.nonce).toMatch(/^[0-9a-f]{32}$/);
    };
    const good = await proveBy(payer);
    expect(expectStatus(202, await readBy(good)).order.id).toBe(placed.id);
    await refusedFor("invalid_siwx_nonce", good);
    // A failed attempt uses the message up.
    const spoiled = await proveBy(payer);
    const mallory = await newAccount().signMessage({ message: "x" });
    await refusedFor("invalid_siwx_signature", { ...spoiled, signature: mallory });
    await refusedFor("invalid_siwx_nonce", spoiled);
    await refusedFor("invalid_siwx_signature", { ...(await proveBy(payer)), address: newAccount().address });
    await refusedFor("invalid_siwx_signature", await proveBy(payer, { statement: "Sign in to Earnest." }));
    await refusedFor("invalid_siwx_signature", {
      ...(await proveBy(payer, { chainId: "eip155:1" })),
      chainId: `eip155:${market.chain.chain_id}`,
    });
    await refusedFor("invalid_siwx_unsupported_chain", await proveBy(payer, { chainId: "eip155:1" }));
    const elsewhere = { domain: "evil.example", uri: "https://evil.example/" };
    await refusedFor("invalid_siwx_domain_mismatch", await proveBy(payer, elsewhere));
    const other = await publishService(market.api, market.provider, { slug: `other-${placed.id.slice(-6)}` });
    const otherPath = `/buy/${other.agent.slug}/${other.service.slug}`;
    await refusedFor("invalid_siwx_uri_mismatch", await proveBy(payer), otherPath);
    const issuedAt = new Date(Date.now() - market.api.config.nonceSeconds * 1000 - 1).toISOString();
    await refusedFor("invalid_siwx_nonce", await proveBy(payer, { issuedAt }));
    await refusedFor("invalid_siwx_nonce", await proveBy(payer, { nonce: "0".repeat(32) }));
    const nonce = createSignInNonce(readWebhookKey(market.api.config), `${issuedAt} ${url()}`);
    await refusedFor("invalid_siwx_issued_at_too_old", await proveBy(payer, { issuedAt, nonce }));
    for (const header of [
      "?",
      "bm8=",
      Buffer.from(JSON.stringify({ ...good, signature: "0x1" })).toString("base64"),
    ]) {
      expectStatus(400, await post(undefined, { headers: { "sign-in-with-x": header } }));
    }
  });

  test("takes twelve uses of one message at once for one, and is no session", async () => {
    const { payer } = await buyOnce();
    const good = await proveBy(payer);
    const answers = await Promise.all(Array.from({ length: 12 }, () => readBy(good)));
    const statuses = answers.map(({ status }) => status).filter((status) => status !== 429);
    expect(statuses.filter((status) => status === 202)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([202, 402]));
    // The nonce of a purchase signs nobody in, and the message of a sign-in reads no purchase.
    const { info } = expectStatus(402, await post()).extensions["sign-in-with-x"];
    const message = "any message";
    const signature = await payer.signMessage({ message });
    const session = { message, nonce: info.nonce, signature };
    expectStatus(401, await market.api.request("POST", "/auth/signin", { body: session }));
    const { nonce } = expectStatus(
      200,
      await market.api.request("POST", "/auth/nonce", {
        body: { address: payer.address, chain_id: market.chain.chain_id },
      }),
    );
    expectStatus(402, await readBy(await proveBy(payer, { nonce })));
    expect(await market.api.db.$count(signInNonce, eq(signInNonce.nonce, nonce))).toBe(1);
  });

  test("by a contract wallet reads its order on this chain, and refuses another signer", async () => {
    const owner = newAccount();
    const address = await deployWallet(market.testChain, owner.address);
    await market.testChain.fund({ address });
    const { placed, request } = await buyOnce(owner, address);
    const asWallet = (signer: LocalAccount) => ({ address, signMessage: signer.signMessage });
    expectStatus(402, await readBy(await proveBy(asWallet(newAccount()))));
    expect(expectStatus(202, await readBy(await proveBy(asWallet(owner)), request)).order.id).toBe(placed.id);
    // The owner's key is another wallet.
    expectStatus(402, await readBy(await proveBy(owner)));
  });
});
