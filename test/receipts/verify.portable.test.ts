import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { receiptErrors } from "../../receipts/errors.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("the verifier uses no Node API, and signs nothing", async () => {
  // A bundle for browsers fails on a module of Node.
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["receipts/index.ts"],
    outfile: "receipts.js",
    bundle: true,
    format: "esm",
    platform: "browser",
    metafile: true,
    write: false,
  });
  const own = Object.keys(metafile.inputs).filter((path) => !path.startsWith("node_modules/"));
  expect(own).toContain("receipts/verify.ts");
  expect(
    own.filter((path) => !/^receipts\/|^(abis\/escrow|protocol\/json\/(parse|pointer))\.ts$/.test(path)),
  ).toEqual([]);
  expect(metafile.outputs["receipts.js"]?.exports.sort()).toEqual([
    "confirmOnChain",
    "didWebMethod",
    "findNode",
    "issuerOf",
    "receiptErrors",
    "verifyKeyLog",
    "verifyOffer",
    "verifyReceipt",
    "verifyReceipts",
    "verifyRecordStatement",
    "verifyX402Receipt",
  ]);
});

test("the documentation has every error code, and no other", () => {
  const page = readFileSync(new URL("../../docs/receipts.md", import.meta.url), "utf8");
  const [, table = ""] = page.split("## Error codes");
  const named = [...table.matchAll(/`([a-z0-9_]+)`(?=[^|]*\|[^|]+\|$)/gm)].map(([, code]) => code);
  expect(named.toSorted()).toEqual(Object.keys(receiptErrors).toSorted());
});
