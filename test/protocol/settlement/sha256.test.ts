import { hash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256OfText } from "../../../protocol/settlement/sha256.ts";

test("a text has the SHA-256 of Node, whatever its characters", () => {
  // The braces drop the assertion's value: fast-check takes any returned object for a failure.
  const expectSame = (text: string) => {
    expect(sha256OfText(text)).toBe(`0x${hash("sha256", text, "hex")}`);
  };
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), expectSame), { numRuns: 300 });
  for (const text of ["", "\ud800", "a\udc00b"]) expectSame(text);
});
