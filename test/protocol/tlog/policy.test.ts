import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatVerifierKey, keyTypes } from "../../../protocol/tlog/note.ts";
import { createSigner } from "../../../protocol/tlog/note-signer.ts";
import { isQuorum, parsePolicy } from "../../../protocol/tlog/policy.ts";

const code = (name: string) => expect.objectContaining({ code: name });
const vkeyOf = (name: string, byte: number, type: 1 | 4 = keyTypes.cosignature) =>
  formatVerifierKey(createSigner(name, type, new Uint8Array(32).fill(byte)).key);
const log = vkeyOf("log.example/log", 1, keyTypes.ed25519);
const vkeys = Array.from({ length: 70 }, (_, i) => vkeyOf(`w${i}.example`, 2 + i));
const witnesses = (count: number) =>
  vkeys
    .slice(0, count)
    .map((vkey, i) => `witness W${i} ${vkey}\n`)
    .join("");

/** The standard's own example, with the tests' keys. */
const example = `log ${log}

witness X1 ${vkeys[0]}
witness X2 ${vkeys[1]}  https://x2.example/
 witness\tX3 ${vkeys[2]}
group X-witnesses 2 X1 X2 X3

# The second organisation.
witness Y1 ${vkeys[3]}
witness Y2 ${vkeys[4]}
witness Y3 ${vkeys[5]}
group Y-witnesses any Y1 Y2 Y3
\t # its end
group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;

describe("a policy", () => {
  test("of the standard's example requires two of one group and one of the other", () => {
    const policy = parsePolicy(example);
    expect(policy.logs.map(({ key, url }) => [key.name, url])).toEqual([["log.example/log", null]]);
    expect(policy.witnesses[1]).toMatchObject({ name: "X2", url: "https://x2.example/" });
    const isEnough = (...names: string[]) => isQuorum(policy, names);
    expect(isEnough("X1", "X3", "Y2")).toBe(true);
    expect(isEnough("X1", "X2", "X3", "Y1", "Y2", "Y3")).toBe(true);
    expect(isEnough("X1", "X2", "X3")).toBe(false);
    expect(isEnough("X1", "Y1", "Y2", "Y3")).toBe(false);
    expect(isEnough("X1", "X1", "Y1")).toBe(false);
    expect(isEnough()).toBe(false);
    // Only a listed witness counts, whatever the name.
    expect(isEnough("Z", "none")).toBe(false);
  });

  test("of k of n holds exactly where k cosigned", () => {
    const cosigners = fc.record({
      n: fc.integer({ min: 1, max: 32 }),
      k: fc.nat(),
      mask: fc.nat(2 ** 31 - 1),
    });
    fc.assert(
      fc.property(cosigners, ({ n, k, mask }) => {
        const threshold = (k % n) + 1;
        const names = Array.from({ length: n }, (_, i) => `W${i}`);
        const policy = parsePolicy(`${witnesses(n)}group g ${threshold} ${names.join(" ")}\nquorum g\n`);
        const cosigned = names.filter((_, i) => (mask >> (i % 31)) & 1);
        expect(isQuorum(policy, cosigned)).toBe(cosigned.length >= threshold);
      }),
      { numRuns: 15 },
    );
  });

  test("may require one witness, or none", () => {
    expect(isQuorum(parsePolicy("quorum none\n"), [])).toBe(true);
    const one = parsePolicy(`${witnesses(2)}quorum W1\n`);
    expect([isQuorum(one, ["W0"]), isQuorum(one, ["W1"])]).toEqual([false, true]);
  });

  test("is refused in any other form", () => {
    const two = witnesses(2);
    for (const [bad, why] of [
      ["", "no quorum"],
      ["\n", "no quorum"],
      ["quorum none", "no newline"],
      ["quorum none\r\n", "control"],
      ["quorum none\0\n", "control"],
      ["quorum none\nquorum none\n", "second quorum"],
      ["quorum\n", "is not"],
      ["quorum a b\n", "is not"],
      ["quorum W0\n", "no earlier line"],
      [`quorum W0\n${two}`, "no earlier line"],
      [`Quorum none\n`, "unknown keyword"],
      [`log\nquorum none\n`, "is not"],
      [`log ${log} u v\nquorum none\n`, "is not"],
      [`log ${log}\nlog ${log}\nquorum none\n`, "key of another line"],
      [`log ${log}\nlog ${vkeyOf("other", 1, keyTypes.ed25519)}\nquorum none\n`, "key of another line"],
      [`witness W\nquorum none\n`, "is not"],
      [`${two}witness W0 ${vkeys[9]}\nquorum none\n`, "taken"],
      [`${two}witness none ${vkeys[9]}\nquorum none\n`, "taken"],
      // One key under two names would count twice.
      [`${two}witness W9 ${vkeys[0]}\nquorum none\n`, "key of another line"],
      [`${two}witness W9 ${vkeyOf("alias.example", 2)}\nquorum none\n`, "key of another line"],
      [`${two}group g 1\nquorum none\n`, "is not"],
      [`${two}group g 0 W0\nquorum none\n`, "number from 1 to 1"],
      [`${two}group g 2 W0\nquorum none\n`, "number from 1 to 1"],
      [`${two}group g 01 W0\nquorum none\n`, "number from 1 to 1"],
      [`${two}group g 1.5 W0 W1\nquorum none\n`, "number from 1 to 2"],
      [`${two}group g some W0\nquorum none\n`, "number from 1 to 1"],
      [`${two}group g 1 W2\nquorum none\n`, "no earlier line"],
      [`${two}group g 1 g\nquorum none\n`, "no earlier line"],
      [`${two}group g 1 none\nquorum none\n`, "no earlier line"],
      [`${two}group W0 1 W1\nquorum none\n`, "taken"],
      [`${two}group g 2 W0 W0\nquorum g\n`, "already a member"],
      [`${two}group g 1 W0\ngroup h 2 g W0\nquorum h\n`, "already a member"],
    ] as const) {
      expect(() => parsePolicy(bad), bad).toThrow(code("malformed_policy"));
      expect(() => parsePolicy(bad), bad).toThrow(why);
    }
    expect(() => parsePolicy("log x\nquorum none\n")).toThrow(code("malformed_key"));
    expect(() => parsePolicy(`log ${vkeys[0]}\nquorum none\n`)).toThrow(code("unsupported_key"));
    expect(() => parsePolicy(`witness W ${log}\nquorum none\n`)).toThrow(code("unsupported_key"));
  });

  test("has up to 64 witnesses, logs and groups", () => {
    const groups = vkeys
      .slice(0, 64)
      .map((_, i) => `group g${i} 1 W${i}\n`)
      .join("");
    const full = `${witnesses(64)}${groups}`;
    expect(parsePolicy(`${full}quorum g63\n`).groups).toHaveLength(64);
    expect(() => parsePolicy(`${witnesses(65)}quorum none\n`)).toThrow(code("too_large"));
    expect(() => parsePolicy(`${full}group more 1 g0\nquorum none\n`)).toThrow(code("too_large"));
    expect(() => parsePolicy("#".repeat(65_537))).toThrow(code("too_large"));
  });
});
