import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/**
 * Returns the URLs of all modules that a program loads, from Node's coverage. The program runs at the root,
 * as JavaScript.
 */
export function findLoaded(program: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "earnest-loaded-"));
  try {
    execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: resolve(import.meta.dirname, "../.."),
      env: { ...process.env, NODE_V8_COVERAGE: folder },
      stdio: ["ignore", "ignore", "inherit"],
    });
    return readdirSync(folder).flatMap((file) => {
      const { result } = JSON.parse(readFileSync(join(folder, file), "utf8")) as {
        result: { url: string }[];
      };
      return result.map(({ url }) => url);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
