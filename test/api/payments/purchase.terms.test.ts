import { decodePaymentRequiredHeader } from "@x402/core/http";
import { parsePaymentRequired } from "@x402/core/schemas";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { validateDiscoveryExtension } from "@x402/extensions/bazaar";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deriveDeposit } from "../../../protocol/settlement/deposit.ts";
import { digestOf } from "../../../protocol/settlement/digest.ts";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { type Answer, expectStatus, publishService } from "../../harness/api.ts";
import { newAccount } from "../../harness/market/payments.ts";
import { headerOf, input, openPurchases, type Purchases } from "../../harness/market/purchases.ts";

let market: Purchases["market"];
let path: string;
let newPayer: Purchases["newPayer"];
let sign: Purchases["sign"];
let countAll: Purchases["countAll"];
let appFetch: Purchases["appFetch"];
let readService: Purchases["readService"];
let post: Purchases["post"];
beforeAll(async () => {
  ({ market, path, newPayer, sign, countAll, appFetch, readService, post } = await openPurchases());
});
afterAll(() => market?.close());

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
      pricing_model: "metered",
      price: "0.50",
      price_unit: "page",
      min_quantity: 3,
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
      title: `${index}`.padEnd(longest.title, "x"),
      amount: "0.125",
      hours: 2,
      output_schema: { type: "object", description: "d".repeat(1000) },
    }));
    const staged = await publishService(market.api, market.provider, { stages, delivery_time_hours: 40 });
    const at = `/buy/${staged.agent.slug}/${staged.service.slug}`;
    const { request, terms, header } = await sign(await newPayer(), { at });
    const agreed = stages.map(({ title, hours, output_schema }) => ({
      title,
      hours,
      amount_base_units: "125000",
      output_schema_digest: digestOf(output_schema),
    }));
    expect(terms.agreement.stages).toEqual(agreed);
    expect(terms.accepts[0]).toMatchObject({
      amount: "2500000",
      payTo: deriveDeposit(terms.agreement).depositAddress,
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
      pricing_model: "per_call",
      price: "0.001",
      max_quantity: 5_000,
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
