import { readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPage } from "../../../console/src/paths.ts";
import { createTestApi, type TestApi } from "../../harness/api.ts";

let api: TestApi;
beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api.close());

const codeOf = (body: unknown) => (body as { error: { code: string } }).error.code;
const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

describe("the address of the service", () => {
  test("is the console, and reads as a page without JavaScript; each link works", async () => {
    const answer = await api.app.request("/", { headers: browser });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=UTF-8");
    const page = await answer.text();
    expect(page).toContain("This console needs JavaScript.");
    const links = [...page.matchAll(/<a href="\.([^"]+)"/g)].map(([, link]) => String(link));
    expect(links).toHaveLength(5);
    for (const link of links) expect((await api.app.request(link)).status, link).toBe(200);
  });

  test("names the chain and the issuer in the page", async () => {
    const page = await (await api.app.request("/")).text();
    const [, content = ""] = /<meta name="earnest" content="([^"]*)">/.exec(page) ?? [];
    expect(JSON.parse(content.replaceAll("&quot;", '"'))).toEqual({
      demo: true,
      issuer: "did:web:localhost%3A42069",
      chain_id: 31_337,
      chains: [
        {
          chain_id: 31_337,
          network_name: "Local chain",
          escrow_contract: expect.stringMatching(/^0x/),
          passkey_factory: expect.stringMatching(/^0x/),
          rpc_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
          retired_tokens: [],
          tokens: [
            {
              address: expect.stringMatching(/^0x/),
              symbol: "TUSD",
              decimals: 6,
              name: "Test USD",
              version: "1",
              currency: "USD",
            },
          ],
        },
      ],
    });
  });

  test("runs only its own scripts, is never framed and sends data nowhere else", async () => {
    const policy = (await api.app.request("/")).headers.get("content-security-policy")?.split("; ");
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      "worker-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self' http://localhost:42069",
      "base-uri 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types earnest default",
    ]);
    const page = await (await api.app.request("/")).text();
    expect(page).not.toMatch(/<script(?![^>]* src=| type="application\/ld\+json">)|<style|\sstyle=|\son\w+=/);
  });

  test("serves the console at each of its paths, its error page at others, and JSON at every API path", async () => {
    for (const path of ["/orders/ord_1", "/keys", "/sell/agents/an-agent/a-service", "/sales/"]) {
      const answer = await api.app.request(path, { headers: browser });
      expect(answer.status, path).toBe(200);
      expect(await answer.text(), path).toContain('<meta name="robots" content="noindex">');
    }
    for (const path of ["/no/such/page", "/orders", "/orders/ord_1/x", "/market/an-agent/a-service"]) {
      const answer = await api.app.request(path, { headers: browser });
      expect([answer.status, answer.headers.get("content-type")], path).toEqual([
        404,
        "text/html; charset=UTF-8",
      ]);
      expect(await answer.text(), path).toContain('<div id="console">');
    }
    for (const path of ["/api/v1/nothing", "/api/v1", "/.well-known/nothing", "/assets/nothing.js"]) {
      const answer = await api.app.request(path, { headers: browser });
      expect([answer.status, codeOf(await answer.json())], path).toEqual([404, "not_found"]);
    }
  });

  test("knows every path of the console's router", () => {
    const router = readFileSync(new URL("../../../console/src/routes.tsx", import.meta.url), "utf8");
    const paths = [...router.matchAll(/\b(?:own|open)Page\(\s*"([^"]+)"/g)].map(([, path]) => String(path));
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => !hasPage(path))).toEqual([]);
  });

  test("answers 304 when nothing changed", async () => {
    const { headers } = await api.app.request("/");
    expect(headers.get("cache-control")).toBe("no-cache");
    const again = await api.app.request("/", { headers: { "if-none-match": String(headers.get("etag")) } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const head = await api.app.request("/", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });
});

test("answers a program that accepts anything with the API's 404, and refuses writes to the console", async () => {
  for (const headers of [{ accept: "*/*" }, {}]) {
    const answer = await api.app.request("/orders/ord_1", { headers });
    expect([answer.status, codeOf(await answer.json())]).toEqual([404, "not_found"]);
  }
  expect((await api.app.request("/", { method: "POST" })).status).toBe(405);
  expect((await api.app.request("/orders/ord_1", { method: "POST", headers: browser })).status).toBe(404);
});

describe("the console's files", () => {
  /** The scripts and styles that the page names, which load before anything shows. */
  const readFirstFiles = async (path = "/", headers: Record<string, string> = {}) => {
    const page = await (await api.app.request(path, { headers: { ...browser, ...headers } })).text();
    return [...page.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, path]) => String(path));
  };

  test("are cached for ever, and sent compressed where the client accepts it", async () => {
    const [path = ""] = await readFirstFiles();
    const plain = await api.app.request(path);
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect([plain.headers.get("content-encoding"), plain.headers.get("vary")]).toEqual([
      null,
      "Accept-Encoding",
    ]);
    const whole = Buffer.from(await plain.arrayBuffer());
    for (const [accepted, encoding, unpack] of [
      ["gzip, br", "br", brotliDecompressSync],
      ["gzip;q=0.5, br;q=0", "gzip", gunzipSync],
    ] as const) {
      const packed = await api.app.request(path, { headers: { "accept-encoding": accepted } });
      expect(packed.headers.get("content-encoding")).toBe(encoding);
      expect(unpack(await packed.arrayBuffer())).toEqual(whole);
    }
  });

  test("include fonts, which are sent as they are", async () => {
    const styles = (await readFirstFiles()).filter((path) => path.endsWith(".css"));
    const texts = await Promise.all(styles.map(async (path) => (await api.app.request(path)).text()));
    const [, name] = /url\("?[^)"]*?([^)"/]+\.woff2)/.exec(texts.join()) ?? [];
    const font = await api.app.request(`/assets/${name}`, { headers: { "accept-encoding": "gzip" } });
    expect([font.status, font.headers.get("content-type"), font.headers.get("content-encoding")]).toEqual([
      200,
      "font/woff2",
      null,
    ]);
    expect(
      Buffer.from(await font.arrayBuffer())
        .subarray(0, 4)
        .toString(),
    ).toBe("wOF2");
  });

  test("include the icon that browsers request", async () => {
    const icon = await api.app.request("/favicon.ico", { headers: { accept: "image/avif,image/webp,*/*" } });
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    expect(await icon.text()).toMatch(/^<svg /);
    expect(icon.headers.get("cache-control")).toBe("public, max-age=300");
    const etag = String(icon.headers.get("etag"));
    const again = await api.app.request("/favicon.ico", { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test("are small: the HTML of a page names all that shows the page, in few compressed bytes", async () => {
    for (const [path, most] of [
      ["/", 205_000],
      ["/market", 242_000],
      ["/sign-in", 225_000],
      ["/orders/ord_1", 200_000],
    ] as const) {
      const files = await readFirstFiles(path);
      const named = files.filter((file) => /\.(js|css)$/.test(file));
      expect(new Set(named).size, path).toBe(named.length);
      expect(named.length, path).toBeGreaterThan(4);
      let bytes = 0;
      for (const file of named) {
        const packed = await api.app.request(file, { headers: { "accept-encoding": "br" } });
        bytes += (await packed.arrayBuffer()).byteLength;
      }
      expect(bytes, path).toBeLessThan(most);
    }
  });

  test("at the address of the service are the overview's for a browser with a session", async () => {
    const [visitor, user] = await Promise.all([
      readFirstFiles("/"),
      readFirstFiles("/", { cookie: "earnest-42069=est_1" }),
    ]);
    const isOf = (name: string) => (file: string) => file.includes(`/${name}-`);
    expect([visitor.some(isOf("landing-page")), visitor.some(isOf("home-page"))]).toEqual([true, false]);
    expect([user.some(isOf("landing-page")), user.some(isOf("home-page"))]).toEqual([false, true]);
    expect((await api.app.request("/")).headers.get("vary")).toBe("Accept, Accept-Language, Cookie");
  });
});
