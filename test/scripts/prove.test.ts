import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";

const contracts = fileURLToPath(new URL("../../contracts/", import.meta.url));
const faults = z
  .array(z.object({ file: z.string(), from: z.string(), to: z.string(), check: z.string() }))
  .parse(JSON.parse(readFileSync(`${contracts}proof/broken.json`, "utf8")));
const proofs = readdirSync(`${contracts}proof`)
  .filter((file) => file.endsWith(".sol"))
  .flatMap((file) => [
    ...readFileSync(`${contracts}proof/${file}`, "utf8").matchAll(/function (prove\w+)\(/g),
  ])
  .map(([, name]) => name);

test("each proof has a fault that it must detect, and docs/contract.md names it", () => {
  const names = new Set(faults.map(({ check }) => check));
  expect([...names].filter((name) => !proofs.includes(name))).toEqual([]);
  expect(proofs.filter((name) => !names.has(name ?? ""))).toEqual([]);
  const page = readFileSync(`${contracts}../docs/contract.md`, "utf8");
  expect(proofs.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("each fault is one place of the contracts", () => {
  for (const { file, from, to } of faults) {
    expect(readFileSync(`${contracts}${file}`, "utf8").split(from), from).toHaveLength(2);
    expect(to).not.toBe(from);
  }
});
