import { expect, test } from "vitest";
import { mostPayloadFiles, referencesIn } from "../../../trade/files/file-reference.ts";

const reference = {
  file_id: "fil_01jd3w8x2mfhz8w9q4t6n5k7ra",
  sha256: `0x${"5e".repeat(32)}`,
  size: 12,
  name: "page-3.png",
};

test("references are found at any depth", () => {
  const payload = { text: "x", page: reference, more: [{ deep: [reference] }, null, 3] };
  expect(referencesIn(payload, "input_payload")).toEqual([reference, reference]);
  expect(referencesIn(null, "input_payload")).toEqual([]);
});

test("an object with a file_id that is no reference is refused by its path", () => {
  const wrong: unknown[] = [
    { ...reference, url: "https://a.example" },
    { file_id: reference.file_id },
    { ...reference, sha256: "5e".repeat(32) },
    { ...reference, size: -0.5 },
    { ...reference, file_id: "../../etc/passwd" },
    { ...reference, name: null },
    { file_id: null },
  ];
  for (const value of wrong) {
    expect(() => referencesIn({ "a/b": [value] }, "input_payload"), JSON.stringify(value)).toThrow(
      expect.objectContaining({
        code: "file_mismatch",
        details: [expect.objectContaining({ path: "/input_payload/a~1b/0" })],
      }),
    );
  }
});

test("a payload has a bounded number of references", () => {
  const files = Array.from({ length: mostPayloadFiles }, () => reference);
  expect(referencesIn({ files }, "output_payload")).toHaveLength(mostPayloadFiles);
  expect(() => referencesIn({ files: [...files, reference] }, "output_payload")).toThrow(/at most 100/);
});
