import { afterAll, beforeAll, expect, test } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { createTestApi, type TestApi } from "../../harness/api.ts";

let api: TestApi;
beforeAll(async () => {
  api = await createTestApi({ env: { SECURITY_CONTACT: "mailto:security@market.example" } });
});
afterAll(() => api?.close());

test("llms.txt has links that all answer", async () => {
  const answer = await api.app.request("/llms.txt");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  const links = [...(await answer.text()).matchAll(/^- \[[^\]]+\]\(([^)]+)\): ./gm)].map(([, url]) =>
    String(url),
  );
  expect(links.length).toBeGreaterThan(8);
  const { publicUrl } = api.config;
  for (const link of links) {
    expect(link.startsWith(`${publicUrl}/`), link).toBe(true);
    const path = link.slice(publicUrl.length);
    // MCP answers to POST only.
    const expected = path === "/mcp" ? 405 : 200;
    expect((await api.app.request(path)).status, path).toBe(expected);
  }
});

test("the entry for the registry of MCP servers has a name of this host, and addresses that describe their access", async () => {
  const answer = await api.app.request("/.well-known/mcp/server.json");
  const entry = (await answer.json()) as {
    name: string;
    description: string;
    version: string;
    remotes: { url: string }[];
  };
  expect(entry.version).toBe(packageJson.version);
  expect(entry.name).toMatch(/^localhost\/[a-zA-Z0-9._-]+$/);
  expect(entry.description.length).toBeLessThanOrEqual(100);
  for (const { url } of entry.remotes) {
    const { pathname } = new URL(url);
    const metadata = await api.app.request(`/.well-known/oauth-protected-resource${pathname}`);
    expect(await metadata.json()).toMatchObject({ resource: url });
  }
});

test("security.txt names the operator's contact for half a year, and is missing without one", async () => {
  const answer = await api.app.request("/.well-known/security.txt");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  const text = await answer.text();
  const fields = new Map(
    [...text.matchAll(/^([A-Za-z-]+): (.+)$/gm)].map(([, name, value]) => [name, value]),
  );
  expect(fields.get("Contact")).toBe("mailto:security@market.example");
  expect(fields.get("Canonical")).toBe(`${api.config.publicUrl}/.well-known/security.txt`);
  const days = (Date.parse(String(fields.get("Expires"))) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(179);
  expect(days).toBeLessThan(366);

  const other = await createTestApi();
  try {
    expect((await other.app.request("/.well-known/security.txt")).status).toBe(404);
  } finally {
    await other.close();
  }
});
