import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toolPath } from "../../../tools/build/tools.ts";
import { findFreePort } from "../../../tools/stack/process.ts";
import { createTestApi, signIn, type TestApi } from "../../harness/api.ts";
import { type McpService, serveMcp } from "../../harness/mcp.ts";
import { Browser, register } from "../../harness/oauth/program.ts";

const run = promisify(execFile);

let api: TestApi;
let mcp: McpService;
const folder = mkdtempSync(join(tmpdir(), "earnest-mcp-"));
beforeAll(async () => {
  const port = await findFreePort();
  api = await createTestApi({ env: { PUBLIC_URL: `http://localhost:${port}` } });
  mcp = await serveMcp(api.app, port);
});
afterAll(async () => {
  await mcp?.close();
  await api?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.concurrent("the official conformance suite", () => {
  test.each([
    ["2025-11-25", 6],
    ["2026-07-28", 9],
  ])("passes at %s, except for what only its own sample server has", async (version, least) => {
    const suiteArgs = ["server", "--url", mcp.url.href, "--suite", "all", "--spec-version", version];
    const notOurs = join(import.meta.dirname, `conformance-${version}.yaml`);
    const args = [...suiteArgs, "--expected-failures", notOurs, "-o", join(folder, version)];
    // The suite fails when an unnamed scenario fails, and when a named one passes.
    const { stdout } = await run(toolPath("conformance"), args, {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    }).catch((error) => {
      throw new Error(String(error.stdout).split("=== SUMMARY ===").at(-1));
    });
    expect(stdout.match(/✓.*[1-9]\d* passed, 0 failed/g)?.length).toBeGreaterThanOrEqual(least);
    if (version !== "2026-07-28") return;
    const [stateless] = readdirSync(join(folder, version)).filter((name) =>
      name.includes("server-stateless"),
    );
    const checks = JSON.parse(readFileSync(join(folder, version, String(stateless), "checks.json"), "utf8"));
    const failed = (checks as { status: string; errorMessage?: string }[]).filter(
      ({ status }) => status === "FAILURE",
    );
    expect(failed.filter(({ errorMessage }) => !errorMessage?.startsWith("Not testable"))).toEqual([]);
  });

  test("gets a token from the authorization server, by its metadata and a person's consent", async () => {
    const port = await findFreePort();
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    const { client_id } = (await register(api.app, { redirect_uris: [redirectUri] })).body;
    const settings = {
      url: mcp.url.origin,
      "client-id": client_id,
      resource: mcp.url.href,
      port: String(port),
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const suite = spawn(toolPath("conformance"), ["authorization", ...args], { cwd: folder });
    let printed = "";
    let decided = false;
    for await (const chunk of suite.stdout) {
      printed += chunk;
      const [url] = /^https?:\S+\/oauth\/authorize\S+$/m.exec(printed) ?? [];
      if (url === undefined || decided) continue;
      decided = true;
      const browser = new Browser(api.app);
      const page = await browser.open(new URL(url));
      const decision = await browser.decide(page, await signIn(api), {
        approved: true,
        scopes: ["orders:read"],
      });
      await fetch(await browser.finish(decision.body.url));
    }
    expect(printed).toMatch(/[1-9]\d* passed, 0 failed/);
  });
});
