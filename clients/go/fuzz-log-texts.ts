import { writeFileSync } from "node:fs";
import { answer } from "../../protocol/tlog/errors.ts";
import { parseVerifierKey } from "../../protocol/tlog/note.ts";
import { type Policy, parsePolicy } from "../../protocol/tlog/policy.ts";
import { verifyProof } from "../../protocol/tlog/proof.ts";
import vectors from "../../protocol/tlog/vectors.json" with { type: "json" };
import { verifyCheckpoint } from "../../protocol/tlog/verify.ts";
import { checkSignature } from "../../receipts/native-ed25519.ts";
import { createChance } from "../../test/harness/receipts/mutate.ts";

/** Characters that readers of lines, base64 and numbers treat differently. */
const odd = [
  "\n",
  "\n\n",
  "\r\n",
  "\r",
  "\t",
  " ",
  "\u00a0",
  "\u0085",
  "\ufeff",
  "\0",
  "+",
  "-",
  "=",
  "/",
  "0",
  "1",
  "A",
  "—",
  "é",
];

/** A text, its verifier, and the result of our verifier. */
interface ChangedText {
  kind: "checkpoint" | "proof" | "vkey";
  text: string;
  vkey?: string;
  witnesses?: string[];
  entry?: string;
  taken: boolean;
  size: number;
  cosigners: string[];
}

/**
 * Writes changed texts of the log's vectors with our verifier's result for each. One seed always makes the same texts.
 *
 * @returns how many
 */
export function writeChangedTexts(file: string, seed: number): number {
  const chance = createChance(seed);
  const change = (text: string): string => {
    const at = chance.below(text.length + 1);
    const end = at + chance.one([0, 0, 1, 1, 1, 2, 44]);
    const lines = text.split("\n");
    const line = chance.below(lines.length);
    return chance.one([
      () => text.slice(0, at) + chance.one(odd) + text.slice(end),
      () => text.slice(0, at) + text.slice(end),
      () => lines.toSpliced(line, 1).join("\n"),
      () => lines.toSpliced(chance.below(lines.length), 0, lines[line] ?? "").join("\n"),
      () => text.slice(0, at).concat(text.slice(at).toUpperCase()),
    ])();
  };
  const { two_of_three: trust, vkey: log } = vectors.trusts;
  const policy: Policy = { ...parsePolicy(trust.policy), quorum: "none" };
  const witnesses = [...trust.policy.matchAll(/^witness \S+ (\S+)$/gm)].map(([, vkey]) => vkey ?? "");
  const whom = { vkey: log.vkey, witnesses };
  const texts = vectors.cases.flatMap((each): ChangedText[] => {
    const copies = Array.from({ length: 25 }, () => each);
    if (each.kind === "checkpoint" && each.note !== undefined && each.note.length < 4000) {
      return copies.map(() => {
        const text = change(each.note ?? "");
        const found = verifyCheckpoint(text, { policy, check: checkSignature });
        const [size, names] = found.valid ? [found.checkpoint.size, found.cosignatures] : [0, []];
        const cosigners = names.map(({ name }) => name);
        return { kind: "checkpoint", text, ...whom, taken: found.valid, size, cosigners };
      });
    }
    if (each.kind === "proof" && each.proof !== undefined) {
      return copies.map(() => {
        const text = change(each.proof ?? "");
        const entry = String(each.entry);
        const found = verifyProof(text, new TextEncoder().encode(entry), { policy, check: checkSignature });
        return { kind: "proof", text, entry, ...whom, taken: found.valid, size: 0, cosigners: [] };
      });
    }
    if (each.kind === "vkey" && each.vkey !== undefined) {
      return copies.map(() => {
        const text = change(each.vkey ?? "");
        const { valid } = answer(() => ({ valid: true as const, key: parseVerifierKey(text) }));
        return { kind: "vkey", text, taken: valid, size: 0, cosigners: [] };
      });
    }
    return [];
  });
  writeFileSync(file, JSON.stringify(texts));
  return texts.length;
}
