import { expect, test } from "vitest";
import { escapeControls, printable } from "../../receipts/printable.ts";

test.each([
  ["\u001b[2J\u0007", "\\u001b[2J\\u0007"],
  ["one\nAll that was asked agrees.\r", "one\\u000aAll that was asked agrees.\\u000d"],
  ["\u009b31m\u007f", "\\u009b31m\\u007f"],
  ["\u202eevil\u2066\u2028", "\\u202eevil\\u2066\\u2028"],
  ["\u{e0041}\ud800", "\\udb40\\udc41\\ud800"],
])("%j is shown as %j", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test.each(["Grüße, мир, 世界", "👩‍🚀", "می‌خواهم", "\\u001b"])("%j is shown unchanged", (text) => {
  expect(printable(text)).toBe(text);
});

test("JSON with escaped control characters has the same content", () => {
  const value = { "\u001b[2J": "\u009b\u202e\u{e0041}\ud800\n" };
  const text = escapeControls(JSON.stringify(value));
  expect(text).not.toMatch(/\p{Cc}|\p{Cf}/u);
  expect(JSON.parse(text)).toEqual(value);
});

test("a line is bounded", () => {
  const shown = printable("\u0000".repeat(1_000_000));
  expect(shown.length).toBeLessThan(25_000);
  expect(shown).toMatch(/ \.\.\. \(996000 more\)$/);
});
