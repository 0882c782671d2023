import { Hono } from "hono";
import { cors } from "hono/cors";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { type Session, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi;
let owner: Session;
beforeAll(async () => {
  api = await createDocumentedApi();
  owner = await signIn(api);
});
afterAll(() => api.close());

describe("every answer", () => {
  test.each([
    ["a list", "GET", "/categories", 200],
    ["a refusal", "GET", "/me", 401],
    ["what is not there", "GET", "/nothing", 404],
    ["a method that is not taken", "PUT", "/me", 405],
    ["a body that is refused", "POST", "/auth/nonce", 400],
  ])("forbids framing and foreign scripts: %s", async (_, method, path, status) => {
    const answer = await api.request(method, path);
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cross-origin-resource-policy": "cross-origin",
    });
  });

  test("is cached nowhere when it is to a token, to a write, or a refusal", async () => {
    const { token } = owner;
    for (const answer of [
      await api.request("GET", "/me", { token }),
      await api.request("GET", "/categories", { apiKey: "esk_unknown" }),
      await api.request("POST", "/auth/nonce", {
        body: { address: owner.account.address, chain_id: 31_337 },
      }),
      await api.request("GET", "/nothing"),
    ]) {
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
    // Public answers may be cached, and are revalidated before each use.
    const open = await api.request("GET", "/categories");
    expect(open.headers.get("cache-control")).toBe("public, no-cache");
  });

  test("keeps the headers that its route sets", async () => {
    const script = await api.request("GET", "/receipt-page.js", { token: owner.token });
    expect(script.headers.get("cache-control")).toBe("public, max-age=300");
  });

  test("is the same on Ponder's server, which opens its own routes to every origin", async () => {
    const onPonder = new Hono().use(cors({ origin: "*", maxAge: 86_400 })).route("/", createApp(api.context));
    for (const path of ["/api/v1/categories", "/api/v1/me", "/api/v1/nothing", "/mcp", "/nothing", "/"]) {
      const [alone, attached] = await Promise.all([api.app.request(path), onPonder.request(path)]);
      const of = ({ status, headers }: Response) => {
        const { "x-request-id": _, ...others } = Object.fromEntries(headers);
        return { status, headers: others };
      };
      expect([path, of(attached)]).toEqual([path, of(alone)]);
      expect([path, alone.headers.get("access-control-allow-origin")]).toEqual([
        path,
        path.startsWith("/api/") ? "*" : null,
      ]);
    }
  });

  test("enforces https in browsers where the service is reached by https only", async () => {
    const config = { ...api.config, publicUrl: "https://earnest.example" };
    const secure = createApp({ ...api.context, config });
    const answer = await secure.request("/api/v1/categories");
    expect(answer.headers.get("strict-transport-security")).toBe("max-age=31536000");
    const plain = await api.request("GET", "/categories");
    expect(plain.headers.get("strict-transport-security")).toBeNull();
  });
});

describe("a page of another origin", () => {
  const origin = "https://console.example";

  test("reads public answers and their headers, without the browser's credentials", async () => {
    const { headers } = await api.request("GET", "/categories", { headers: { origin } });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    const exposed = headers.get("access-control-expose-headers")?.split(",");
    expect(exposed).toEqual(expect.arrayContaining(["PAYMENT-REQUIRED", "Retry-After", "X-Request-ID"]));
  });

  test("reads a refusal too", async () => {
    const { headers } = await api.request("GET", "/me", { headers: { origin } });
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  test("may send a token and an Idempotency-Key", async () => {
    const response = await api.app.request("/api/v1/orders", {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,idempotency-key",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-methods")).toContain("POST");
    expect(response.headers.get("access-control-allow-headers")).toContain("idempotency-key");
  });

  test("cannot read the metrics", async () => {
    const response = await api.app.request("/metrics/earnest", { headers: { origin } });
    expect(response.status).toBe(404);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });
});
