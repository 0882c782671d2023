import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  Earnest,
  EarnestError,
  errorCodes,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  type RequestReport,
  UnprocessableError,
} from "../src/index.ts";
import { publishService, startService, type TestService } from "./service.fixture.ts";

let service: TestService;
let client: Earnest;
let serviceId: string;

beforeAll(async () => {
  service = await startService();
  const provider = await service.signedIn();
  serviceId = (await publishService(provider)).id;
  client = (await service.signedIn()).client;
});
afterAll(() => service.close());
beforeEach(() => {
  service.faults.length = 0;
});

const failureOf = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => {
      throw new Error("It was not refused.");
    },
    (error: unknown) => error as ApiError,
  );

const unknownOrder = "ord_01jd3w8x2mfhz8w9q4t6n5k7ra";

describe("a refusal is an error of its class, with all that the service says", () => {
  test("404", async () => {
    const failure = await failureOf(client.orders.get(unknownOrder));
    expect(failure).toBeInstanceOf(NotFoundError);
    expect(failure).toMatchObject({ name: "NotFoundError", status: 404, code: "not_found", attempts: 1 });
    expect(failure.requestId).toMatch(/^req_[0-9a-f]{32}$/);
    expect(failure.requestId).toBe(failure.headers.get("x-request-id"));
    expect(failure.message).toContain(failure.requestId);
    expect(failure.idempotencyKey).toBeNull();
  });

  test("400, with the place of what is wrong", async () => {
    const failure = await failureOf(client.orders.place({ service_id: serviceId, quantity: 0 }));
    expect(failure).toBeInstanceOf(BadRequestError);
    expect(failure).toMatchObject({ code: "invalid_request", details: [{ path: "/quantity" }] });
    expect(failure.message).toContain("/quantity: ");
    expect(failure.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
  });

  test("401, without a token and with a wrong one", async () => {
    for (const options of [{}, { apiKey: "esk_wrong" }]) {
      const failure = await failureOf(service.client(options).me());
      expect(failure).toBeInstanceOf(AuthenticationError);
      expect(failure.code).toBe("unauthenticated");
    }
  });

  test("403, for a key without the scope", async () => {
    const { token } = await client.apiKeys.create({ name: "reads", scopes: ["orders:read"] });
    const reader = service.client({ apiKey: token });
    expect((await reader.me()).auth.scopes).toEqual(["orders:read"]);
    const failure = await failureOf(reader.orders.place({ service_id: serviceId }));
    expect(failure).toBeInstanceOf(PermissionDeniedError);
    expect(failure.code).toBe("insufficient_scope");
    expect(failure.message).toContain("orders:write");
  });

  test("409 and 422", async () => {
    const order = await client.orders.place({ service_id: serviceId }, { idempotencyKey: "errors-1" });
    expect(await failureOf(client.receipts.getFinal(order.id))).toBeInstanceOf(ConflictError);
    const failure = await failureOf(
      client.orders.place({ service_id: serviceId, quantity: 1 }, { idempotencyKey: "errors-1" }),
    );
    expect(failure).toBeInstanceOf(UnprocessableError);
    expect(failure).toMatchObject({ code: "idempotency_mismatch", idempotencyKey: "errors-1" });
  });

  test("402, with x402's document of what to pay", async () => {
    const order = await client.orders.place({ service_id: serviceId, settlement_rail: "x402" });
    const failure = await failureOf(client.orders.pay(order.id));
    expect(failure).toBeInstanceOf(PaymentRequiredError);
    expect(failure.code).toBe("payment_required");
    expect((failure as PaymentRequiredError).paymentRequired).toMatchObject({
      x402Version: 2,
      accepts: [{ amount: "2500000" }],
    });
  });

  test("something else than the service answered", async () => {
    service.faults.push({ status: 418, headers: { "content-type": "text/html" }, body: "<h1>tea</h1>" });
    const failure = await failureOf(client.me());
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ status: 418, code: "unknown", body: "<h1>tea</h1>", details: [] });
  });

  test("a redirect is not followed: the token stays here", async () => {
    service.faults.push({ status: 302, headers: { location: "https://example.org/" } });
    expect(await failureOf(client.me())).toMatchObject({ status: 302, code: "unknown" });
  });

  test("nobody is there", async () => {
    const nobody = new Earnest({ baseUrl: "http://127.0.0.1:59999", maxRetries: 0 });
    const failure = await failureOf(nobody.chain.getStatus());
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toBeInstanceOf(EarnestError);
    expect(failure.message).toContain("ECONNREFUSED");
  });

  test("every code that the service has is known", async () => {
    const page = await client.request<string>({ verb: "GET", path: "/openapi.json" });
    const { components } = page as unknown as { components: { schemas: Record<string, { enum: string[] }> } };
    expect([...errorCodes]).toEqual(components.schemas.ErrorCode?.enum);
  });
});

describe("one call", () => {
  test("has options of its own, and tells its raw response", async () => {
    service.seen.length = 0;
    const { data, response } = await client.marketplace
      .searchServices({ q: "test", limit: 1 }, { headers: { "X-Mine": "yes" } })
      .withResponse();
    expect(data.items[0]?.id).toBe(serviceId);
    expect(response).toMatchObject({ status: 200, attempts: 1, idempotencyKey: null });
    expect(JSON.parse(response.text).total).toBe(data.body.total);
    expect(response.headers.get("ratelimit")).toBeNull();
    const headers = service.seen[0]?.headers ?? {};
    expect(service.seen[0]?.path).toBe("/api/v1/marketplace/services?q=test&limit=1");
    expect(headers["x-mine"]).toBe("yes");
    expect(headers["user-agent"]).toMatch(
      /^earnest-client-typescript\/\d+\.\d+\.\d+-rc\.\d+ \(Node\.js\/\d+/,
    );
    expect(headers.authorization).toBeUndefined();
  });

  test("changes only what nobody changed since, by If-Match", async () => {
    const owner = await service.signedIn();
    await publishService(owner);
    const [agent] = (await owner.client.agents.listMine()).items;
    const slug = agent?.slug ?? "";
    const { response } = await owner.client.agents.get(slug).withResponse();
    const ifMatch = response.headers.get("etag") ?? "";
    expect((await owner.client.agents.update(slug, { name: "First" }, { ifMatch })).name).toBe("First");
    const failure = await failureOf(owner.client.agents.update(slug, { name: "Second" }, { ifMatch }));
    expect(failure).toMatchObject({ status: 412, code: "precondition_failed" });
  });

  test("for a table at the root of the service, and one that no method makes: an answer without a body", async () => {
    const csv = await client.payments.export();
    expect(csv.split("\n")[0]).toContain("order_id");
    const owner = await service.signedIn();
    await publishService(owner);
    const slug = (await owner.client.agents.listMine()).items[0]?.slug;
    const etag =
      (await owner.client.agents.get(slug ?? "").withResponse()).response.headers.get("etag") ?? "";
    const { data, response } = await owner.client
      .request({ verb: "GET", path: `/agents/${slug}`, headers: { "if-none-match": etag } })
      .withResponse();
    expect([data, response.status]).toEqual([undefined, 304]);
  });

  test("for a file: its bytes, unchanged, and an error if the service refuses it", async () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, at) => at % 256);
    const answers = [
      new Response(bytes, { headers: { "content-type": "application/pdf" } }),
      Response.json(
        { error: { code: "not_settled", message: "Later.", request_id: "req_1" } },
        { status: 409 },
      ),
    ];
    const reader = new Earnest({
      baseUrl: service.baseUrl,
      apiKey: "esk_1",
      fetch: async () => answers.shift() as Response,
    });
    expect(await reader.orders.exportInvoice("ord_1")).toEqual(bytes);
    expect(await failureOf(reader.orders.exportInvoice("ord_1"))).toMatchObject({ code: "not_settled" });
  });

  test("is told to hooks, without its token", async () => {
    const reports: [string, RequestReport][] = [];
    const hooked = service.client({
      apiKey: async () => "esk_secret",
      hooks: {
        onRequest: (report) => reports.push(["request", report]),
        onResponse: (report) => reports.push(["response", report]),
        onRetry: (report) => reports.push(["retry", report]),
      },
    });
    service.faults.push({ status: 503 });
    await failureOf(hooked.me());
    expect(reports.map(([what, { operation, attempt }]) => [what, operation, attempt])).toEqual([
      ["request", "readMe", 1],
      ["response", "readMe", 1],
      ["retry", "readMe", 1],
      ["request", "readMe", 2],
      ["response", "readMe", 2],
    ]);
    expect(JSON.stringify(reports)).not.toContain("esk_secret");
  });

  test("names a resource by what cannot become another path", async () => {
    for (const id of ["", ".", ".."]) expect(() => client.orders.get(id)).toThrow(TypeError);
    service.seen.length = 0;
    await failureOf(client.agents.get("../orders?limit=1"));
    expect(service.seen.map(({ path }) => path)).toEqual(["/api/v1/agents/..%2Forders%3Flimit%3D1"]);
  });

  test("a client is not made of two tokens, nor of an address that is none", () => {
    const { baseUrl } = service;
    expect(() => new Earnest({ baseUrl, apiKey: "a", accessToken: "b" })).toThrow("not both");
    expect(() => new Earnest({ baseUrl: "ftp://example.org" })).toThrow("http or https");
    expect(() => new Earnest({ baseUrl: "https://user:secret@example.org" })).toThrow("http or https");
  });
});
