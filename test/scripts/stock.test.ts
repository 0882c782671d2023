import { expect, test } from "vitest";
import { findInside } from "../../scripts/stock.ts";

test.each([
  ["a path into node_modules", 'await import("../node_modules/ponder/dist/start.js");'],
  [
    "a path into node_modules",
    'const require = createRequire(import.meta.url);\nrequire("./node_modules/a/b.js");',
  ],
  ["a path into node_modules", 'join(root, "node_modules/vitest/vitest.mjs");'],
  ["a path that its package does not export", 'import ponder from "ponder/dist/esm/start.js";'],
  ["a path that its package does not export", 'import { Parser } from "pg-protocol/dist/parser.js";'],
  ["a path that its package does not export", 'import core from "ajv/dist/core.js";'],
  ["a path that its package does not export", 'await import("viem/nonsense");'],
  ["a prototype is taken or changed", "pg.Client.prototype.query = () => null;"],
  ["a prototype is taken or changed", "const { query } = pg.Client.prototype;"],
  ["a prototype is taken or changed", "Object.assign(Parser.prototype, { parse });"],
  ["something of Node is replaced", "JSON.parse = parseJson;"],
  ["something of Node is replaced", "Error.prepareStackTrace = shorten;"],
  ["something of Node is replaced", "globalThis.fetch = ask;"],
  ["a package is changed", 'import http from "node:http";\nObject.assign(http, { createServer });'],
  ["a package is changed", 'import * as pg from "pg";\npg.defaults = {};'],
  ["a package is changed", 'import pg from "pg";\npg.defaults.parseInt8 = true;'],
  ["a package is changed", 'import pg from "pg";\nObject.assign(pg.types, { setTypeParser });'],
  [
    "a package is changed",
    'import { Client as Line, types } from "pg";\nObject.defineProperty(Line, "query", {});',
  ],
  ["a package is changed", 'import { type Pool, types } from "pg";\nReflect.set(types, "parser", read);'],
  ["a prototype is taken or changed", 'Object.defineProperty(Request.prototype, "json", { value: read });'],
  ["a prototype is taken or changed", "Object.setPrototypeOf(pg.Client.prototype, other);"],
  ["something of Node is replaced", 'Object.defineProperty(process.stdout, "write", { value: keep });'],
  ["a method is replaced", "pool.query = async (text) => null;"],
  ["a method is replaced", "connection.end = function () {};"],
  ["a private member is used", "connection._send(message);"],
  ["a private member is used", "db._.session.prepareQuery();"],
  ["a loader hook", "registerHooks({ resolve });"],
  ["a loader hook", 'module.register("./hooks.mjs");'],
  ["code made of text", 'new Function("row", "return row");'],
])("%s: %s", (fault, text) => {
  const line = text.split("\n").length;
  expect(findInside("a.ts", text)).toContainEqual(expect.stringContaining(`a.ts:${line}: ${fault}: `));
});

test("documented APIs of packages and Node are no fault, nor is a comment or an excused file", () => {
  const good = [
    'import { Ajv2020 } from "ajv/dist/2020.js";',
    'import { foundry } from "viem/chains";',
    'import { serve } from "@hono/node-server";',
    'new URL("../node_modules/.cache/earnest/", import.meta.url);',
    "process.exitCode = 1;",
    "process.env.TZ = 'UTC';",
    "socket.onmessage = (event) => take(event);",
    'import { drizzle } from "drizzle-orm/node-postgres";\nObject.assign(drizzle(pool), { prepared });',
    "const plain = Object.getPrototypeOf(value) === Object.prototype;",
    "// pg.Client.prototype.query = nothing",
    "/** new Function( */",
  ];
  expect(findInside("a.ts", good.join("\n"))).toEqual([]);
  expect(findInside("tools/simulation/live/clock.ts", "globalThis.Date = other;")).toEqual([]);
});
