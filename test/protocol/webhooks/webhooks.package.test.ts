import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createContext, Script } from "node:vm";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import vectors from "../../../protocol/webhooks/vectors.json" with { type: "json" };
import { bundle } from "../../../tools/build/bundle.ts";

const root = new URL("../../../", import.meta.url);

test("the entry earnest/webhooks matches package.json, and exports the verifier only", async () => {
  const { exports, files } = JSON.parse(await readFile(new URL("package.json", root), "utf8"));
  expect(exports["./webhooks"]).toEqual({
    types: "./dist/types/protocol/webhooks/index.d.ts",
    default: "./dist/webhooks.js",
  });
  expect(exports["./webhooks/vectors.json"]).toBe("./protocol/webhooks/vectors.json");
  expect(files).toContain("protocol/webhooks/vectors.json");
  expect(Object.keys(await import("../../../protocol/webhooks/index.ts"))).toEqual(["verifyWebhook"]);
});

test("its bundle verifies all vectors with only the language, TextEncoder and a clock", async () => {
  const code = await bundle(fileURLToPath(new URL("protocol/webhooks/index.ts", root)));
  // The bundle has no import left.
  expect(code).not.toMatch(/\bimport\b|\brequire\b|node:/);
  const context = createContext({ TextEncoder });
  const names = ["process", "Buffer", "require", "crypto", "atob"];
  expect(new Script(`[${names.map((name) => `typeof ${name}`)}]`).runInContext(context)).toEqual(
    names.map(() => "undefined"),
  );
  const script = await transform(code, { format: "iife", globalName: "webhooks" });
  new Script(script.code).runInContext(context);
  const verify: typeof import("../../../protocol/webhooks/index.ts").verifyWebhook =
    context.webhooks.verifyWebhook;
  for (const { name, valid, header, secret, now, body, body_base64 } of vectors.cases) {
    const bytes = body === undefined ? Buffer.from(body_base64 ?? "", "base64") : Buffer.from(body);
    expect([name, verify(bytes, header, secret, now)]).toEqual([name, valid]);
    // An ArrayBuffer, as from `await request.arrayBuffer()`, even of another realm.
    const copy = Uint8Array.from(bytes).buffer;
    expect([name, verify(copy, header, secret, now)]).toEqual([name, valid]);
  }
  const { header, secret, body = "" } = vectors.cases.at(0) ?? expect.fail("no vectors");
  expect(verify(body, header, secret)).toBe(false);
});
