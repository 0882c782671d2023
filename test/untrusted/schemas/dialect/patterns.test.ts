import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePattern, PatternError } from "../../../../untrusted/schemas/dialect/patterns.ts";

/** Every kind of character that the two engines may treat differently. */
const texts = [
  ..."ab1_٣ \t\n\r\v\f\b\0\u0003\u00a0\ufeff\u2028\u180e\u3000éßſKΩ-[](){}^$?/\\.,\u{1f409}\u{1f600}\u{10ffff}\ud7ff\ue000",
  ...["", "ab", "aab", "🐉🐉", "a-b", "a.b@x.de", "LÉCOLE", "lÉcole", "x]x", "(?x", "a b", "A\nb"],
];

const expectSame = (pattern: string) => {
  const [ours, theirs] = [compilePattern(pattern), new RegExp(pattern, "u")];
  const differs = texts.filter((text) => ours.test(text) !== theirs.test(text));
  expect([pattern, differs]).toEqual([pattern, []]);
};

describe("a pattern has the meaning of ECMA-262", () => {
  test.each(
    String.raw`
      ^\d+$ ^\D$ ^\w$ ^\W$ ^\s$ ^\S$ [\s\d] [^\s] [\S] [^\S\n] ^.$ ^[^]$ [] a|[]b [\b] a\b \B \cC \cc [\cC]
      \0 \x41 \u0041 \u{1F409} \uD83D\uDC09 ^🐉*$ [^🐉] [🐉-😀] ^\p{L}+$ \P{L} [\p{L}-] \p{Script=Greek} \p{sc=Grek}
      \p{Letter}cole \p{digit} \p{Emoji} \p{Any} [^\p{ASCII}] (?:a|b)+ (?<n>a)b ((a)b)c ^$ ^\$$ \/ \. \\ [\]\[^-]
      [(] [(?] [(?:] [a^] [.] [$] a{2} ^a{0,2}?b a*? a+? (a*)*b [a-] [-a] [+--] ^[\w.-]+@\p{L}{1,64}(?<top>\.[a-z]+)$
    `
      .trim()
      .split(/\s+/),
  )("%s", expectSame);

  test("for random patterns", () => {
    const atom = fc.constantFrom(
      ...String.raw`a . \s \S \w \d [^a] [\s-] [b-é] \p{Lu} 🐉 ^ $ \b (?:a|) [] \u2028 \- \. [\-x]`.split(
        " ",
      ),
    );
    const quantifier = fc.constantFrom("", "", "*", "+?", "{1,2}", "?");
    const piece = fc.tuple(atom, quantifier).map(([one, times]) => one + times);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.boolean(), (pieces, isChoice) => {
        const pattern = pieces.join(isChoice ? "|" : "");
        let isPattern = true;
        try {
          new RegExp(pattern, "u");
        } catch {
          isPattern = false;
        }
        if (isPattern) expectSame(pattern);
        else expect(() => compilePattern(pattern)).toThrow(PatternError);
      }),
      { numRuns: 300 },
    );
  });
});

test.each([
  ["(?=x)", "is no pattern that RE2 can run (it has no (?=)"],
  ["(?<!x)", "is no pattern that RE2 can run (it has no (?<)"],
  ["(?i:x)", "is no pattern that RE2 can run (it has no (?i)"],
  ["(a)\\1", "is no pattern that RE2 can run (it has no back-references)"],
  ["(?<n>a)\\k<n>", "is no pattern that RE2 can run (it has no back-references)"],
  ["^.{1,1001}$", "is no pattern that RE2 can run (invalid repeat count: `{1,1001}`)"],
  ["\\uD83D", "is no pattern that a text can match (it names half of a surrogate pair)"],
  ["(", "is no pattern of ECMA-262 under the flag u (/(/u: Unterminated group)"],
  // Only RE2 has these, or gives them another meaning.
  ["\\Aa\\z", expect.stringContaining("Invalid escape")],
  ["\\Qa\\E", expect.stringContaining("Invalid escape")],
  ["[[:alpha:]]", expect.stringContaining("Lone quantifier brackets")],
  ["(?P<n>a)", expect.stringContaining("Invalid group")],
  ["\\pN", expect.stringContaining("Invalid property name")],
  ["a\\-b", expect.stringContaining("Invalid escape")],
])("the pattern %s is refused", (pattern, message) => {
  let refusal = "";
  try {
    compilePattern(pattern);
  } catch (error) {
    expect(error).toBeInstanceOf(PatternError);
    refusal = `is ${(error as Error).message}`;
  }
  expect(refusal).toEqual(message);
});
