import { expect, test } from "vitest";
import { isSameSeal, sealText } from "../../trade/text-seal.ts";

const key = Buffer.alloc(32, 7);

test("a seal holds for its key, its purpose and its text only", () => {
  const seal = sealText(key, "file links", "a");
  expect(seal).toMatch(/^[\w-]{43}$/);
  expect(isSameSeal(seal, sealText(key, "file links", "a"))).toBe(true);
  for (const other of [
    sealText(Buffer.alloc(32, 8), "file links", "a"),
    sealText(key, "mail verify", "a"),
    sealText(key, "file links", "b"),
    "",
    "é",
  ]) {
    expect(isSameSeal(other, seal)).toBe(false);
  }
});
