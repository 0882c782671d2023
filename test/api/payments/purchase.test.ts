import { randomBytes } from "node:crypto";
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from "@x402/core/http";
import { parsePaymentRequired } from "@x402/core/schemas";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { validateDiscoveryExtension } from "@x402/extensions/bazaar";
import {
  appendPaymentIdentifierToExtensions,
  generatePaymentId,
  isPaymentIdentifierExtension,
} from "@x402/extensions/payment-identifier";
import {
  createSIWxClientExtension,
  createSIWxPayload,
  encodeSIWxHeader,
  type SIWxPayload,
  wrapFetchWithSIWx,
} from "@x402/extensions/sign-in-with-x";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { eq, sql } from "drizzle-orm";
import { Credential, Receipt } from "mppx";
import { evm, Mppx } from "mppx/client";
import { type Address, bytesToHex, type Hex, type LocalAccount, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createContext } from "../../../api/context.ts";
import { readWebhookKey } from "../../../config/keys/webhook-key.ts";
import { account, order, payment, relay, signInNonce, wallet } from "../../../db/schema.ts";
import { deriveDeposit } from "../../../protocol/settlement/deposit.ts";
import { digestOf } from "../../../protocol/settlement/digest.ts";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { createClaimToken, createSignInNonce, sealTerms } from "../../../trade/purchases/sealed-terms.ts";
import { type Answer, expectStatus, publishService, type RequestOptions, signIn } from "../../harness/api.ts";
import { deployWallet } from "../../harness/contract-wallet.ts";
import { ask, indexer, rowOf, settleNow } from "../../harness/market/market.ts";
import {
  createPaymentMarket,
  isUsed,
  newAccount,
  type PaymentMarket,
  signPayment,
} from "../../harness/market/payments.ts";

let market: PaymentMarket;
let path: string;
beforeAll(async () => {
  market = await createPaymentMarket();
  path = `/buy/${market.agent.slug}/${market.service.slug}`;
});
afterAll(() => market?.close());

const input = { text: "Guten Tag" };
const post = (body?: unknown, options: RequestOptions = {}, at = path) =>
  market.api.request("POST", at, { body, ...options });

/** A new wallet with money and no account. */
async function newPayer(): Promise<LocalAccount> {
  const payer = newAccount();
  await market.testChain.fund(payer);
  await market.testChain.node.setBalance({ address: payer.address, value: 0n });
  return payer;
}

/** Requests terms and signs them with a wallet, as the second request of a stock client. */
async function sign(
  payer: LocalAccount,
  {
    buyer = payer.address,
    from = payer.address,
    at = path,
    body = {} as Record<string, unknown>,
    ...change
  }: Partial<{ buyer: Address; from: Address; at: string; body: Record<string, unknown>; nonce: Hex }> = {},
) {
  const request = { input_payload: input, buyer_address: buyer, ...body };
  const terms = expectStatus(402, await post(request, {}, at));
  const [accepted] = terms.accepts;
  const agreedTerms = {
    escrow: { deposit_address: accepted.payTo },
    total_amount_base_units: accepted.amount,
  };
  const payload = await signPayment(market.testChain, agreedTerms as Answer["body"], payer, {
    from,
    ...change,
  });
  return { request, terms, accepted, payload, header: headerOf(payload, accepted) };
}

function headerOf(payload: unknown, accepted: unknown, extensions?: unknown): Record<string, string> {
  const document = { x402Version: 2, accepted, payload, ...(extensions ? { extensions } : {}) };
  return { "payment-signature": encodePaymentSignatureHeader(document as never) };
}

/** The rows of every table, except sums and counts, whose number of rows depends on other writers. */
async function countAll(): Promise<Record<string, number>> {
  const { rows } = await market.api.db.execute<{ name: string; rows: number }>(sql`
    select relname as name,
      (xpath('/row/n/text()', query_to_xml('select count(*) as n from earnest.' || quote_ident(relname), true, true, '')))[1]::text::int as rows
    from pg_class
    where relnamespace = 'earnest'::regnamespace and relkind = 'r' and relname not in ('relay_gas', 'order_day', 'traded_service')
    order by 1`);
  return Object.fromEntries(rows.map(({ name, rows: n }) => [name, n]));
}

describe("terms", () => {
  test("bind the future order to an address that anybody can compute from its agreement", async () => {
    const buyer = newAccount().address;
    const answer = await post({ input_payload: input, buyer_address: buyer });
    const { agreement, error, ...document } = expectStatus(402, answer);
    expect(error).toMatchObject({ code: "payment_required", request_id: answer.headers.get("x-request-id") });
    expect(decodePaymentRequiredHeader(answer.headers.get("payment-required") ?? "")).toEqual(document);
    expect(parsePaymentRequired(document).success).toBe(true);
    const { depositAddress, terms } = deriveDeposit(agreement);
    expect(document.accepts[0]).toMatchObject({ payTo: depositAddress, amount: "2500000" });
    expect(terms).toMatchObject({ buyer, amount: 2_500_000n });
    expect(document.resource.url).toBe(`http://localhost:42069/api/v1${path}`);
    expect(document.extensions["offer-receipt"].info.offers).toHaveLength(1);
    // A proxy lets headers of 4 kB through, and a client returns the document.
    expect(answer.headers.get("payment-required")?.length).toBeLessThan(3500);
    expect(expectStatus(200, await readService()).buy_url).toBe(document.resource.url);
  });

  test("leave out a schema with too many bytes for the header, in any script", async () => {
    const described = { type: "string", description: "\u8aac".repeat(450), examples: ["\u4f8b".repeat(450)] };
    const sold = await publishService(market.api, market.provider, {
      input_schema: { type: "object", properties: { text: described } },
    });
    const at = `/buy/${sold.agent.slug}/${sold.service.slug}`;
    const answer = await post({ input_payload: {}, buyer_address: newAccount().address }, {}, at);
    expect(answer.headers.get("payment-required")?.length).toBeLessThan(3500);
  });

  test("are created without rows: a flood of unpaid attempts leaves every table as it was", async () => {
    const payer = await newPayer();
    const signed = await sign(payer);
    const before = await countAll();
    const bodies = Array.from(
      { length: 200 },
      (_, n) =>
        [
          { input_payload: input, buyer_address: newAccount().address },
          { input_payload: { text: "" }, buyer_address: payer.address },
          undefined,
          {},
          { buyer_address: "0x" },
        ][n % 5],
    );
    const answers = await Promise.all(bodies.map((body) => post(body)));
    // Requests of one address wait for a check, and only so many may wait.
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 503).sort()).toEqual([400, 402, 422]);
    // Invalid payments do not wait either.
    const bad = { ...signed.payload, signature: `0x${"11".repeat(64)}1b` };
    const poor = await sign(newAccount());
    for (const { request, header } of [
      { request: signed.request, header: headerOf(bad, signed.accepted) },
      { request: poor.request, header: poor.header },
    ]) {
      const { error } = expectStatus(402, await post(request, { headers: header }));
      expect(error.code).toBe("payment_required");
    }
    expect(await countAll()).toEqual(before);
  });

  test("describe the output for directories, if its schema is short", async () => {
    const output = {
      type: "object",
      properties: { words: { type: "integer", examples: [2] } },
      required: ["words"],
    };
    const describe = async (output_schema: object) => {
      const sold = await publishService(market.api, market.provider, { output_schema });
      const answer = await post(undefined, {}, `/buy/${sold.agent.slug}/${sold.service.slug}`);
      expect(answer.headers.get("payment-required")?.length).toBeLessThan(3500);
      expectStatus(402, answer);
      const header = decodePaymentRequiredHeader(answer.headers.get("payment-required") ?? "");
      return header.extensions?.bazaar as Answer["body"];
    };
    const bazaar = await describe(output);
    expect(validateDiscoveryExtension(bazaar as never)).toEqual({ valid: true });
    expect(bazaar.info.output).toEqual({ type: "json", example: { words: 2 } });
    expect(bazaar.schema.properties.output.properties.example).toEqual(output);
    const long = await describe({ ...output, description: "\u8aac".repeat(400) });
    expect([long.info.output, long.schema.properties.output]).toEqual([undefined, undefined]);
  });

  test("state the price in a form that cannot be paid while the request has no input", async () => {
    const answer = await post();
    expect(expectStatus(402, answer).error.code).toBe("payment_required");
    const document = decodePaymentRequiredHeader(
      answer.headers.get("payment-required") ?? "",
    ) as Answer["body"];
    expect(parsePaymentRequired(document).success).toBe(true);
    expect(document).toMatchObject({
      error: expect.stringMatching(/^input_required/),
      accepts: [{ amount: "2500000", payTo: zeroAddress, maxTimeoutSeconds: 1 }],
      extensions: { bazaar: { info: { input: { method: "POST", bodyType: "json" } } } },
    });
    expect(
      document.extensions.bazaar.schema.properties.input.properties.body.properties.input_payload,
    ).toEqual(market.service.input_schema);
    expect(document.agreement).toBeUndefined();
    // A stock client without a body pays nothing, and learns what is missing.
    const client = new x402Client().register("eip155:31337", new ExactEvmScheme(await newPayer()));
    client.setSpendControls(false);
    const before = await countAll();
    const paid = await wrapFetchWithPayment(appFetch, client)(`http://localhost:42069/api/v1${path}`, {
      method: "POST",
    });
    expect([paid.status, ((await paid.json()) as Answer["body"]).error.code]).toEqual([
      400,
      "invalid_request",
    ]);
    expect(await countAll()).toEqual(before);
  });

  test("of a metered service are for the most that the buyer states, and ask for it without a maximum", async () => {
    const metered = await publishService(market.api, market.provider, {
      ...{ pricing_model: "metered", price: "0.50", price_unit: "page", min_quantity: 3 },
    });
    const at = `/buy/${metered.agent.slug}/${metered.service.slug}`;
    // A request without content gets the price of the least order, and what to add.
    const price = await post(undefined, {}, at);
    expect(expectStatus(402, price).error.message).toMatch(
      /max_amount or quantity .*The price shown is that of 3 page\./,
    );
    const document = decodePaymentRequiredHeader(
      price.headers.get("payment-required") ?? "",
    ) as Answer["body"];
    expect(document.accepts[0]).toMatchObject({ amount: "1500000", payTo: zeroAddress });
    expect(validateDiscoveryExtension(document.extensions.bazaar)).toMatchObject({ valid: true });
    const { body } = document.extensions.bazaar.schema.properties.input.properties;
    expect(body.oneOf).toEqual([{ required: ["quantity"] }, { required: ["max_amount"] }]);

    const payer = await newPayer();
    const buyer_address = payer.address;
    const cases: [object, string, string][] = [
      [{}, "/quantity", "required"],
      [{ max_amount: "0.49" }, "/max_amount", "minimum"],
      [{ max_amount: "1.49" }, "/quantity", "range"],
      [{ max_amount: "1.5000001" }, "/max_amount", "amount"],
      [{ max_amount: "5.00", quantity: 10 }, "/max_amount", "model"],
    ];
    for (const [limit, pointer, keyword] of cases) {
      const { error } = expectStatus(400, await post({ buyer_address, ...limit }, {}, at));
      expect([error.details[0].path, error.details[0].keyword]).toEqual([pointer, keyword]);
    }
    const fixed = await post({ input_payload: input, buyer_address, max_amount: "5.00" });
    expect(expectStatus(400, fixed).error.details[0].path).toBe("/max_amount");

    const limit = { input_payload: null, max_amount: "5.00" };
    const { request, terms, header } = await sign(payer, { at, body: limit });
    expect([terms.accepts[0].amount, terms.agreement.quantity]).toEqual(["5000000", 10]);
    const { order: placed } = expectStatus(202, await post(request, { headers: header }, at));
    expect(placed).toMatchObject({ quantity: 10, total_amount: "5.000000", pricing_model: "metered" });
    const units = expectStatus(402, await post({ buyer_address, quantity: 4 }, {}, at));
    expect(units.accepts[0].amount).toBe("2000000");
  });

  test("of a service with stages are in its stages, which the order shows", async () => {
    const stages = Array.from({ length: 20 }, (_, index) => ({
      ...{ title: `${index}`.padEnd(longest.title, "x"), amount: "0.125", hours: 2 },
      output_schema: { type: "object", description: "d".repeat(1000) },
    }));
    const staged = await publishService(market.api, market.provider, { stages, delivery_time_hours: 40 });
    const at = `/buy/${staged.agent.slug}/${staged.service.slug}`;
    const { request, terms, header } = await sign(await newPayer(), { at });
    const agreed = stages.map(({ title, hours, output_schema }) => ({
      ...{ title, hours, amount_base_units: "125000", output_schema_digest: digestOf(output_schema) },
    }));
    expect(terms.agreement.stages).toEqual(agreed);
    expect(terms.accepts[0]).toMatchObject({
      ...{ amount: "2500000", payTo: deriveDeposit(terms.agreement).depositAddress },
    });
    const answer = await post(request, {}, at);
    expect(answer.headers.get("payment-required")?.length).toBeLessThan(3500);
    const { order: placed } = expectStatus(202, await post(request, { headers: header }, at));
    expect(placed.stages).toHaveLength(20);
    expect(placed.stages[19]).toMatchObject({ number: 20, title: stages[19]?.title, state: "open" });
  });

  test("of a per_call service open a session, which vouchers alone pay", async () => {
    const session_key = "_HpP3NYtYtKo3JW7ywUlD14HQHmAknyl9ay0WWehQrc";
    const sold = await publishService(market.api, market.provider, {
      ...{ pricing_model: "per_call", price: "0.001", max_quantity: 5_000 },
      session: { endpoint_url: "https://calls.example/v1", session_key },
    });
    const at = `/buy/${sold.agent.slug}/${sold.service.slug}`;
    const body = { input_payload: null, quantity: 1_000 };
    const { request, terms, header } = await sign(await newPayer(), { at, body });
    const arbiter = zeroAddress;
    expect(deriveDeposit(terms.agreement).terms).toMatchObject({ acceptanceWindow: 2 ** 32 - 1, arbiter });
    expect(terms.agreement).toMatchObject({ session_key, quantity: 1_000, unit_price_base_units: "1000" });
    const named = await post(
      { ...request, arbiter: market.chain.arbiter ?? market.chain.token.address },
      {},
      at,
    );
    expect(expectStatus(400, named).error.details[0].path).toBe("/arbiter");
    const { order: placed } = expectStatus(202, await post(request, { headers: header }, at));
    expect(placed).toMatchObject({ pricing_model: "per_call", total_amount: "1.000000", arbiter });
  });

  test("are refused for services that are not sold this way, before anybody signs", async () => {
    const negotiated = await publishService(market.api, market.provider, {
      pricing_model: "negotiated",
      price: undefined,
    });
    const body = { buyer_address: newAccount().address };
    const at = `/buy/${negotiated.agent.slug}/${negotiated.service.slug}`;
    for (const reserved of [body, undefined]) {
      expect(expectStatus(409, await post(reserved, {}, at)).error.code).toBe("quote_required");
    }
    expect(negotiated.service.buy_url).toBeNull();
    for (const unknown of ["/buy/nobody/nothing", `${path}x`, "/buy/%2e/x"]) {
      expect(expectStatus(404, await post(body, {}, unknown)).error.code).toBe("not_found");
    }
    for (const [change, pointer] of [
      [{ buyer_address: zeroAddress }, "/buyer_address"],
      [{ buyer_address: market.chain.escrow_contract }, "/buyer_address"],
      [{ arbiter: newAccount().address }, "/arbiter"],
      [{ quantity: 2 }, "/quantity"],
      [{ service_id: "svc_" }, ""],
    ] as const) {
      const { error } = expectStatus(400, await post({ input_payload: input, ...body, ...change }));
      expect(error.details[0].path).toBe(pointer);
    }
  });
});

test("are behind each service in the lists of paid interfaces, with its price", async () => {
  const { app } = market.api;
  const secret = await publishService(market.api, market.provider, {
    input_schema: { type: "object", description: "x".repeat(3000) },
    pricing_model: "per_unit",
    min_quantity: 3,
  });
  // A schema whose example would have no end.
  const text = { type: "string", minLength: 1e9 };
  await publishService(market.api, market.provider, {
    input_schema: { type: "object", properties: { text, more: { type: "object", properties: { text } } } },
  });
  const catalog = await app.request("/.well-known/api-catalog");
  expect(catalog.headers.get("content-type")).toMatch(/^application\/linkset\+json; profile=/);
  expect(catalog.headers.get("link")).toMatch(/rel="api-catalog"$/);
  const { linkset } = (await catalog.json()) as Answer["body"];
  const described = linkset.flatMap((one: Answer["body"]) => one["service-desc"] ?? []);
  for (const { href } of described) expect((await app.request(new URL(href).pathname)).status).toBe(200);
  expect((await app.request("/.well-known/api-catalog", { method: "HEAD" })).status).toBe(200);

  const read = await app.request("/openapi.json");
  const document = (await read.json()) as Answer["body"];
  expect(document.openapi).toBe("3.1.0");
  const { post: listed } = document.paths[`/api/v1${path}`];
  expect(listed["x-payment-info"]).toEqual({
    price: { mode: "fixed", currency: "USD", amount: "2.500000" },
    protocols: [{ x402: {} }],
  });
  const body = listed.requestBody.content["application/json"].schema;
  expect([body.properties.input_payload, body.required]).toEqual([
    market.service.input_schema,
    ["input_payload", "buyer_address"],
  ]);
  const long = document.paths[`/api/v1/buy/${secret.agent.slug}/${secret.service.slug}`].post;
  expect(long["x-payment-info"].price.amount).toBe("7.500000");
  expect(JSON.stringify(long).length).toBeLessThan(3000);
  // Crawlers probe so: with no body, and with an empty one.
  for (const at of Object.keys(document.paths)) {
    for (const init of [{}, { headers: { "content-type": "application/json" }, body: "{}" }]) {
      const probed = await app.request(at, { method: "POST", ...init });
      expect(probed.status).toBe(402);
      const required = decodePaymentRequiredHeader(probed.headers.get("payment-required") ?? "");
      expect(required.accepts[0]?.amount).toMatch(/^[1-9]/);
      expect(probed.headers.get("payment-required")?.length).toBeLessThan(5500);
      expect(validateDiscoveryExtension(required.extensions?.bazaar as never)).toMatchObject({ valid: true });
    }
  }
  const again = await app.request("/openapi.json", {
    headers: { "if-none-match": read.headers.get("etag") ?? "" },
  });
  expect(again.status).toBe(304);
});

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

describe("Prefer: wait", () => {
  test("gets the output in the paying request, or the address of the order when it takes longer", async () => {
    const payer = await newPayer();
    const { request, header } = await sign(payer);
    const answering = post(request, { headers: { ...header, Prefer: "respond-async, wait=30" } });
    const placed = await pollOrder(payer.address);
    const row = await rowOf(market, placed);
    await indexer(market, row).funded();
    await settleNow(market);
    expectStatus(200, await ask(market, market.provider, "POST", `/orders/${placed}/start`));
    const output = { translation: "Good day" };
    const delivered = performance.now();
    expectStatus(
      200,
      await ask(market, market.provider, "POST", `/orders/${placed}/deliver`, { output_payload: output }),
    );
    const answer = await answering;
    // The database notifies the request, which does not wait for its next poll.
    expect(performance.now() - delivered).toBeLessThan(3000);
    expect(answer.headers.get("preference-applied")).toBe("wait=30");
    expect(expectStatus(200, answer).order).toMatchObject({ status: "delivered", output_payload: output });
    const later = expectStatus(200, await post(request, { headers: header }));
    expect(later.order.output_payload).toEqual(output);

    const slow = await sign(await newPayer());
    const began = performance.now();
    const pending = await post(slow.request, { headers: { ...slow.header, Prefer: "wait=1" } });
    expect(expectStatus(202, pending).order.status).toBe("created");
    expect(performance.now() - began).toBeGreaterThan(1000);
    expect(pending.headers.get("location")).toContain("/orders/ord_");
  });

  test("checks only so many payments at once, of an address and in all, and charges no refused caller", async () => {
    const { buying } = market.api.config;
    const { checks } = buying;
    const signed = await Promise.all(Array.from({ length: 4 }, async () => sign(await newPayer())));
    for (const [bounds, from] of [
      [{ address: 1, process: 9 }, () => "203.0.113.1"],
      [{ address: 9, process: 1 }, (at: number) => `203.0.113.${at}`],
    ] as const) {
      buying.checks = bounds;
      const context = createContext(market.api.config);
      const app = createApp(context);
      const send = async ({ request, header }: (typeof signed)[number], at: number) => {
        const headers = { "content-type": "application/json", ...header };
        const init = { method: "POST", headers, body: JSON.stringify(request) };
        return (
          await app.request(`/api/v1${path}`, init, { incoming: { socket: { remoteAddress: from(at) } } })
        ).status;
      };
      try {
        const two = signed.splice(0, 2);
        const statuses = await Promise.all(two.map(send));
        expect(statuses.toSorted()).toEqual([202, 429]);
        const refused = two[statuses.indexOf(429)];
        expect(refused && (await send(refused, 7))).toBe(202);
      } finally {
        buying.checks = checks;
        await context.db.$client.end();
      }
    }
  });

  test("waits for a bounded time, in a bounded number of slots", async () => {
    const { buying } = market.api.config;
    const { waitSeconds, waits } = buying;
    buying.waitSeconds = 1;
    // One address has one slot, and unproven accounts have half of the slots.
    const from = ["203.0.1.1", "203.0.1.1", "203.0.2.1", "203.0.3.1"];
    const signed = await Promise.all(from.map(async () => sign(await newPayer())));
    try {
      buying.waits = { address: 1, process: 4 };
      // The bounds are read when the app is made.
      const context = createContext(market.api.config);
      const app = createApp(context);
      const began = performance.now();
      const answers = await Promise.all(
        signed.map(async ({ request, header }, at) => {
          const init = {
            method: "POST",
            headers: { "content-type": "application/json", ...header, Prefer: "wait=600" },
            body: JSON.stringify(request),
          };
          const incoming = { socket: { remoteAddress: from[at] } };
          const answer = await app.request(`/api/v1${path}`, init, { incoming });
          return [answer.status, answer.headers.get("preference-applied")];
        }),
      );
      expect(performance.now() - began).toBeLessThan(60_000);
      const waited = answers.filter(([, applied]) => applied === "wait=1");
      expect([answers.map(([status]) => status), waited.length]).toEqual([[202, 202, 202, 202], 2]);
      await context.db.$client.end();
    } finally {
      Object.assign(buying, { waitSeconds, waits });
    }
  });
});

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

describe("a client of MPP", () => {
  const url = () => `http://localhost:42069/api/v1${path}`;
  const request = (payer: LocalAccount) => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ input_payload: input, buyer_address: payer.address }),
  });
  const clientOf = (account: LocalAccount, fetched = appFetch) => {
    const { token, chain_id } = market.chain;
    const { name, version } = token as { name: string; version: string };
    const charge = evm.charge({
      ...{ account, networks: [chain_id], currencies: [token.address], decimals: token.decimals },
      ...{ maxAmount: "50", authorization: { name, version } },
    });
    return Mppx.create({ fetch: fetched, methods: [charge], polyfill: false });
  };
  const bodyOf = async (response: Response) => (await response.json()) as Answer["body"];

  test("buys by one call, by the challenge of MPP, and pays the order's own deposit address", async () => {
    const payer = await newPayer();
    const sent: Request[] = [];
    const watching = ((target: string, init?: RequestInit) => {
      sent.push(new Request(target, init));
      return appFetch(target, init);
    }) as typeof fetch;
    const bought = await clientOf(payer, watching).fetch(url(), request(payer));
    const { order: placed, payment: paid } = await bodyOf(bought);
    expect([bought.status, paid.payer, paid.method]).toEqual([202, payer.address, "eip3009"]);
    expect(sent.map(({ headers }) => headers.get("authorization")?.split(" ")[0])).toEqual([
      undefined,
      "Payment",
    ]);
    const credential = Credential.deserialize(sent[1]?.headers.get("authorization") ?? "");
    const { payload, challenge } = credential as Credential.Credential<{ to: Address; value: string }>;
    expect(payload).toMatchObject({ to: placed.escrow.deposit_address, value: "2500000" });
    expect(challenge).toMatchObject({ method: "evm", intent: "charge", realm: "localhost:42069" });

    // The same credential gets the same order, and a receipt once the payment is in the escrow.
    const authorization = sent[1]?.headers.get("authorization") ?? "";
    const again = () =>
      market.api.app.request(url(), {
        ...request(payer),
        headers: { "content-type": "application/json", authorization },
      });
    expect((await bodyOf(await again())).order.id).toBe(placed.id);
    await indexer(market, await rowOf(market, placed.id)).funded();
    const settled = await again();
    expect((await bodyOf(settled)).order.id).toBe(placed.id);
    expect(Receipt.fromResponse(settled)).toMatchObject({ method: "evm", status: "success" });
    expect(await market.api.db.$count(order, eq(order.buyerAddress, payer.address))).toBe(1);
  });

  test("is offered its challenge only if it asks, within the headers that a proxy lets through", async () => {
    const body = { input_payload: input, buyer_address: newAccount().address };
    for (const accepted of [undefined, "tempo/charge", "evm/charge;q=0", "evm/session"]) {
      const headers: Record<string, string> = accepted === undefined ? {} : { "accept-payment": accepted };
      expect((await post(body, { headers })).headers.get("www-authenticate")).toBeNull();
    }
    for (const accepted of ["evm/charge", "tempo/charge, evm/charge;q=0.5", "*/*"]) {
      const { status, headers } = await post(body, { headers: { "accept-payment": accepted } });
      const [required = "", challenge = ""] = ["payment-required", "www-authenticate"].map(
        (name) => headers.get(name) ?? "",
      );
      expect([status, challenge.split(" ")[0]]).toEqual([402, "Payment"]);
      expect(required.length + challenge.length).toBeLessThan(3500);
    }
  });

  test("pays by x402 with the same program, where it gets no challenge of MPP", async () => {
    const payer = await newPayer();
    const silent = ((target: string, init?: RequestInit) => {
      const headers = new Headers(init?.headers);
      headers.delete("accept-payment");
      return appFetch(target, { ...init, headers });
    }) as typeof fetch;
    const bought = await clientOf(payer, silent).fetch(url(), request(payer));
    expect([bought.status, (await bodyOf(bought)).payment.payer]).toEqual([202, payer.address]);
  });

  test("is not read beside a payment of x402, which has bought", async () => {
    const { request: body, header } = await sign(await newPayer());
    const { order: placed } = expectStatus(202, await post(body, { headers: header }));
    await indexer(market, await rowOf(market, placed.id)).funded();
    const both = await post(body, { headers: { ...header, authorization: "Payment e30" } });
    expect(expectStatus(202, both).order.id).toBe(placed.id);
    expect(both.headers.get("payment-receipt")).toBeNull();
  });

  test("is refused for altered challenges, another payer, and a nonce of another challenge, and nothing is used", async () => {
    const payer = await newPayer();
    let credential = "";
    const catching = ((target: string, init?: RequestInit) => {
      credential = new Headers(init?.headers).get("authorization") ?? "";
      return credential ? Promise.resolve(new Response("{}")) : appFetch(target, init);
    }) as typeof fetch;
    await clientOf(payer, catching).fetch(url(), request(payer));
    const { challenge, payload } = JSON.parse(
      Buffer.from(credential.replace("Payment ", ""), "base64url").toString(),
    );
    const send = (changed: object) => {
      const authorization = `Payment ${Buffer.from(JSON.stringify(changed)).toString("base64url")}`;
      const headers = { "content-type": "application/json", authorization };
      return market.api.app.request(url(), { ...request(payer), headers });
    };
    const asked = JSON.parse(Buffer.from(challenge.request, "base64url").toString());
    const withRequest = (change: object) => ({
      payload,
      challenge: {
        ...challenge,
        request: Buffer.from(JSON.stringify({ ...asked, ...change })).toString("base64url"),
      },
    });
    const before = await countAll();
    for (const [changed, status] of [
      [{ challenge: { ...challenge, id: `${challenge.id.slice(0, -1)}x` }, payload }, 402],
      [{ challenge: { ...challenge, realm: "evil.example" }, payload }, 402],
      [{ challenge, payload: { ...payload, nonce: bytesToHex(randomBytes(32)) } }, 402],
      [{ challenge, payload: { ...payload, from: newAccount().address } }, 402],
      [{ challenge, payload: { ...payload, value: "1" } }, 402],
      [withRequest({ amount: "1" }), 402],
      [withRequest({ recipient: payer.address }), 402],
      [{ challenge: { ...challenge, method: "tempo" }, payload }, 400],
      [{ challenge }, 400],
    ] as const) {
      expect((await send(changed)).status, JSON.stringify(changed)).toBe(status);
    }
    expect(await countAll()).toEqual(before);
    expect((await send({ challenge, payload })).status).toBe(202);
  });
});

/**
 * The API as a stock client calls it, without a network. The request is read here: another file of this
 * process may have replaced the class `Request`, and the app takes any other object for a path.
 */
const appFetch = (async (target: string | Request, init?: RequestInit) => {
  const { url, method, headers, body } = target instanceof Object ? target : new Request(target, init);
  const sent = body === null ? null : await new Response(body).arrayBuffer();
  return market.api.app.request(url, { method, headers, body: sent });
}) as typeof fetch;

function acceptedOf(header: Record<string, string>) {
  return JSON.parse(Buffer.from(header["payment-signature"] ?? "", "base64").toString()).accepted;
}

async function readService(): Promise<Answer> {
  return market.api.request("GET", `/agents/${market.agent.slug}/services/${market.service.slug}`);
}

async function changeService(body: Record<string, unknown>): Promise<void> {
  const { agent, service, provider } = market;
  expectStatus(
    200,
    await market.api.request("PATCH", `/agents/${agent.slug}/services/${service.slug}`, {
      token: provider.token,
      body,
    }),
  );
}

/** The order of a buyer, once it exists. */
async function pollOrder(buyer: Address): Promise<string> {
  let found: string | undefined;
  await expect
    .poll(async () => {
      const [row] = await market.api.db
        .select({ id: order.id })
        .from(order)
        .where(eq(order.buyerAddress, buyer));
      found = row?.id;
      return found;
    })
    .toBeDefined();
  return found as string;
}
