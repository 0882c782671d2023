import { and, count, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agent, service } from "../../../db/schema.ts";
import {
  createKey,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi;
let owner: Session;
let outsider: Session;
/** A published agent of the owner. */
let slug: string;
beforeAll(async () => {
  api = await createDocumentedApi();
  owner = await signIn(api);
  outsider = await signIn(api);
  slug = (await publishService(api, owner)).agent.slug;
});
afterAll(() => api.close());

let made = 0;
const newSlug = () => `service-${++made}`;
const least = () => ({ slug: newSlug(), title: "A service", price: "2.50", delivery_time_hours: 24 });
const create = (body: object, session = owner, of = slug) =>
  api.request("POST", `/agents/${of}/services`, { token: session.token, body });
const act = (svc: string, action: string, body?: object, session = owner) =>
  api.request("POST", `/agents/${slug}/services/${svc}/${action}`, { token: session.token, body });
const read = (svc: string, session: Session | null = owner) =>
  api.request("GET", `/agents/${slug}/services/${svc}`, session ? { token: session.token } : {});
const change = (svc: string, body: object) =>
  api.request("PATCH", `/agents/${slug}/services/${svc}`, { token: owner.token, body });
const remove = (svc: string, session = owner) =>
  api.request("DELETE", `/agents/${slug}/services/${svc}`, { token: session.token });

const inputSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { text: { type: "string", minLength: 1, pattern: "^\\p{L}" } },
  required: ["text"],
};

/** Asserts that the request is refused and creates no service. */
async function expectNothingMade(attempt: () => ReturnType<typeof create>) {
  const [before] = await api.db.select({ rows: count() }).from(service);
  const answer = await attempt();
  expect(await api.db.select({ rows: count() }).from(service)).toEqual([before]);
  return answer;
}

const tokenNamed = (chain_id: number) => ({ chain_id, token: "0x90F79bf6EB2c4f870365E785982E1f101E93b906" });

describe("POST /agents/{slug}/services", () => {
  test("creates a draft with every field as given", async () => {
    const fields = {
      ...least(),
      summary: "In short",
      description: "At length",
      category: "translation",
      tags: ["japanese", "documents"],
      pricing_model: "per_unit",
      price: "0.000001",
      price_currency: "TUSD",
      price_unit: "page",
      interval: null,
      min_quantity: 2,
      max_quantity: 50,
      acceptance_hours: 48,
      arbiters: ["0x90F79bf6EB2c4f870365E785982E1f101E93b906"],
      input_schema: inputSchema,
      output_schema: { type: "object" },
      execution: { endpoint: "https://agent.example/orders?via=earnest", timeout_seconds: 300 },
    };
    const body = expectStatus(201, await create(fields));
    expect(body).toEqual({
      ...fields,
      session: null,
      stages: null,
      accepts: [
        {
          chain_id: 31_337,
          network_name: "Local chain",
          token: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
          symbol: "TUSD",
          decimals: 6,
          price: "0.000001",
          acceptance_hours: 48,
          arbiters: fields.arbiters,
        },
      ],
      answers_at_once: true,
      id: expect.stringMatching(/^svc_[0-9a-z]{26}$/),
      price_base_units: "1",
      status: "draft",
      available: true,
      buy_url: null,
      completed_order_count: 0,
      agent: {
        id: expect.stringMatching(/^agt_/),
        slug,
        name: "A test agent",
        verified: { domain: null, erc8004: null, wallet: null },
        score: null,
      },
      reputation: { score: null, orders: 0, on_time: null, rating: null, reviews: 0 },
      created_at: expect.any(String),
    });
    expect((await read(fields.slug)).body).toEqual(body);
  });

  test("takes a price in the currency that the default token is redeemed for", async () => {
    const fields = { slug: "dollars", title: "Dollars", price: "2.5", price_currency: "USD" };
    const body = expectStatus(201, await create({ ...fields, delivery_time_hours: 1 }));
    expect(body).toMatchObject({ price_currency: "USD", accepts: [{ symbol: "TUSD", price: "2.500000" }] });
  });

  test("sets the defaults of omitted fields", async () => {
    const body = expectStatus(201, await create(least()));
    expect(body).toMatchObject({
      pricing_model: "fixed",
      price: "2.500000",
      price_base_units: "2500000",
      price_currency: "TUSD",
      acceptance_hours: 72,
      min_quantity: 1,
      max_quantity: null,
      tags: [],
      category: null,
      input_schema: null,
      output_schema: null,
      execution: null,
      answers_at_once: false,
    });
  });

  test("stores category and tags in lower case, each tag once", async () => {
    const body = expectStatus(201, await create({ ...least(), category: " Legal ", tags: ["B", "a", "b "] }));
    expect(body).toMatchObject({ category: "legal", tags: ["b", "a"] });
  });

  test.each(["1", "1.5", "1.500000", "1.5000000000", "340282366920938463463374607431768.211455"])(
    "stores the price %s exactly",
    async (price) => {
      const body = expectStatus(201, await create({ ...least(), price }));
      const [whole, fraction = ""] = price.split(".");
      expect(body.price).toBe(`${whole}.${fraction.slice(0, 6).padEnd(6, "0")}`);
    },
  );

  test.each([
    ["finer than the token", "1.0000001"],
    ["of zero", "0"],
    ["of zero with decimals", "0.000000"],
    ["below zero", "-1"],
    ["with an exponent", "1e3"],
    ["with grouping", "1,000"],
    ["with a space", " 1"],
    ["without a whole part", ".5"],
    ["without a fraction after the point", "1."],
    ["in hex", "0x10"],
    ["with a leading zero", "01"],
    ["that is empty", ""],
    ["beyond what an escrow holds", "340282366920938463463374607431768.211456"],
    ["of a hundred digits", "1".repeat(100)],
    ["as a number", 2.5],
    ["of null", null],
  ])("is 400 for a price %s", async (_, price) => {
    const { status, body } = await expectNothingMade(() => create({ ...least(), price }));
    expect([status, body.error.code, body.error.details[0].path]).toEqual([400, "invalid_request", "/price"]);
  });

  test.each([
    ["no slug", { slug: undefined }, "/slug"],
    ["no title", { title: undefined }, "/title"],
    ["no delivery time", { delivery_time_hours: undefined }, "/delivery_time_hours"],
    ["a delivery time of none", { delivery_time_hours: 0 }, "/delivery_time_hours"],
    ["a delivery time beyond a year", { delivery_time_hours: 8761 }, "/delivery_time_hours"],
    ["a delivery time of half an hour", { delivery_time_hours: 0.5 }, "/delivery_time_hours"],
    ["an acceptance time of none", { acceptance_hours: 0 }, "/acceptance_hours"],
    ["an unknown pricing model", { pricing_model: "auction" }, "/pricing_model"],
    ["another currency", { price_currency: "EUR" }, "/price_currency"],
    ["an unknown token", { accepts: [tokenNamed(1)] }, "/accepts/0"],
    ["a token twice", { accepts: [tokenNamed(1), tokenNamed(1)] }, "/accepts"],
    ["nine tokens", { accepts: [1, 2, 3, 4, 5, 6, 7, 8, 9].map(tokenNamed) }, "/accepts"],
    ["a quantity of none", { min_quantity: 0 }, "/min_quantity"],
    ["most below least", { min_quantity: 3, max_quantity: 2 }, "/max_quantity"],
    ["a quantity beyond the database's", { max_quantity: 2 ** 31 }, "/max_quantity"],
    ["tags in one string", { tags: "a,b" }, "/tags"],
    ["a schema in text", { input_schema: "{}" }, "/input_schema"],
    ["a schema that is a list", { output_schema: [] }, "/output_schema"],
    ["a field it does not know", { currency: "TUSD" }, ""],
  ])("is 400 for %s, with its path", async (_, fields, path) => {
    const { status, body } = await expectNothingMade(() => create({ ...least(), ...fields }));
    expect([status, body.error.code, body.error.details[0].path]).toEqual([400, "invalid_request", path]);
  });

  test("is 422 invalid_schema with each violation in both schemas", async () => {
    const { status, body } = await expectNothingMade(() =>
      create({
        ...least(),
        input_schema: { type: "object", properties: { a: { type: "text" }, b: { minimum: "1" } } },
        output_schema: { type: "object", properties: { c: { pattern: "(?=x)" } } },
      }),
    );
    expect([status, body.error.code]).toEqual([422, "invalid_schema"]);
    expect(new Set(body.error.details.map(({ path }: { path: string }) => path))).toEqual(
      new Set([
        "/input_schema/properties/a/type",
        "/input_schema/properties/b/minimum",
        "/output_schema/properties/c/pattern",
      ]),
    );
  });

  test.each(["mine", "new", "search"])("is 409 for the reserved slug %s", async (reserved) => {
    const { status, body } = await expectNothingMade(() => create({ ...least(), slug: reserved }));
    expect([status, body.error.code, body.error.details[0].path]).toEqual([409, "conflict", "/slug"]);
  });

  test("is 409 for a slug that the agent uses, which stays free for another agent", async () => {
    const fields = least();
    expectStatus(201, await create(fields));
    const { status, body } = await expectNothingMade(() => create(fields));
    expect([status, body.error.code]).toEqual([409, "conflict"]);
    const other = await publishService(api, owner);
    expectStatus(201, await create(fields, owner, other.agent.slug));
  });

  test("creates one service when two requests for a slug race", async () => {
    const fields = least();
    const answers = await Promise.all([1, 2, 3].map(() => create(fields)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test("is 404 on another account's agent, and on an unknown one", async () => {
    for (const [session, of] of [
      [outsider, slug],
      [owner, "nobody"],
    ] as const) {
      const { status, body } = await expectNothingMade(() => create(least(), session, of));
      expect([status, body.error.code]).toEqual([404, "not_found"]);
    }
  });

  test("is 409 on a retired agent", async () => {
    const other = await publishService(api, owner);
    await api.request("POST", `/agents/${other.agent.slug}/retire`, { token: owner.token });
    const { status, body } = await expectNothingMade(() => create(least(), owner, other.agent.slug));
    expect([status, body.error.code]).toEqual([409, "invalid_state"]);
  });
});

describe("PATCH /agents/{slug}/services/{svc}", () => {
  test("changes the fields that are given, clears those that are null, and keeps the rest", async () => {
    const fields = { ...least(), summary: "short", input_schema: inputSchema, max_quantity: 5 };
    expectStatus(201, await create(fields));
    const body = expectStatus(
      200,
      await change(fields.slug, { price: "3", summary: null, input_schema: null }),
    );
    expect(body).toMatchObject({ price: "3.000000", summary: null, input_schema: null, title: fields.title });
    expect(body.max_quantity).toBe(5);
    expect((await read(fields.slug)).body).toEqual(body);
  });

  test.each([
    ["a price finer than the token", { price: "1.0000001" }, 400, "/price"],
    ["a price of null", { price: null }, 400, "/price"],
    ["least above the most that stands", { min_quantity: 6 }, 400, "/max_quantity"],
    ["most below the least that stands", { max_quantity: 1 }, 400, "/max_quantity"],
    ["a schema that is none", { output_schema: { required: "text" } }, 422, "/output_schema/required"],
    ["a new slug", { slug: "other" }, 400, ""],
  ])("refuses %s, and changes nothing", async (_, fields, status, path) => {
    const made = { ...least(), min_quantity: 2, max_quantity: 5 };
    const before = expectStatus(201, await create(made));
    const answer = await change(made.slug, { title: "Changed", ...fields });
    expect([answer.status, answer.body.error.details[0].path]).toEqual([status, path]);
    expect((await read(made.slug)).body).toEqual(before);
  });
});

describe("DELETE /agents/{slug}/services/{svc}", () => {
  test("removes a service that was never ordered", async () => {
    const fields = least();
    const { id } = expectStatus(201, await create(fields));
    expect(expectStatus(200, await remove(fields.slug))).toEqual({ id });
    expect((await read(fields.slug)).status).toBe(404);
    expect((await remove(fields.slug)).status).toBe(404);
  });

  test("is 409 with advice once an order names the service, which stays", async () => {
    const { agent: provider, service: offered } = await publishService(api, owner);
    const body = { service_id: offered.id };
    expectStatus(201, await api.request("POST", "/orders", { token: outsider.token, body }));
    const path = `/agents/${provider.slug}/services/${offered.slug}`;
    const answer = await api.request("DELETE", path, { token: owner.token });
    expect([answer.status, answer.body.error.code]).toEqual([409, "conflict"]);
    expect(answer.body.error.message).toContain(`POST ${path}/retire`);
    expectStatus(200, await api.request("POST", `${path}/retire`, { token: owner.token }));
    expect((await api.request("GET", path)).body.status).toBe("retired");
  });
});

describe("POST .../publish, pause, retire and availability", () => {
  const states = {
    draft: [],
    published: [["publish"]],
    paused: [["publish"], ["pause"]],
    retired: [["retire"]],
  } as const;
  const on = { available: true };
  const off = { available: false };
  test.each([
    ["draft", "publish", undefined, 200, "published"],
    ["draft", "retire", undefined, 200, "retired"],
    ["draft", "pause", undefined, 409, "draft"],
    ["published", "pause", undefined, 200, "paused"],
    ["paused", "pause", undefined, 200, "paused"],
    ["retired", "pause", undefined, 409, "retired"],
    ["draft", "availability", on, 409, "draft"],
    ["draft", "availability", off, 409, "draft"],
    ["published", "publish", undefined, 200, "published"],
    ["published", "retire", undefined, 200, "retired"],
    ["published", "availability", on, 200, "published"],
    ["published", "availability", off, 200, "published"],
    ["paused", "publish", undefined, 200, "published"],
    ["paused", "retire", undefined, 200, "retired"],
    ["paused", "availability", on, 200, "paused"],
    ["paused", "availability", off, 200, "paused"],
    ["retired", "publish", undefined, 409, "retired"],
    ["retired", "retire", undefined, 200, "retired"],
    ["retired", "availability", on, 409, "retired"],
    ["retired", "availability", off, 409, "retired"],
  ] as const)("a %s service, on %s with %o: %i, and it is %s", async (from, action, body, status, after) => {
    const fields = least();
    expectStatus(201, await create(fields));
    for (const [step] of states[from]) expectStatus(200, await act(fields.slug, step));
    const answer = await act(fields.slug, action, body);
    expect(answer.status).toBe(status);
    if (status === 409) expect(answer.body.error.code).toBe("invalid_state");
    expect((await read(fields.slug)).body.status).toBe(after);
  });

  test("is 400 for an availability that is no boolean", async () => {
    const fields = least();
    expectStatus(201, await create(fields));
    for (const body of [{}, { available: "true" }, { available: null }]) {
      const answer = await act(fields.slug, "availability", body);
      expect([answer.status, answer.body.error.details[0].path]).toEqual([400, "/available"]);
    }
  });

  test("is 409 for publishing a service of a retired agent", async () => {
    const other = await publishService(api, owner);
    const path = `/agents/${other.agent.slug}`;
    const { token } = owner;
    expectStatus(201, await create({ ...least(), slug: "late" }, owner, other.agent.slug));
    expectStatus(200, await api.request("POST", `${path}/retire`, { token }));
    const answer = await api.request("POST", `${path}/services/late/publish`, { token });
    expect([answer.status, answer.body.error.code]).toEqual([409, "invalid_state"]);
  });
});

describe("reading services", () => {
  test("shows a draft to its owner only, in a session or with services:read", async () => {
    const fields = least();
    expectStatus(201, await create(fields));
    const path = `/agents/${slug}/services/${fields.slug}`;
    const status = async (credentials: object) => (await api.request("GET", path, credentials)).status;
    expect(await status({ token: owner.token })).toBe(200);
    expect(await status({ apiKey: await createKey(api, owner, ["services:read"]) })).toBe(200);
    expect(await status({})).toBe(404);
    expect(await status({ token: outsider.token })).toBe(404);
    expect(await status({ apiKey: await createKey(api, owner, ["agents:read"]) })).toBe(404);
  });

  test("hides the services of a draft agent from all but its owner", async () => {
    const draft = `draft-${newSlug()}`;
    const { token } = owner;
    expectStatus(201, await api.request("POST", "/agents", { token, body: { slug: draft, name: "x" } }));
    const fields = least();
    expectStatus(201, await create(fields, owner, draft));
    const path = `/agents/${draft}/services`;
    expect((await api.request("GET", `${path}/${fields.slug}`)).status).toBe(404);
    expect((await api.request("GET", path)).status).toBe(404);
    expect((await api.request("GET", `${path}/${fields.slug}`, { token })).status).toBe(200);
    expect((await api.request("GET", path, { token })).body.total).toBe(1);
  });

  test("lists the published ones to everybody, and all of them to the owner, without schemas", async () => {
    const { agent: provider } = await publishService(api, owner, { input_schema: inputSchema });
    expectStatus(201, await create({ ...least(), slug: "draft" }, owner, provider.slug));
    const path = `/agents/${provider.slug}/services`;
    const slugs = ({ body }: { body: { items: { slug: string }[] } }) => body.items.map((item) => item.slug);
    const open = await api.request("GET", path);
    expect(slugs(open)).toEqual(["a-service"]);
    expect(open.body).toMatchObject({ total: 1, limit: 20, offset: 0, next_cursor: null });
    expect(open.body.items[0]).not.toHaveProperty("input_schema");
    expect(slugs(await api.request("GET", path, outsider))).toEqual(["a-service"]);
    expect(slugs(await api.request("GET", path, owner))).toEqual(["draft", "a-service"]);
    const first = await api.request("GET", `${path}?limit=1`, owner);
    expect(slugs(first)).toEqual(["draft"]);
    const second = await api.request("GET", `${path}?limit=1&cursor=${first.body.next_cursor}`, owner);
    expect(slugs(second)).toEqual(["a-service"]);
    expect(second.body.next_cursor).toBeNull();
  });

  test("is 404 for an unknown agent or service", async () => {
    for (const path of [
      "/agents/nobody/services",
      "/agents/nobody/services/nothing",
      `/agents/${slug}/services/nothing`,
      `/agents/${slug}/services/Not_A_Slug`,
    ]) {
      const { status, body } = await api.request("GET", path);
      expect([status, body.error.code]).toEqual([404, "not_found"]);
    }
  });
});

describe("the endpoint of executions", () => {
  const endpoint = "https://agent.example/orders";

  test("is visible and writable to its owner only; others see that the service answers at once", async () => {
    const fields = { ...least(), execution: { endpoint } };
    const created = expectStatus(201, await create(fields));
    expect(created.execution).toEqual({ endpoint, timeout_seconds: 30 });
    const published = expectStatus(200, await act(fields.slug, "publish"));
    expect(published.execution).toEqual(created.execution);
    const list = () => api.request("GET", `/agents/${slug}/services?limit=100`, { token: owner.token });
    for (const session of [outsider, null]) {
      const { body, headers } = await read(fields.slug, session);
      expect([body.answers_at_once, body.execution]).toEqual([true, null]);
      expect(headers.get("etag")).not.toBe((await read(fields.slug)).headers.get("etag"));
      expect(JSON.stringify([body, (await list()).body])).not.toContain(endpoint);
    }
    const later = { endpoint: `${endpoint}/2`, timeout_seconds: 5 };
    expect(expectStatus(200, await change(fields.slug, { execution: later })).execution).toEqual(later);
    expect(expectStatus(200, await change(fields.slug, { title: "Another" })).execution).toEqual(later);
    const cleared = expectStatus(200, await change(fields.slug, { execution: null }));
    expect([cleared.execution, cleared.answers_at_once]).toEqual([null, false]);
  });

  test.each([
    "http://agent.example/orders",
    "https://10.0.0.1/orders",
    "https://[::ffff:10.0.0.1]/orders",
    "https://user:secret@agent.example/orders",
    "https://agent.example:6379/",
    "https://agent.internal/",
    "ftp://agent.example/",
    "not a url",
  ])("is refused as %s", async (url) => {
    const answer = await expectNothingMade(() => create({ ...least(), execution: { endpoint: url } }));
    expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_request"]);
    expect(answer.body.error.details[0].path).toBe("/execution/endpoint");
  });

  test.each([0, 301, 1.5])("refuses a timeout of %s seconds", async (timeout_seconds) => {
    const execution = { endpoint, timeout_seconds };
    expect((await expectNothingMade(() => create({ ...least(), execution }))).status).toBe(400);
  });
});

describe("every change of a service", () => {
  let fields: ReturnType<typeof least>;
  beforeEach(async () => {
    fields = least();
    expectStatus(201, await create(fields));
  });

  test("is 404 for other accounts, and changes nothing", async () => {
    const before = (await read(fields.slug)).body;
    const { token } = outsider;
    const path = `/agents/${slug}/services/${fields.slug}`;
    const answers = [
      await api.request("PATCH", path, { token, body: { title: "Taken" } }),
      await remove(fields.slug, outsider),
      await act(fields.slug, "publish", undefined, outsider),
      await act(fields.slug, "pause", undefined, outsider),
      await act(fields.slug, "retire", undefined, outsider),
      await act(fields.slug, "availability", { available: true }, outsider),
    ];
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      answers.map(() => [404, "not_found"]),
    );
    expect((await read(fields.slug)).body).toEqual(before);
  });

  test("applies to the agent in the path, not to the same slug of another", async () => {
    const mine = await publishService(api, outsider);
    const answer = await api.request("PATCH", `/agents/${mine.agent.slug}/services/${fields.slug}`, {
      token: outsider.token,
      body: { title: "Taken" },
    });
    expect(answer.status).toBe(404);
    const [row] = await api.db
      .select({ title: service.title })
      .from(service)
      .innerJoin(agent, eq(agent.id, service.agentId))
      .where(and(eq(agent.slug, slug), eq(service.slug, fields.slug)));
    expect(row?.title).toBe("A service");
  });
});
