import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toolPath } from "../../../tools/build/tools.ts";
import { createTestApi, type TestApi } from "../../harness/api.ts";
import { type McpService, serveMcp } from "../../harness/mcp.ts";

const run = promisify(execFile);

let api: TestApi;
let mcp: McpService;
const folder = mkdtempSync(join(tmpdir(), "earnest-mcp-"));
beforeAll(async () => {
  api = await createTestApi();
  mcp = await serveMcp(api.app);
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
  ])(
    "passes at %s, except for what only its own sample server has",
    { timeout: 120_000 },
    async (version, least) => {
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
      const checks = JSON.parse(
        readFileSync(join(folder, version, String(stateless), "checks.json"), "utf8"),
      );
      const failed = (checks as { status: string; errorMessage?: string }[]).filter(
        ({ status }) => status === "FAILURE",
      );
      expect(failed.filter(({ errorMessage }) => !errorMessage?.startsWith("Not testable"))).toEqual([]);
    },
  );
});
