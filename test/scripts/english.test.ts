import { expect, test } from "vitest";
import { findFaults } from "../../scripts/english.ts";

const comment = (text: string) => findFaults("some.ts", `/** ${text} */\nconst a = 1;\n`);
const faultsOf = (found: string[]) => found.map((line) => line.split(": ").slice(0, 2).join(": "));

test.each([
  ["What a wallet sends.", "the sentence has no subject first"],
  ["Where no chain is set, nothing is sent.", "the sentence has no subject first"],
  ["Sends it. Whoever asks gets an answer.", "the sentence has no subject first"],
  ["Sends the field that was formerly a number.", "the sentence speaks of the past"],
  ["Counts the purses of the market.", "a private picture stands for the field's word"],
  [`Counts${" one word more".repeat(10)}.`, "the sentence has 31 words, at most 28"],
])("%s is refused", (text, fault) => {
  expect(faultsOf(comment(text))).toContain(`some.ts:1: ${fault}`);
});

test("a plain sentence is taken, also with code and a link in it", () => {
  expect(comment("Frees the lease of a process that is known to have died.")).toEqual([]);
  expect(comment("Whether `what whoever wrote` is read (https://example.com/what).")).toEqual([]);
});

test("each tag of a docstring is a text of its own, with its line", () => {
  const code = "/**\n * Sends a request.\n *\n * @param url where to\n * @returns What came back.\n */\n";
  expect(faultsOf(findFaults("some.ts", code))).toEqual(["some.ts:5: the sentence has no subject first"]);
});

test("of a document only prose counts, by paragraph and by item", () => {
  const page = "# What it is\n\nWhat is sent.\n\n- Of the buyer.\n\n| Who |\n\n```sh\n# Where it is\n```\n";
  expect(faultsOf(findFaults("page.md", page))).toEqual([
    "page.md:3: the sentence has no subject first",
    "page.md:5: the sentence has no subject first",
  ]);
});
