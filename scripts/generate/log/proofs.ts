import { encodeEntry, receiptEntry } from "../../../protocol/tlog/entry.ts";
import { inclusionProof } from "../../../protocol/tlog/merkle.ts";
import { formatProof } from "../../../protocol/tlog/proof.ts";
import {
  type Answer,
  type Case,
  cosigned,
  document,
  entries,
  entryText,
  jws,
  leaves,
  logged,
  refused,
  seed,
  signed,
  utf8,
} from "./log-inputs.ts";

export function proofCases(): Case[] {
  const proofOf = (index: number, over: Partial<Parameters<typeof formatProof>[0]> = {}) =>
    formatProof({
      extra: entries[index] ?? null,
      index,
      hashes: inclusionProof(leaves, index),
      checkpoint: cosigned,
      ...over,
    });
  const good = (index: number): Answer => ({ valid: true, index, size: leaves.length });
  const proof = (
    name: string,
    proofText: string,
    index: number,
    expected: Answer,
    trust = "two_of_three",
    strict?: true,
  ): Case => ({
    kind: "proof",
    name,
    proof: proofText,
    entry: entryText(index),
    trust,
    expected,
    ...(strict ? { strict } : {}),
  });
  const receipt = (name: string, proofText: string, held: object, expected: Answer): Case => ({
    kind: "receipt",
    name,
    proof: proofText,
    ...held,
    trust: "two_of_three",
    expected,
  });
  const revocation = (name: string, proofText: string, id: string, expected: Answer): Case => ({
    kind: "revocation",
    name,
    proof: proofText,
    id,
    trust: "two_of_three",
    expected,
  });
  const changed = { ...document, amount: "2500001" };
  const forged = proofOf(1, { extra: encodeEntry(receiptEntry("rcp_1", changed, jws)) });
  const bare = proofOf(1, { extra: null });
  const goodReceipt: Answer = { ...good(1), entry: logged[1] } as Answer;
  return [
    ...entries.map((_, index) =>
      proof(`of entry ${index} of ${entries.length}`, proofOf(index), index, good(index)),
    ),
    proof("without the extra line", bare, 1, good(1)),
    proof("of another entry", proofOf(1), 2, refused("not_included")),
    proof("at another index", proofOf(1, { index: 0 }), 1, refused("not_included")),
    proof("at an index beyond the tree", proofOf(1, { index: 5 }), 1, refused("not_included")),
    proof(
      "with a hash too few",
      proofOf(1, { hashes: inclusionProof(leaves, 1).slice(1) }),
      1,
      refused("not_included"),
    ),
    proof(
      "with a hash too many",
      proofOf(1, { hashes: [...inclusionProof(leaves, 1), seed(0)] }),
      1,
      refused("not_included"),
    ),
    proof("with 64 hashes", proofOf(1, { hashes: Array(64).fill(seed(0)) }), 1, refused("too_large")),
    proof("with too few cosignatures", proofOf(1, { checkpoint: signed }), 1, refused("quorum_not_met")),
    proof("of a log that is not trusted", proofOf(1), 1, refused("unknown_log"), "other_log"),
    proof("of another version", proofOf(1).replace("@v1", "@v2"), 1, refused("malformed")),
    proof(
      "with an index of leading zeros",
      proofOf(1).replace("index 1", "index 01"),
      1,
      refused("malformed"),
      "two_of_three",
      true,
    ),
    proof("without an index", proofOf(1).replace("index 1\n", ""), 1, refused("malformed")),
    proof(
      "with carriage returns",
      proofOf(1).replaceAll("\n", "\r\n"),
      1,
      refused("malformed"),
      "two_of_three",
      true,
    ),
    proof("without a checkpoint", proofOf(1).split("\n\n")[0] ?? "", 1, refused("malformed")),
    receipt("of its document", proofOf(1), { document }, goodReceipt),
    receipt("of its x402 receipt", proofOf(1), { x402: jws }, goodReceipt),
    receipt("of both, with its id", proofOf(1), { id: "rcp_1", document, x402: jws }, goodReceipt),
    receipt("of both, without the extra line", bare, { document, x402: jws }, goodReceipt),
    receipt("of its document alone, without the extra line", bare, { document }, refused("not_included")),
    receipt(
      "of its x402 receipt alone, without the extra line",
      bare,
      { x402: jws },
      refused("malformed_entry"),
    ),
    receipt("of a document that is changed", proofOf(1), { document: changed }, refused("other_entry")),
    receipt(
      "of a document that is changed, its entry too",
      forged,
      { document: changed },
      refused("not_included"),
    ),
    receipt("of another x402 receipt", proofOf(1), { x402: `${jws}A` }, refused("other_entry")),
    receipt("of another receipt's id", proofOf(1), { id: "rcp_2", document }, refused("other_entry")),
    receipt("of a receipt that has no x402 receipt", proofOf(2), { x402: jws }, refused("other_entry")),
    receipt("of a key's entry", proofOf(0), { document }, refused("other_entry")),
    receipt(
      "of an entry that is none",
      proofOf(1, { extra: utf8("{}") }),
      { document },
      refused("malformed_entry"),
    ),
    receipt("of nothing", proofOf(1), {}, refused("other_entry")),
    revocation("of the receipt", proofOf(3), "rcp_1", { ...good(3), entry: logged[3] } as Answer),
    revocation("of another receipt", proofOf(3), "rcp_2", refused("other_entry")),
    revocation("of a receipt's own entry", proofOf(1), "rcp_1", refused("other_entry")),
  ];
}

export function entryCases(): Case[] {
  const [key = "", receipt = ""] = [0, 1].map(entryText);
  const make = (name: string, entry: string, expected: Answer): Case => ({
    kind: "entry",
    name,
    entry,
    expected,
  });
  const bad = refused("malformed_entry");
  return [
    ...logged.map((entry, i) => make(`of a ${entry.kind} (${i})`, entryText(i), { valid: true, entry })),
    make("with a space", key.replace(":1", ": 1"), bad),
    make(
      "with its members in another order",
      `{"kind":"key","entry":"0x${"0".repeat(64)}","seq":1,"v":1}`,
      bad,
    ),
    make("with a member twice", key.replace('"v":1', '"v":1,"v":1'), bad),
    make("with a member more", key.replace('"v":1', '"v":1,"x":1'), bad),
    make("of another version", key.replace('"v":1', '"v":2'), bad),
    make("of another kind", key.replace('"key"', '"lock"'), bad),
    make("with a hash of upper case", receipt.replace(/"0x[0-9a-f]{64}"/, `"0x${"A".repeat(64)}"`), bad),
    make("with a null", receipt.replace(/"x402":"[^"]*"/, '"x402":null'), bad),
    make("with another time", entryText(3).replace(".000Z", "Z"), bad),
    make("of nothing", "", bad),
  ];
}
