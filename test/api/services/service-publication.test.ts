import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { service } from "../../../db/schema.ts";
import { expectStatus, publishService, type Session, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi;
let owner: Session;
/** A published agent of the owner. */
let agentPath: string;
beforeAll(async () => {
  api = await createDocumentedApi();
  owner = await signIn(api);
  agentPath = `/agents/${(await publishService(api, owner)).agent.slug}`;
});
afterAll(() => api.close());

let made = 0;
let path: string;
beforeEach(() => {
  path = `${agentPath}/services/service-${++made}`;
});
const send = (method: string, at: string, body?: object) =>
  api.request(method, at, { token: owner.token, body });
const create = (fields: object) =>
  send("POST", path.slice(0, path.lastIndexOf("/")), {
    slug: path.slice(path.lastIndexOf("/") + 1),
    title: "A service",
    delivery_time_hours: 24,
    ...fields,
  });

describe("publishing a service", () => {
  test.each([
    ["fixed", {}, ["/price"]],
    ["per_unit", { price_unit: "page" }, ["/price"]],
    ["hourly", {}, ["/price"]],
    ["subscription", {}, ["/price", "/interval"]],
    ["subscription", { price: "9" }, ["/interval"]],
    ["subscription", { interval: "month" }, ["/price"]],
  ])("of the model %s with %o names all missing fields: %j", async (pricing_model, fields, missing) => {
    expectStatus(201, await create({ pricing_model, ...fields }));
    const { status, body } = await send("POST", `${path}/publish`);
    expect([status, body.error.code]).toEqual([409, "service_incomplete"]);
    expect(body.error.details.map((violation: { path: string }) => violation.path)).toEqual(missing);
    expect((await send("GET", path)).body).toMatchObject({ status: "draft" });
  });

  test.each([
    ["fixed", { price: "1" }],
    ["per_unit", { price: "1" }],
    ["hourly", { price: "1" }],
    ["negotiated", {}],
    ["negotiated", { price: "1" }],
    ["subscription", { price: "1", interval: "week" }],
  ])("of the model %s with %o succeeds", async (pricing_model, fields) => {
    expectStatus(201, await create({ pricing_model, ...fields }));
    expect(expectStatus(200, await send("POST", `${path}/publish`)).status).toBe("published");
  });

  test("of a draft agent is 409 agent_not_published, with all other missing fields", async () => {
    const slug = `draft-${++made}`;
    expectStatus(201, await send("POST", "/agents", { slug, name: "A draft" }));
    path = `/agents/${slug}/services/one`;
    expectStatus(201, await create({ pricing_model: "subscription" }));
    const { status, body } = await send("POST", `${path}/publish`);
    expect([status, body.error.code]).toEqual([409, "agent_not_published"]);
    expect(body.error.details.map((violation: { path: string }) => violation.path)).toEqual([
      "/agent",
      "/price",
      "/interval",
    ]);
  });

  test("of a paused agent succeeds, and lists the service once the agent is resumed", async () => {
    const other = await publishService(api, owner);
    expectStatus(200, await send("POST", `/agents/${other.agent.slug}/pause`));
    path = `/agents/${other.agent.slug}/services/late`;
    expectStatus(201, await create({ price: "1" }));
    expectStatus(200, await send("POST", `${path}/publish`));
  });

  test("is 422 for a schema in the draft that the current rules refuse", async () => {
    const { id } = expectStatus(201, await create({ price: "1" }));
    await api.db
      .update(service)
      .set({ inputSchema: { type: "object", properties: { a: { pattern: "(?=x)" } } } })
      .where(eq(service.id, id));
    const { status, body } = await send("POST", `${path}/publish`);
    expect([status, body.error.code]).toEqual([422, "invalid_schema"]);
    expect(body.error.details[0].path).toBe("/input_schema/properties/a/pattern");
  });
});

describe("a published service", () => {
  test("cannot be changed to a state that could not be published", async () => {
    expectStatus(201, await create({ price: "1" }));
    const before = expectStatus(200, await send("POST", `${path}/publish`));
    const { status, body } = await send("PATCH", path, { pricing_model: "subscription" });
    expect([status, body.error.code]).toEqual([409, "service_incomplete"]);
    expect(body.error.details[0].path).toBe("/interval");
    expect((await send("GET", path)).body).toEqual(before);
    const changed = await send("PATCH", path, { pricing_model: "subscription", interval: "year" });
    expect(expectStatus(200, changed)).toMatchObject({ pricing_model: "subscription", interval: "year" });
  });

  test("that takes no orders for now stays listed, and shows that", async () => {
    expectStatus(201, await create({ price: "1" }));
    expectStatus(200, await send("POST", `${path}/publish`));
    const listed = async () => {
      const { items } = (await api.request("GET", `${agentPath}/services?limit=100`)).body;
      return items.find(({ slug }: { slug: string }) => path.endsWith(`/${slug}`));
    };
    for (const available of [false, true]) {
      const body = { available };
      expect(expectStatus(200, await send("POST", `${path}/availability`, body))).toMatchObject(body);
      expect(await listed()).toMatchObject({ status: "published", available });
    }
    expectStatus(200, await send("POST", `${path}/pause`));
    expect(await listed()).toBeUndefined();
  });

  test("that is retired leaves its owner's list, except with status=retired, and stays readable", async () => {
    expectStatus(201, await create({ price: "1" }));
    expectStatus(200, await send("POST", `${path}/retire`));
    const slugs = async (query: string) =>
      (await send("GET", `${agentPath}/services?limit=100${query}`)).body.items.map(
        ({ slug }: { slug: string }) => slug,
      );
    const slug = path.slice(path.lastIndexOf("/") + 1);
    expect(await slugs("")).not.toContain(slug);
    expect(await slugs("&status=retired")).toContain(slug);
    const open = await api.request("GET", `${agentPath}/services?status=retired`);
    expect(open.body.items).toEqual([]);
    expect((await api.request("GET", path)).body.status).toBe("retired");
  });
});
