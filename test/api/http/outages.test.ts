import { sql } from "drizzle-orm";
import { HttpRequestError } from "viem";
import { afterEach, describe, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createContext } from "../../../api/context.ts";
import { findOutage } from "../../../api/http/outages.ts";
import { OverdueError } from "../../../db/commit-outcome.ts";
import { expectStatus, publishService, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

describe("while the database is out of reach", () => {
  test("every answer is 503 dependency_unavailable, without the cause", async () => {
    api = await createDocumentedApi();
    // No process listens there.
    const databaseUrl = "postgres://earnest:secret@127.0.0.1:9/earnest";
    const context = createContext({ ...api.config, databaseUrl });
    const app = createApp(context);
    for (const path of ["/api/v1/marketplace/services", "/api/v1/agents/some-agent"]) {
      const response = await app.request(path);
      expect(response.status).toBe(503);
      const text = await response.text();
      expect(JSON.parse(text).error).toMatchObject({
        code: "dependency_unavailable",
        message: "The database cannot be reached. Try again.",
      });
      expect(text).not.toMatch(/secret|127\.0\.0\.1|ECONN/);
    }
    await context.db.$client.end();
  });

  test("requests succeed again once it is back, after every connection was cut", async () => {
    api = await createDocumentedApi();
    const { request, db } = api;
    const busy = () => Promise.all(Array.from({ length: 10 }, () => request("GET", "/categories")));
    await busy();
    const cut = await db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
    expect(cut.rowCount).toBeGreaterThan(0);
    await expect.poll(async () => (await busy()).map(({ status }) => status)).toEqual(Array(10).fill(200));
  });
});

test("an order's routes are 503 while the chain index is not built, and the rest works", async () => {
  api = await createDocumentedApi();
  const provider = await signIn(api);
  const buyer = await signIn(api);
  const { service } = await publishService(api, provider);
  const body = { service_id: service.id };
  const placed = expectStatus(201, await api.request("POST", "/orders", { token: buyer.token, body }));
  await api.db.execute(sql`drop schema idx cascade`);
  const { status, body: answered } = await api.request("GET", `/orders/${placed.id}`, buyer);
  expect([status, answered.error.code]).toEqual([503, "dependency_unavailable"]);
  expect(answered.error.message).toBe("The index of the chain is not built yet. Try again later.");
  expectStatus(200, await api.request("GET", "/marketplace/services"));
});

test("an unexpected error is 500 internal_error, without details", async () => {
  api = await createDocumentedApi();
  // A missing table of the service is no outage.
  await api.db.execute(sql`drop table earnest.offer_tally cascade`);
  const { status, body } = await api.request("GET", "/categories");
  expect(status).toBe(500);
  expect(body.error).toEqual({
    code: "internal_error",
    message: "Something went wrong on our side. Quote the request id when you report it.",
    request_id: expect.stringMatching(/^req_/),
  });
});

describe("findOutage", () => {
  const coded = (code: string, message = "x") => Object.assign(new Error(message), { code });

  test.each([
    coded("CONNECTION_CLOSED"),
    coded("CONNECT_TIMEOUT"),
    coded("ECONNREFUSED"),
    coded("57P01"),
    coded("57P03"),
    coded("25006", "cannot execute pg_current_xact_id() during recovery"),
    coded("53100", "could not extend file: No space left on device"),
    coded("53300"),
    coded("40P01"),
    coded("08006"),
    coded("42P01", 'relation "idx.escrow" does not exist'),
    coded("3F000", 'schema "idx" does not exist'),
    new HttpRequestError({ url: "http://127.0.0.1:9" }),
    new OverdueError(),
  ])("recognises $code $name", (error) => {
    expect(findOutage(error)?.code).toBe("dependency_unavailable");
  });

  test.each([
    coded("23505", "duplicate key value violates unique constraint"),
    coded("42P01", 'relation "earnest.service" does not exist'),
    coded("22021"),
    new Error("connection refused"),
    "ECONNREFUSED",
    null,
  ])("ignores %s", (error) => {
    expect(findOutage(error)).toBeNull();
  });
});
