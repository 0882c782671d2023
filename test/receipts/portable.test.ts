import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { receiptErrors } from "../../receipts/errors.ts";

const INDEX = new URL("../../receipts/index.ts", import.meta.url).href;

/** Loads the verifier as a browser's bundler would resolve it, and prints every module it reaches. */
const LOADER = `
  import { registerHooks } from "node:module";
  const conditions = ["browser", "import", "module", "default"];
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, { ...context, conditions });
      console.log(found.url);
      return found;
    },
  });
  const verifier = await import(${JSON.stringify(INDEX)});
  console.log("exports " + Object.keys(verifier).sort().join(" "));
`;

test("the verifier needs nothing of Node, and signs nothing", async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", LOADER]);
  const lines = stdout.trim().split("\n");
  const own = lines.filter((line) => line.startsWith("file:") && !line.includes("/node_modules/"));
  expect(lines.filter((line) => line.startsWith("node:"))).toEqual([]);
  expect(own.some((url) => url.endsWith("/receipts/verify.ts"))).toBe(true);
  expect(own.filter((url) => !/\/receipts\/|\/(abis\/escrow|json\/parse)\.ts$/.test(url))).toEqual([]);
  expect(lines.at(-1)).toBe(
    "exports confirmOnChain didWebMethod issuerOf receiptErrors verifyKeyLog verifyOffer verifyReceipt verifyReceipts verifyRecordStatement verifyX402Receipt",
  );
});

test("every error code is explained in the documentation", () => {
  const page = readFileSync(new URL("../../docs/receipts.md", import.meta.url), "utf8");
  for (const [code, meaning] of Object.entries(receiptErrors))
    expect(page).toContain(`| \`${code}\` | ${meaning} |`);
});
