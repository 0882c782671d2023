import { randomBytes } from "node:crypto";
import { decodePaymentRequiredHeader } from "@x402/core/http";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import {
  appendPaymentIdentifierToExtensions,
  generatePaymentId,
  isPaymentIdentifierExtension,
} from "@x402/extensions/payment-identifier";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { eq, sql } from "drizzle-orm";
import { type Address, bytesToHex, type LocalAccount, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createContext } from "../../../api/context.ts";
import { readWebhookKey } from "../../../config/keys/webhook-key.ts";
import { account, order, payment, relay, wallet } from "../../../db/schema.ts";
import { createClaimToken, sealTerms } from "../../../trade/purchases/sealed-terms.ts";
import { type Answer, expectStatus, signIn } from "../../harness/api.ts";
import { deployWallet } from "../../harness/contract-wallet.ts";
import { ask, rowOf } from "../../harness/market/market.ts";
import { isUsed, newAccount, signPayment } from "../../harness/market/payments.ts";
import {
  acceptedOf,
  headerOf,
  input,
  openPurchases,
  type Purchases,
} from "../../harness/market/purchases.ts";

let market: Purchases["market"];
let path: string;
let newPayer: Purchases["newPayer"];
let sign: Purchases["sign"];
let countAll: Purchases["countAll"];
let appFetch: Purchases["appFetch"];
let changeService: Purchases["changeService"];
let post: Purchases["post"];
beforeAll(async () => {
  ({ market, path, newPayer, sign, countAll, appFetch, changeService, post } = await openPurchases());
});
afterAll(() => market?.close());

describe("a purchase", () => {
  test("takes a stock client one call: the order is the wallet's, and the claim token reads it", async () => {
    const payer = await newPayer();
    const client = new x402Client().register("eip155:31337", new ExactEvmScheme(payer));
    const { token } = market.chain;
    client.setSpendControls({ allowedAssets: [{ network: "eip155:31337", asset: token.address }] });
    const bought = await wrapFetchWithPayment(appFetch, client)(`http://localhost:42069/api/v1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ input_payload: input, buyer_address: payer.address }),
    });
    const { order: placed, payment: paid, claim } = (await bought.json()) as Answer["body"];
    expect(bought.status).toBe(202);
    expect(bought.headers.get("location")).toBe(claim.order_url);
    expect(bought.headers.get("payment-response")).not.toBeNull();
    expect(placed).toMatchObject({
      status: "created",
      settlement_rail: "x402",
      buyer_address: payer.address,
      input_payload: input,
    });
    expect(paid).toMatchObject({ status: "accepted", payer: payer.address });

    // The claim token only reads the order.
    const read = (what: string) =>
      market.api.request("GET", `/orders/${placed.id}${what}`, { token: claim.token });
    for (const what of ["", "/events", "/agreement", "/receipts", "/payment"]) {
      expectStatus(200, await read(what));
    }
    expect((await read("/receipt")).body.error.code).toBe("not_settled");
    const other = expectStatus(
      201,
      await ask(market, market.buyer, "POST", "/orders", {
        service_id: market.service.id,
        input_payload: input,
      }),
    );
    const requests: [string, string, number][] = [
      ["GET", `/orders/${other.id}`, 404],
      ["GET", `/orders/${placed.id}/settlement-options`, 403],
      ["GET", `/orders/${placed.id}/release`, 403],
      ["POST", `/orders/${placed.id}/payment`, 403],
      ["GET", "/orders", 403],
      ["GET", "/me", 403],
      ["GET", "/events", 403],
      ["POST", "/api-keys", 403],
    ];
    for (const [method, at, status] of requests) {
      expect([at, (await market.api.request(method, at, { token: claim.token })).status]).toEqual([
        at,
        status,
      ]);
    }
    const forged = `${claim.token.slice(0, -3)}AAA`;
    const key = readWebhookKey(market.api.config);
    for (const token of [
      forged,
      createClaimToken(new Uint8Array(32), placed.id),
      `${claim.token}x`,
      "ecl_",
    ]) {
      expectStatus(401, await market.api.request("GET", `/orders/${placed.id}`, { token }));
    }
    // The claim of an order that a signed-in account bought is never issued. Forged with the key, it would
    // read the order.
    expect(createClaimToken(key, placed.id)).toBe(claim.token);
    await market.api.db
      .update(order)
      .set({ createdAt: sql`now() - interval '366 days'` })
      .where(eq(order.id, placed.id));
    expectStatus(401, await read(""));
    await market.api.db.update(order).set({ createdAt: sql`now()` }).where(eq(order.id, placed.id));

    // The wallet signs in and sees the order, in the account that the payment made.
    const session = await signIn(market.api, payer);
    const mine = expectStatus(200, await market.api.request("GET", "/orders", { token: session.token }));
    expect(mine.items.map(({ id }: { id: string }) => id)).toEqual([placed.id]);
    expect(
      await market.api.db.select().from(wallet).where(eq(wallet.accountId, session.accountId)),
    ).toMatchObject([{ isPrimary: true, provedBy: "key", chainId: null }]);
  });

  test("gets the same answer for the same payment, twelve at once and on two replicas, whatever became of the service", async () => {
    const payer = await newPayer();
    const { request, header } = await sign(payer);
    const before = await countAll();
    const context = createContext(market.api.config);
    const replica = createApp(context);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 2
          ? post(request, { headers: header })
          : Promise.resolve(
              replica.request(`/api/v1${path}`, {
                method: "POST",
                headers: { "content-type": "application/json", ...header },
                body: JSON.stringify(request),
              }),
            ).then(
              async (response) =>
                ({ ...response, status: response.status, body: await response.json() }) as Answer,
            ),
      ),
    );
    await context.db.$client.end();
    const [first, ...others] = answers.map((answer) => expectStatus(202, answer));
    for (const one of others) expect(one).toEqual(first);
    const after = await countAll();
    const more = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(more.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)])).toEqual([
      ["account", 1],
      ["event", 2],
      ["fact", 1],
      ["order", 1],
      ["payment", 1],
      ["proved_wallet", 1],
      ["relay", 1],
      ["wallet", 1],
    ]);
    await changeService({ price: "3" });
    try {
      expect(expectStatus(202, await post(request, { headers: header }))).toEqual(first);
    } finally {
      await changeService({ price: "2.5" });
    }
    // A reader of the payment on the chain, who lacks the terms, gets no claim token.
    const { extra, ...seen } = acceptedOf(header);
    const { payload } = JSON.parse(Buffer.from(header["payment-signature"] ?? "", "base64").toString());
    const stolen = await post(request, {
      headers: headerOf(payload, { ...seen, extra: { ...extra, terms: undefined } }),
    });
    expect(expectStatus(402, stolen).error.details[0].keyword).toBe("terms_unknown");
    // Another payment for the same terms is refused, and not used.
    const second = await signPayment(market.testChain, first.order, payer);
    const again = await post(request, { headers: headerOf(second, acceptedOf(header)) });
    expect(expectStatus(409, again).error.message).toMatch(/not used/);
    expect(await isUsed(market.testChain, second)).toBe(false);
  });

  test("by a nonce that has bought before gets the first order, for the payer's own new signature alone", async () => {
    const payer = await newPayer();
    const first = await sign(payer);
    const bought = expectStatus(202, await post(first.request, { headers: first.header }));
    const { nonce } = first.payload.authorization;
    const next = await sign(payer, { nonce });
    expect(next.accepted.payTo).not.toBe(first.accepted.payTo);
    const again = expectStatus(202, await post(next.request, { headers: next.header }));
    expect([again.order.id, again.claim]).toEqual([bought.order.id, bought.claim]);
    expect(await isUsed(market.testChain, next.payload)).toBe(false);
    // The signature of the first payment is public once it is on the chain. It pays the first order's address.
    const { payload } = first;
    const stolen = await post(next.request, { headers: headerOf(payload, next.accepted) });
    expect(expectStatus(402, stolen).claim).toBeUndefined();
    const forged = await sign(newAccount(), { from: payer.address, buyer: payer.address, nonce });
    expect(expectStatus(402, await post(forged.request, { headers: forged.header })).claim).toBeUndefined();
    // Two at once, as by two processes, are one purchase.
    const both = await newPayer();
    const shared = { nonce: bytesToHex(randomBytes(32)) };
    const pair = [await sign(both, shared), await sign(both, shared)];
    const answers = await Promise.all(pair.map(({ request, header }) => post(request, { headers: header })));
    const [one, two] = answers.map((answer) => expectStatus(202, answer).order.id);
    expect(one).toBe(two);
    // Another buyer or another service is another purchase.
    const other = await sign(payer, { buyer: newAccount().address, nonce });
    const bothPaid = expectStatus(202, await post(other.request, { headers: other.header }));
    expect(bothPaid.order.id).not.toBe(bought.order.id);
  });

  test("by an identifier that has bought before gets the first order, or a refusal for another input", async () => {
    const payer = await newPayer();
    const named = async (id: string, change: Parameters<typeof sign>[1] = {}, by = payer) => {
      const signed = await sign(by, change);
      const extensions = appendPaymentIdentifierToExtensions(signed.terms.extensions, id);
      return {
        ...signed,
        pay: () => post(signed.request, { headers: headerOf(signed.payload, signed.accepted, extensions) }),
      };
    };
    const id = generatePaymentId();
    const [one, two, three] = [await named(id), await named(id), await named(id)];
    expect(isPaymentIdentifierExtension(one.terms.extensions["payment-identifier"])).toBe(true);
    const answers = await Promise.all([one.pay(), two.pay()]);
    const bought = answers.map((answer) => expectStatus(202, answer));
    const later = expectStatus(202, await three.pay());
    expect(new Set([...bought, later].map(({ order }) => order.id)).size).toBe(1);
    expect(await isUsed(market.testChain, three.payload)).toBe(false);
    const other = await named(id, { body: { input_payload: { text: "Gute Nacht" } } });
    const refused = expectStatus(409, await other.pay());
    expect(refused.error.message).toMatch(/^This payment-identifier has bought another input/);
    // The identifier is the payer's own, and of one buyer.
    const stranger = await named(id, {}, await newPayer());
    expect(expectStatus(202, await stranger.pay()).order.id).not.toBe(later.order.id);
    const { request, payload, accepted } = await sign(payer);
    const short = { "payment-identifier": { info: { id: "short" } } };
    expectStatus(400, await post(request, { headers: headerOf(payload, accepted, short) }));
    // A failed payment can still be sent by anybody, so the identifier buys no second order.
    const { db } = market.api;
    await db
      .update(payment)
      .set({ status: "failed", error: "reverted" })
      .where(eq(payment.orderId, later.order.id));
    const rows = await db.$count(order);
    expect(expectStatus(402, await (await named(id)).pay()).error.details[0].keyword).toBe(
      "transaction_failed",
    );
    expect(await db.$count(order)).toBe(rows);
    const next = await named(generatePaymentId());
    expect(expectStatus(202, await next.pay()).order.id).not.toBe(later.order.id);
  });

  test("refuses altered, late and foreign terms with new ones, and uses no payment", async () => {
    const payer = await newPayer();
    const signed = await sign(payer);
    const { request, accepted, payload, header } = signed;
    const other = await sign(payer);
    const extra = (terms: unknown) => headerOf(payload, { ...accepted, extra: { ...accepted.extra, terms } });
    const [suffix, fundBy, mac] = accepted.extra.terms.split(".");
    const before = await countAll();
    const cases: [string, unknown, Record<string, string>][] = [
      ["terms_changed", { ...request, buyer_address: newAccount().address }, header],
      ["terms_changed", { ...request, input_payload: { text: "Gute Nacht" } }, header],
      ["terms_changed", request, extra(`${suffix}.${Number(fundBy) + 60}.${mac}`)],
      ["terms_changed", request, extra(`${suffix}.${2 ** 48 - 1}.${mac}`)],
      ["terms_unknown", request, extra(`${suffix}.${2 ** 48}.${mac}`)],
      ["terms_unknown", request, extra(`${suffix}.999999999999999.${mac}`)],
      ["invalid_exact_evm_recipient_mismatch", request, extra(other.accepted.extra.terms)],
      [
        "terms_changed",
        request,
        extra(
          sealTerms(new Uint8Array(32), { orderId: `ord_${suffix}`, fundBy: Number(fundBy) }, accepted.payTo),
        ),
      ],
      ["terms_unknown", request, extra(undefined)],
      ["terms_unknown", request, extra("nonsense")],
      ["terms_unknown", request, extra({ a: 1 })],
      ["invalid_exact_evm_recipient_mismatch", other.request, headerOf(payload, other.accepted)],
    ];
    for (const [reason, body, headers] of cases) {
      const answer = await post(body, { headers });
      const { error } = expectStatus(402, answer);
      expect([error.code, error.details[0].keyword]).toEqual(["payment_required", reason]);
      const anew = decodePaymentRequiredHeader(answer.headers.get("payment-required") ?? "");
      expect(anew).toMatchObject({ error: reason });
      expect(anew.accepts[0]?.payTo).not.toBe(accepted.payTo);
    }
    await changeService({ price: "3" });
    const dearer = await post(request, { headers: header });
    expect(expectStatus(402, dearer).error.details[0].keyword).toBe("terms_changed");
    expect(decodePaymentRequiredHeader(dearer.headers.get("payment-required") ?? "").accepts[0]?.amount).toBe(
      "3000000",
    );
    await changeService({ price: "2.5" });

    // Expired terms with a valid seal.
    const { windows } = market.api.config;
    const seconds = windows.fundingSeconds;
    windows.fundingSeconds = -1;
    const late = await sign(payer);
    windows.fundingSeconds = seconds;
    const over = await post(late.request, { headers: late.header });
    expect(expectStatus(402, over).error.details[0].keyword).toBe("terms_expired");

    for (const one of [payload, late.payload]) expect(await isUsed(market.testChain, one)).toBe(false);
    expect(await countAll()).toEqual(before);
    expectStatus(202, await post(request, { headers: header }));
  });

  test("for another's address sends refunds there, and leaves that account unchanged", async () => {
    const victim = await signIn(market.api);
    const attacker = await newPayer();
    const { request, header } = await sign(attacker, { buyer: victim.account.address });
    const { order: placed, claim } = expectStatus(202, await post(request, { headers: header }));
    expect(placed.buyer_address).toBe(victim.account.address);
    const seen = expectStatus(200, await market.api.request("GET", "/orders", { token: victim.token }));
    expect(seen.total).toBe(0);
    expect(
      expectStatus(200, await market.api.request("GET", "/events", { token: victim.token })).items,
    ).toEqual([]);
    expectStatus(404, await market.api.request("GET", `/orders/${placed.id}`, { token: victim.token }));
    expectStatus(403, await market.api.request("GET", "/me", { token: claim.token }));
    const session = await signIn(market.api, attacker);
    const wallets = expectStatus(
      200,
      await market.api.request("GET", "/auth/me/wallets", { token: session.token }),
    );
    expect(wallets.items.map(({ address }: { address: Address }) => address)).toEqual([attacker.address]);
  });

  test("by an account's wallet is for that account, which cannot buy its own service by any address", async () => {
    const { buyer, provider, testChain } = market;
    const mine = await sign(buyer.account, { buyer: newAccount().address });
    const { order: placed } = expectStatus(202, await post(mine.request, { headers: mine.header }));
    expectStatus(200, await ask(market, buyer, "GET", `/orders/${placed.id}`));
    await testChain.fund(provider.account);
    const before = await countAll();
    const own = await sign(provider.account, { buyer: newAccount().address });
    expect(expectStatus(409, await post(own.request, { headers: own.header })).error.code).toBe("conflict");
    // Another payer's money, with the refund to the provider's own account.
    const other = await signIn(market.api);
    await market.api.db
      .update(wallet)
      .set({ accountId: provider.accountId, isPrimary: false })
      .where(eq(wallet.accountId, other.accountId));
    const back = await sign(await newPayer(), { buyer: other.account.address });
    expect(expectStatus(409, await post(back.request, { headers: back.header })).error.code).toBe("conflict");
    const after = await countAll();
    expect([after.order, after.payment, after.relay]).toEqual([before.order, before.payment, before.relay]);
    // The arbiter may not be on the side of the refunds either.
    const { arbiter } = market.chain;
    expect(expectStatus(409, await post({ input_payload: input, buyer_address: arbiter })).error.code).toBe(
      "conflict",
    );
  });

  test("by a contract wallet is for its account on this chain, and refuses another signer", async () => {
    const owner = newAccount();
    const address = await deployWallet(market.testChain, owner.address);
    await market.testChain.fund({ address });
    const forged = await sign(newAccount(), { from: address, buyer: address });
    expectStatus(402, await post(forged.request, { headers: forged.header }));
    const { request, header } = await sign(owner, { from: address, buyer: address });
    const { order: placed, payment: paid } = expectStatus(202, await post(request, { headers: header }));
    expect(paid.payer).toBe(address);
    const row = await rowOf(market, placed.id);
    expect(
      await market.api.db.select().from(wallet).where(eq(wallet.accountId, row.buyerAccountId)),
    ).toMatchObject([
      { address: address.toLowerCase(), chainId: market.chain.chain_id, provedBy: "contract" },
    ]);
  });

  test("by a contract wallet's identifier gets the first order, for a signature that the contract accepts", async () => {
    const owner = newAccount();
    const from = await deployWallet(market.testChain, owner.address);
    await market.testChain.fund({ address: from });
    const id = generatePaymentId();
    const pay = async (by: LocalAccount, name = id) => {
      const signed = await sign(by, { from, buyer: from });
      const extensions = appendPaymentIdentifierToExtensions(signed.terms.extensions, name);
      return post(signed.request, { headers: headerOf(signed.payload, signed.accepted, extensions) });
    };
    const answers = await Promise.all([pay(owner), pay(owner)]);
    const ids = [...answers, await pay(owner)].map((answer) => expectStatus(202, answer).order.id);
    expect(new Set(ids).size).toBe(1);
    const { error } = expectStatus(402, await pay(newAccount()));
    expect(error.details[0].keyword).toBe("invalid_exact_evm_signature");
    expect(expectStatus(202, await pay(owner, generatePaymentId())).order.id).not.toBe(ids[0]);
  });

  test("refused by the chain after all is answered so, and the same terms are paid again", async () => {
    const payer = await newPayer();
    const { request, header } = await sign(payer);
    const { order: placed } = expectStatus(202, await post(request, { headers: header }));
    const { db } = market.api;
    await db
      .update(payment)
      .set({ status: "failed", error: "ERC20InsufficientBalance()" })
      .where(eq(payment.orderId, placed.id));
    await db.update(relay).set({ status: "failed" }).where(eq(relay.orderId, placed.id));
    const rows = await db.$count(account);
    const again = expectStatus(202, await post(request, { headers: header }));
    expect(again.order.id).toBe(placed.id);
    expect(await db.$count(account)).toBe(rows);
    // Another caller who has the terms does not get the order by paying for it.
    await db.update(payment).set({ status: "failed" }).where(eq(payment.orderId, placed.id));
    const thief = await newPayer();
    const signed = await signPayment(market.testChain, placed, thief);
    const refused = await post(request, { headers: headerOf(signed, acceptedOf(header)) });
    expect(expectStatus(409, refused).error.code).toBe("conflict");
  });

  test("is limited by the rates of its address, whose share of checks is not that of accounts", async () => {
    const context = createContext({
      ...market.api.config,
      rateLimits: {
        credential: 100,
        account: 100,
        address: 100,
        sign_in: 9,
        search: 9,
        schema: 9,
        payment: 3,
        verify: 9,
        balances: 9,
        content: 1e6,
        content_in_all: 1e9,
        uploads: 1e9,
        uploads_in_all: 1e9,
        downloads: 1e9,
        downloads_in_all: 1e9,
        answers: 1e9,
        answers_in_all: 1e9,
      },
    });
    const app = createApp(context);
    const send = (remoteAddress: string) =>
      app.request(
        `/api/v1${path}`,
        {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ input_payload: input, buyer_address: zeroAddress }),
        },
        { incoming: { socket: { remoteAddress } } },
      );
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await send("203.0.113.9")).status);
    expect(statuses).toEqual([400, 400, 400, 429, 429]);
    expect((await send("203.0.113.10")).status).toBe(400);
    await context.db.$client.end();
  });
});
