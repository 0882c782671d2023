import { count, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agent } from "../../../db/schema.ts";
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
beforeAll(async () => {
  api = await createDocumentedApi();
  owner = await signIn(api);
  outsider = await signIn(api);
});
afterAll(() => api.close());

let made = 0;
const newSlug = () => `agent-${++made}`;
const create = (body: object, session = owner) =>
  api.request("POST", "/agents", { token: session.token, body });
const act = (slug: string, action: string, session = owner) =>
  api.request("POST", `/agents/${slug}/${action}`, { token: session.token });

async function createDraft(): Promise<string> {
  const slug = newSlug();
  expectStatus(201, await create({ slug, name: "An agent" }));
  return slug;
}

async function createPublished(): Promise<string> {
  const slug = await createDraft();
  const body = { address: owner.account.address };
  expectStatus(200, await api.request("PUT", `/agents/${slug}/payout-wallet`, { token: owner.token, body }));
  expectStatus(200, await act(slug, "publish"));
  return slug;
}

describe("POST /agents", () => {
  test("creates a draft with every field as given", async () => {
    const fields = {
      slug: newSlug(),
      name: "Translator",
      tagline: "Japanese and English",
      description: "Documents of any length.",
      website_url: "https://translator.example",
      avatar_url: "https://translator.example/face.png",
      api_endpoint: "https://translator.example/api",
    };
    const capabilities = { skills: ["translation"], languages: ["en", "ja"], protocols: ["mcp"] };
    const body = expectStatus(201, await create({ ...fields, capabilities }));
    expect(body).toEqual({
      ...fields,
      id: expect.stringMatching(/^agt_[0-9a-z]{26}$/),
      capabilities: { ...capabilities, input_modalities: [], output_modalities: [] },
      endpoint_health: {
        checked: false,
        last_checked_at: null,
        last_ok_at: null,
        reachable: null,
        status_code: null,
        latency_ms: null,
        tls_valid: null,
        body_is_json: null,
        consecutive_failures: null,
        availability_7d: null,
        checks_7d: null,
      },
      status: "draft",
      payout_wallet: null,
      completed_orders: 0,
      published_service_count: 0,
      erc8004: null,
      verified: { domain: null, erc8004: null, wallet: null },
      reputation: { score: null, orders: 0, on_time: null, rating: null, reviews: 0 },
      created_at: expect.any(String),
    });
  });

  test("needs only slug and name, and shows no endpoint_health without api_endpoint", async () => {
    const body = expectStatus(201, await create({ slug: newSlug(), name: "Bare" }));
    expect(body).toMatchObject({ tagline: null, api_endpoint: null, endpoint_health: null });
    expect(body.capabilities.skills).toEqual([]);
  });

  test.each([
    ["no slug", { name: "x" }, "/slug"],
    ["a slug with capitals", { slug: "Agent", name: "x" }, "/slug"],
    ["a slug with an underscore", { slug: "an_agent", name: "x" }, "/slug"],
    ["a slug that starts with a hyphen", { slug: "-agent", name: "x" }, "/slug"],
    ["a slug of 64", { slug: "a".repeat(64), name: "x" }, "/slug"],
    ["an empty slug", { slug: "", name: "x" }, "/slug"],
    ["no name", { slug: "a" }, "/name"],
    ["a name of blanks", { slug: "a", name: " " }, "/name"],
    ["an endpoint over http", { slug: "a", name: "x", api_endpoint: "http://a.example" }, "/api_endpoint"],
    ["an endpoint that is no URL", { slug: "a", name: "x", api_endpoint: "a.example" }, "/api_endpoint"],
    [
      "a website that is a script",
      { slug: "a", name: "x", website_url: "javascript:alert(1)" },
      "/website_url",
    ],
    [
      "skills in one string",
      { slug: "a", name: "x", capabilities: { skills: "all" } },
      "/capabilities/skills",
    ],
    ["a capability it does not know", { slug: "a", name: "x", capabilities: { looks: [] } }, "/capabilities"],
    ["a field it does not know", { slug: "a", name: "x", status: "published" }, ""],
  ])("is 400 for %s, with its path, and creates nothing", async (_, body, path) => {
    const [before] = await api.db.select({ rows: count() }).from(agent);
    const answer = await create(body);
    expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_request"]);
    expect(answer.body.error.details[0].path).toBe(path);
    expect(await api.db.select({ rows: count() }).from(agent)).toEqual([before]);
  });

  test("is 409 for a slug that any account uses, and for a reserved slug", async () => {
    const slug = await createDraft();
    for (const [session, wanted] of [
      [owner, slug],
      [outsider, slug],
      [owner, "mine"],
      [owner, "admin"],
    ] as const) {
      const { status, body } = await create({ slug: wanted, name: "Again" }, session);
      expect([status, body.error.code]).toEqual([409, "conflict"]);
      expect(body.error.details).toEqual([{ path: "/slug", keyword: "unique", message: "is taken" }]);
    }
  });

  test("creates one agent when two requests for a slug race", async () => {
    const slug = newSlug();
    const answers = await Promise.all(
      [owner, outsider, owner].map((session) => create({ slug, name: "x" }, session)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});

describe("GET /agents/mine", () => {
  test("is a plain array of the caller's agents, drafts included, newest first", async () => {
    const session = await signIn(api);
    const slugs = [newSlug(), newSlug()];
    for (const slug of slugs) expectStatus(201, await create({ slug, name: "x" }, session));
    expect(await mine(session)).toEqual(slugs.reverse());
  });

  test("omits retired agents, which `status=retired` lists", async () => {
    const session = await signIn(api);
    const [gone, stays] = [newSlug(), newSlug()];
    for (const slug of [gone, stays]) expectStatus(201, await create({ slug, name: "x" }, session));
    expectStatus(200, await act(gone, "retire", session));
    expect(await mine(session)).toEqual([stays]);
    expect(await mine(session, "?status=retired")).toEqual([gone]);
    expect(await mine(session, "?status=draft")).toEqual([stays]);
    expect((await api.request("GET", `/agents/${gone}`)).body.status).toBe("retired");
    expect((await api.request("GET", "/agents/mine?status=gone", session)).status).toBe(400);
  });

  const mine = async (session: Session, query = "") =>
    expectStatus(200, await api.request("GET", `/agents/mine${query}`, session)).map(
      ({ slug }: { slug: string }) => slug,
    );
});

describe("GET /agents/{slug}", () => {
  test("shows a draft to its owner only, in a session or with agents:read", async () => {
    const slug = await createDraft();
    const read = async (credentials: object) =>
      (await api.request("GET", `/agents/${slug}`, credentials)).status;
    expect(await read({ token: owner.token })).toBe(200);
    expect(await read({ apiKey: await createKey(api, owner, ["agents:read"]) })).toBe(200);
    expect(await read({})).toBe(404);
    expect(await read({ token: outsider.token })).toBe(404);
    expect(await read({ apiKey: await createKey(api, owner, ["orders:read"]) })).toBe(404);
  });

  test("shows a published, paused or retired agent to everybody", async () => {
    const slug = await createPublished();
    for (const [action, status] of [
      ["publish", "published"],
      ["pause", "paused"],
      ["retire", "retired"],
    ] as const) {
      expectStatus(200, await act(slug, action));
      expect((await api.request("GET", `/agents/${slug}`)).body.status).toBe(status);
    }
  });

  test.each(["nothing", "Not_A_Slug", "%F0%9F%A6%86", "..%2Fmine"])("is 404 for %s", async (slug) => {
    const { status, body } = await api.request("GET", `/agents/${slug}`);
    expect([status, body.error.code]).toEqual([404, "not_found"]);
  });

  test("counts the published services of the agent", async () => {
    const { agent: provider } = await publishService(api, owner);
    const { body } = await api.request("GET", `/agents/${provider.slug}`);
    expect(body.published_service_count).toBe(1);
    await api.request("POST", `/agents/${provider.slug}/services`, {
      token: owner.token,
      body: { slug: "draft", title: "A draft", price: "1", delivery_time_hours: 1 },
    });
    expect((await api.request("GET", `/agents/${provider.slug}`)).body.published_service_count).toBe(1);
  });
});

describe("PATCH /agents/{slug}", () => {
  const change = (slug: string, body: object, session = owner) =>
    api.request("PATCH", `/agents/${slug}`, { token: session.token, body });

  test("changes the fields that are given, clears those that are null, and keeps the rest", async () => {
    const slug = newSlug();
    await create({ slug, name: "Before", tagline: "a tagline", description: "a description" });
    const body = expectStatus(200, await change(slug, { name: "After", tagline: null }));
    expect(body).toMatchObject({ slug, name: "After", tagline: null, description: "a description" });
    expect((await api.request("GET", `/agents/${slug}`, owner)).body).toEqual(body);
  });

  test.each([
    ["a new slug", { slug: "other" }, ""],
    ["a status", { status: "published" }, ""],
    ["a name of null", { name: null }, "/name"],
    ["an endpoint over http", { api_endpoint: "http://x.example" }, "/api_endpoint"],
  ])("is 400 for %s, and changes nothing", async (_, body, path) => {
    const slug = await createDraft();
    const answer = await change(slug, { tagline: "changed", ...body });
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path]);
    expect((await api.request("GET", `/agents/${slug}`, owner)).body.tagline).toBeNull();
  });
});

describe("PUT /agents/{slug}/payout-wallet", () => {
  const put = (slug: string, body: object, session = owner) =>
    api.request("PUT", `/agents/${slug}/payout-wallet`, { token: session.token, body });

  test("accepts a verified wallet by its address, in any case, or by its id", async () => {
    const { address } = owner.account;
    const wallets = (await api.request("GET", "/auth/me/wallets", owner)).body.items;
    for (const body of [{ address }, { address: address.toLowerCase() }, { wallet_id: wallets[0].id }]) {
      const slug = await createDraft();
      expect(expectStatus(200, await put(slug, body)).payout_wallet).toBe(address);
    }
  });

  test("is 400 for a wallet of another account or of none", async () => {
    const slug = await createDraft();
    const wallets = (await api.request("GET", "/auth/me/wallets", outsider)).body.items;
    for (const [body, path] of [
      [{ address: outsider.account.address }, "/address"],
      [{ wallet_id: wallets[0].id }, "/wallet_id"],
      [{ address: "0x000000000000000000000000000000000000dEaD" }, "/address"],
      [{ address: "nowhere" }, "/address"],
      [{}, ""],
      [{ address: owner.account.address, wallet_id: wallets[0].id }, ""],
    ] as const) {
      const answer = await put(slug, body);
      expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path]);
    }
    expect((await api.request("GET", `/agents/${slug}`, owner)).body.payout_wallet).toBeNull();
  });
});

describe("POST /agents/{slug}/publish, pause, retire", () => {
  test("is 409 payout_wallet_required for an agent without one, which stays a draft", async () => {
    const slug = await createDraft();
    const { status, body } = await act(slug, "publish");
    expect([status, body.error.code]).toEqual([409, "payout_wallet_required"]);
    expect(body.error.message).toMatch(/PUT \/agents\/\{slug\}\/payout-wallet/);
    expect(body.error.details).toMatchObject([{ path: "/payout_wallet", keyword: "required" }]);
    expect((await api.request("GET", `/agents/${slug}`, owner)).body.status).toBe("draft");
  });

  const states = {
    draft: [],
    published: ["publish"],
    paused: ["publish", "pause"],
    retired: ["retire"],
  } as const;
  test.each([
    ["draft", "publish", 200, "published"],
    ["draft", "pause", 409, "draft"],
    ["draft", "retire", 200, "retired"],
    ["published", "publish", 200, "published"],
    ["published", "pause", 200, "paused"],
    ["published", "retire", 200, "retired"],
    ["paused", "publish", 200, "published"],
    ["paused", "pause", 200, "paused"],
    ["paused", "retire", 200, "retired"],
    ["retired", "publish", 409, "retired"],
    ["retired", "pause", 409, "retired"],
    ["retired", "retire", 200, "retired"],
  ] as const)("a %s agent, on %s: %i, and it is %s", async (from, action, status, after) => {
    const slug = await createDraft();
    const body = { address: owner.account.address };
    await api.request("PUT", `/agents/${slug}/payout-wallet`, { token: owner.token, body });
    for (const step of states[from]) expectStatus(200, await act(slug, step));
    const answer = await act(slug, action);
    expect(answer.status).toBe(status);
    if (status === 409) expect(answer.body.error.code).toBe("invalid_state");
    expect((await api.request("GET", `/agents/${slug}`, owner)).body.status).toBe(after);
  });

  test("keeps the time of the first publication", async () => {
    const slug = await createPublished();
    const readRow = async () => (await api.db.select().from(agent).where(eq(agent.slug, slug)))[0];
    const first = await readRow();
    await act(slug, "pause");
    await act(slug, "publish");
    expect((await readRow())?.publishedAt).toEqual(first?.publishedAt);
  });
});

describe("DELETE /agents/{slug}", () => {
  const remove = (slug: string, session = owner) => api.request("DELETE", `/agents/${slug}`, session);

  test("removes a draft with its services, and frees the slug", async () => {
    const slug = await createDraft();
    const body = { slug: "a-service", title: "x", price: "1", delivery_time_hours: 1 };
    expectStatus(201, await api.request("POST", `/agents/${slug}/services`, { token: owner.token, body }));
    const { id } = (await api.request("GET", `/agents/${slug}`, owner)).body;
    expect(expectStatus(200, await remove(slug))).toEqual({ id });
    expect((await api.request("GET", `/agents/${slug}`, owner)).status).toBe(404);
    expect((await remove(slug)).status).toBe(404);
    expectStatus(201, await create({ slug, name: "Another" }, outsider));
  });

  test("is 409 for an agent that was ever published, which stays", async () => {
    const slug = await createPublished();
    for (const action of ["publish", "pause", "retire"]) {
      expectStatus(200, await act(slug, action));
      const { status, body } = await remove(slug);
      expect([status, body.error.code]).toEqual([409, "invalid_state"]);
      expect(body.error.message).toContain(`POST /agents/${slug}/retire`);
    }
    expect((await api.request("GET", `/agents/${slug}`)).status).toBe(200);
  });
});

test("changes of another account's agent are 404, published or not, and change nothing", async () => {
  for (const slug of [await createDraft(), await createPublished()]) {
    const before = (await api.request("GET", `/agents/${slug}`, owner)).body;
    const body = { address: outsider.account.address };
    const { token } = outsider;
    const answers = [
      await api.request("PATCH", `/agents/${slug}`, { token, body: { name: "Taken" } }),
      await api.request("PUT", `/agents/${slug}/payout-wallet`, { token, body }),
      await act(slug, "publish", outsider),
      await act(slug, "pause", outsider),
      await act(slug, "retire", outsider),
      await api.request("DELETE", `/agents/${slug}`, { token }),
    ];
    expect(answers.map((answer) => [answer.status, answer.body.error.code])).toEqual(
      answers.map(() => [404, "not_found"]),
    );
    expect((await api.request("GET", `/agents/${slug}`, owner)).body).toEqual(before);
  }
});
