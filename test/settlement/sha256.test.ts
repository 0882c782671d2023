import fc from "fast-check";
import { expect, test } from "vitest";
import { nativeSha256 } from "../../native-sha256.ts";
import { portableSha256 } from "../../settlement/sha256.ts";

test("Node and the portable code hash texts alike, of any characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      expect(nativeSha256(text)).toBe(portableSha256(text));
    }),
    { numRuns: 300 },
  );
  for (const text of ["", "\ud800", "a\udc00b"]) expect(nativeSha256(text)).toBe(portableSha256(text));
});
