import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agent, service } from "../../../db/schema.ts";
import {
  type Answer,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi;
let owner: Session;
let agentPath: string;
let servicePath: string;
beforeAll(async () => {
  api = await createDocumentedApi();
  owner = await signIn(api);
});
afterAll(() => api.close());
beforeEach(async () => {
  const made = await publishService(api, owner);
  agentPath = `/agents/${made.agent.slug}`;
  servicePath = `${agentPath}/services/${made.service.slug}`;
});

const send = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
  api.request(method, path, { token: owner.token, headers, body });
const tagOf = (answer: Answer) => answer.headers.get("etag") ?? "";
const readTag = async (path: string) => tagOf(await send("GET", path));

/** Every write of an agent and of a service. */
const writes: { method: string; path: () => string; body?: () => object }[] = [
  { method: "PATCH", path: () => agentPath, body: () => ({ name: "Another name" }) },
  {
    method: "PUT",
    path: () => `${agentPath}/payout-wallet`,
    body: () => ({ address: owner.account.address }),
  },
  { method: "POST", path: () => `${agentPath}/publish` },
  { method: "POST", path: () => `${agentPath}/pause` },
  { method: "POST", path: () => `${agentPath}/retire` },
  { method: "DELETE", path: () => agentPath },
  { method: "PATCH", path: () => servicePath, body: () => ({ title: "Another title" }) },
  { method: "POST", path: () => `${servicePath}/publish` },
  { method: "POST", path: () => `${servicePath}/pause` },
  { method: "POST", path: () => `${servicePath}/retire` },
  { method: "POST", path: () => `${servicePath}/availability`, body: () => ({ available: false }) },
  { method: "DELETE", path: () => servicePath },
];

describe("ETag of agents and services", () => {
  test("is strong, and stays the same while nothing changes", async () => {
    for (const path of [agentPath, servicePath]) {
      const tag = await readTag(path);
      expect(tag).toMatch(/^"\d+\.[\w-]{22}"$/);
      expect(await readTag(path)).toBe(tag);
    }
  });

  test("comes with every write, and equals that of the next read", async () => {
    for (const [path, body] of [
      [agentPath, { tagline: "New" }],
      [servicePath, { summary: "New" }],
    ] as const) {
      const before = await readTag(path);
      const written = tagOf(await send("PATCH", path, {}, body));
      expect(written).not.toBe(before);
      expect(await readTag(path)).toBe(written);
    }
  });

  test("stays the same when a request asks for the current state", async () => {
    for (const path of [agentPath, servicePath]) {
      const before = await readTag(path);
      expect(tagOf(await send("POST", `${path}/publish`))).toBe(before);
    }
  });

  test("answers 304 without a body to its holder, and 200 to others", async () => {
    for (const path of [agentPath, servicePath]) {
      const tag = await readTag(path);
      for (const known of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
        const { status, body, headers } = await send("GET", path, { "if-none-match": known });
        expect([status, body, headers.get("etag")]).toEqual([304, "", tag]);
      }
      for (const other of ['"1.x"', tag.slice(1, -1), ""]) {
        expect((await send("GET", path, { "if-none-match": other })).status).toBe(200);
      }
    }
  });

  test("changes with a count, which blocks no write", async () => {
    const before = await readTag(agentPath);
    expectStatus(200, await send("POST", `${servicePath}/pause`));
    expect((await send("GET", agentPath, { "if-none-match": before })).status).toBe(200);
    expectStatus(200, await send("PATCH", agentPath, { "if-match": before }, { tagline: "New" }));
  });
});

describe("If-Match", () => {
  test("refuses every write with 412 after another change, and changes nothing", async () => {
    for (const { method, path, body } of writes) {
      const isService = path().startsWith(servicePath);
      const owned = isService ? servicePath : agentPath;
      const stale = await readTag(owned);
      expectStatus(200, await send("PATCH", owned, {}, isService ? { summary: "x" } : { tagline: "x" }));
      const now = await readTag(owned);
      for (const header of [stale, `W/${now}`, '"x"', "", stale.slice(1, -1)]) {
        const answer = await send(method, path(), { "if-match": header }, body?.());
        expect([path(), answer.status, answer.body.error.code]).toEqual([path(), 412, "precondition_failed"]);
      }
      expect(await readTag(owned)).toBe(now);
    }
  });

  test("accepts every write that names the current version", async () => {
    for (const { method, path, body } of writes.filter((write) => write.method !== "DELETE")) {
      if (path().endsWith("/retire")) continue;
      const owned = path().startsWith(servicePath) ? servicePath : agentPath;
      expectStatus(200, await send(method, path(), { "if-match": await readTag(owned) }, body?.()));
    }
    expectStatus(200, await send("DELETE", servicePath, { "if-match": await readTag(servicePath) }));
    expectStatus(200, await send("POST", `${agentPath}/retire`, { "if-match": await readTag(agentPath) }));
  });

  test("accepts an unchanged version, `*`, and a list that has the version", async () => {
    for (const path of [agentPath, servicePath]) {
      const body = path === agentPath ? { tagline: "x" } : { summary: "x" };
      const first = await readTag(path);
      const second = tagOf(await send("PATCH", path, { "if-match": first }, body));
      expectStatus(200, await send("PATCH", path, { "if-match": "*" }, body));
      const third = await readTag(path);
      expectStatus(200, await send("PATCH", path, { "if-match": `${first}, ${second}, ${third}` }, body));
    }
  });

  test("lets one of two writes to the same version through", async () => {
    for (const path of [agentPath, servicePath]) {
      const tag = await readTag(path);
      const answers = await Promise.all(
        ["one", "two", "three"].map((text) =>
          send(
            "PATCH",
            path,
            { "if-match": tag },
            path === agentPath ? { tagline: text } : { summary: text },
          ),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    }
  });

  test("does not reveal drafts of others: 404 comes first", async () => {
    const outsider = await signIn(api);
    const answer = await api.request("PATCH", agentPath, {
      token: outsider.token,
      headers: { "if-match": '"1.x"' },
      body: { tagline: "x" },
    });
    expect(answer.status).toBe(404);
  });

  test("does not change with a refused write", async () => {
    const slug = agentPath.slice("/agents/".length);
    const versions = async () => {
      const [row] = await api.db
        .select({ agent: agent.version, service: service.version })
        .from(agent)
        .innerJoin(service, eq(service.agentId, agent.id))
        .where(eq(agent.slug, slug));
      return row;
    };
    const before = await versions();
    expect((await send("PATCH", servicePath, {}, { pricing_model: "subscription" })).status).toBe(409);
    expect((await send("DELETE", agentPath)).status).toBe(409);
    expect(await versions()).toEqual(before);
  });
});
