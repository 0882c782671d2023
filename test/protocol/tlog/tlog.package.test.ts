import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createContext, Script } from "node:vm";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import { logErrors } from "../../../protocol/tlog/errors.ts";
import vectors from "../../../protocol/tlog/vectors.json" with { type: "json" };
import { bundle } from "../../../tools/build/bundle.ts";

const root = new URL("../../../", import.meta.url);

test("the entry earnest/tlog matches package.json", async () => {
  const { exports, files } = JSON.parse(await readFile(new URL("package.json", root), "utf8"));
  expect(exports["./tlog"]).toEqual({
    types: "./dist/types/protocol/tlog/index.d.ts",
    default: "./dist/tlog.js",
  });
  expect(exports["./tlog/vectors.json"]).toBe("./protocol/tlog/vectors.json");
  expect(files).toContain("protocol/tlog/vectors.json");
});

test("its bundle imports only receipts/ and protocol/json/, and verifies with only the language", async () => {
  const code = await bundle(fileURLToPath(new URL("protocol/tlog/index.ts", root)), [
    "protocol/tlog",
    "receipts",
    "protocol/json",
  ]);
  expect(code).not.toMatch(/\bimport\b|\brequire\b|node:/);
  const context = createContext({ TextEncoder, TextDecoder });
  const script = await transform(code, { format: "iife", globalName: "tlog" });
  new Script(script.code).runInContext(context);
  const { verifyProof, verifyReceiptProof }: typeof import("../../../protocol/tlog/index.ts") = context.tlog;
  const trusts: Record<string, object> = vectors.trusts;
  let checked = 0;
  for (const { kind, name, proof, entry, document, x402, id, trust, expected } of vectors.cases) {
    if (proof === undefined || trust === undefined || !["proof", "receipt"].includes(kind)) continue;
    const whom = trusts[trust] ?? expect.fail(`no trust ${trust}`);
    const found =
      kind === "proof"
        ? verifyProof(proof, new TextEncoder().encode(String(entry)), whom)
        : verifyReceiptProof(proof, { document, x402, id }, whom);
    expect([name, found.valid, "code" in found ? found.code : undefined]).toEqual([
      name,
      expected.valid,
      expected.code,
    ]);
    checked++;
  }
  expect(checked).toBeGreaterThan(20);
});

test("the documentation has every error code, and no other", async () => {
  const page = await readFile(new URL("docs/log.md", root), "utf8");
  const [, table = ""] = page.split("## Error codes");
  const named = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = ""]) => cell.match(/\w+/g) ?? []);
  expect(named.toSorted()).toEqual(Object.keys(logErrors).toSorted());
});
