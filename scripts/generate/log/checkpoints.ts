import { base64 } from "@scure/base";
import { signCheckpoint } from "../../../protocol/tlog/checkpoint.ts";
import { cosign } from "../../../protocol/tlog/cosignature.ts";
import { emptyRoot, rootOf } from "../../../protocol/tlog/merkle.ts";
import { formatNote, formatSignature } from "../../../protocol/tlog/note.ts";
import {
  type Answer,
  at,
  type Case,
  cosigned,
  cosignedBy,
  leaves,
  log,
  refused,
  seed,
  signed,
  stranger,
  text,
  type trusts,
  utf8,
  w1,
  w2,
  w3,
} from "./log-inputs.ts";

export function checkpointCases(): Case[] {
  const root = base64.encode(rootOf(leaves));
  const good = (
    cosignatures: [witness: string, name: string, at: number][] = [],
  ): Answer & { valid: true } => ({
    valid: true,
    origin: "log.example/log",
    size: leaves.length,
    root,
    cosignatures: cosignatures.map(([witness, name, time]) => ({ witness, name, at: time })),
  });
  const first: [string, string, number] = ["W1", "witness.example/w1", at];
  const second: [string, string, number] = ["W2", "witness.example/w2", at + 1];
  const [, line = ""] = signed.split("\n\n");
  const encoded = line.split(" ")[2]?.trim() ?? "";
  const badLine = (name: string, id: number, length: number) =>
    formatSignature({ name, id, bytes: new Uint8Array(length) });
  const again = (changed: string, signer = log) =>
    formatNote({ text: changed, signatures: [{ ...signer.key, bytes: signer.sign(utf8(changed)) }] });
  const strange = badLine("stranger.example", 7, 64);
  const make = (
    name: string,
    note: string,
    trust: keyof typeof trusts,
    expected: Answer,
    strict?: true,
  ): Case => ({
    kind: "checkpoint",
    name,
    note,
    trust,
    expected,
    ...(strict ? { strict } : {}),
  });
  return [
    make("signed by the log", signed, "vkey", good()),
    make("cosigned, and no witness is asked for", cosigned, "vkey", good()),
    make("cosigned by two of three", cosigned, "two_of_three", good([first, second])),
    make("cosigned by two of three, the log known from elsewhere", cosigned, "both", good([first, second])),
    make("cosigned by one of all, and by one of a group", cosigned, "nested", good([first, second])),
    make("with a stranger's signature", signed + strange, "vkey", good()),
    make("with a stranger's signature before the log's", `${text}\n${strange}${line}`, "vkey", good()),
    make("with a good line of the log twice", signed + line, "vkey", good()),
    make("with an extension line", again(`${text}extension 1\n`), "vkey", good()),
    make("of the empty tree", signCheckpoint({ size: 0, root: emptyRoot }, log), "vkey", {
      ...good(),
      size: 0,
      root: base64.encode(emptyRoot),
    }),
    make("of the largest tree", again(text.replace("\n5\n", "\n9007199254740991\n")), "vkey", {
      ...good(),
      size: 9007199254740991,
    }),
    make("cosigned by none of three", signed, "two_of_three", refused("quorum_not_met")),
    make("cosigned by one of three", cosignedBy(w1), "two_of_three", refused("quorum_not_met")),
    make("cosigned by one of three, twice", cosignedBy(w1, w1), "two_of_three", refused("quorum_not_met")),
    make("cosigned by two of all three", cosigned, "all_three", refused("quorum_not_met")),
    make("cosigned by the group alone", cosignedBy(w2, w3), "nested", refused("quorum_not_met")),
    make("nobody is trusted", signed, "nobody", refused("no_trusted_log")),
    make("another log's key is trusted", signed, "other_log", refused("unknown_log")),
    make("signed by another key of the same name", again(text, stranger), "vkey", refused("unknown_log")),
    make(
      "of another size than was signed",
      signed.replace("\n5\n", "\n6\n"),
      "vkey",
      refused("invalid_signature"),
    ),
    make(
      "of another origin than was signed",
      signed.replace("log.", "lag."),
      "vkey",
      refused("invalid_signature"),
    ),
    make(
      "of another origin than its key's name",
      again(text.replace("log.", "lag.")),
      "vkey",
      refused("foreign_origin"),
    ),
    make(
      "with a bad line of the log before the good one",
      `${text}\n${badLine(log.key.name, log.key.id, 64)}${line}`,
      "vkey",
      refused("invalid_signature"),
    ),
    make(
      "with a bad cosignature beside two good ones",
      cosigned + badLine(w3.key.name, w3.key.id, 72),
      "two_of_three",
      refused("invalid_signature"),
    ),
    make(
      "with a cosignature of another tree",
      signed + formatSignature(cosign(text.replace("\n5\n", "\n4\n"), w1, at)),
      "two_of_three",
      refused("invalid_signature"),
    ),
    make(
      "with a cosignature that has another time",
      signed + formatSignature({ ...w1.key, bytes: cosign(text, w1, at).bytes.with(7, 1) }),
      "two_of_three",
      refused("invalid_signature"),
    ),
    make(
      "with a log's signature under a witness's name",
      signed + formatSignature({ ...w1.key, bytes: w1.sign(utf8(text)) }),
      "two_of_three",
      refused("invalid_signature"),
    ),
    make(
      "with a size beyond 2^53",
      again(text.replace("\n5\n", "\n9007199254740992\n")),
      "vkey",
      refused("size_too_large"),
      true,
    ),
    make(
      "with a size of leading zeros",
      again(text.replace("\n5\n", "\n05\n")),
      "vkey",
      refused("malformed"),
      true,
    ),
    make("with a negative size", again(text.replace("\n5\n", "\n-5\n")), "vkey", refused("malformed")),
    make("with no size", again(text.replace("\n5\n", "\n\n")), "vkey", refused("malformed")),
    make(
      "with a root of 31 bytes",
      again(text.replace(root, base64.encode(seed(1).slice(1)))),
      "vkey",
      refused("malformed"),
      true,
    ),
    make(
      "with two lines",
      again(text.split("\n").slice(0, 2).join("\n").concat("\n")),
      "vkey",
      refused("malformed"),
    ),
    make("without a signature", `${text}\n`, "vkey", refused("malformed")),
    make("without a blank line", text + line, "vkey", refused("malformed")),
    make("without its last newline", signed.slice(0, -1), "vkey", refused("malformed")),
    make("with a newline too many", `${signed}\n`, "vkey", refused("malformed")),
    make("with another dash", signed.replace("— ", "- "), "vkey", refused("malformed")),
    make("with a space too many", signed.replace("— ", "—  "), "vkey", refused("malformed")),
    make("with a control character", signed.replace("log.", "log\t."), "vkey", refused("malformed")),
    make("with carriage returns", signed.replaceAll("\n", "\r\n"), "vkey", refused("malformed")),
    make(
      "with a signature's base64 cut",
      signed.replace(encoded, encoded.slice(1)),
      "vkey",
      refused("malformed"),
    ),
    make(
      "with a signature of four bytes",
      signed.replace(encoded, encoded.slice(0, 4).concat("AA==")),
      "vkey",
      refused("malformed"),
    ),
    make(
      "with base64 that has bits of no byte",
      signed +
        formatSignature({ name: "stranger.example", id: 7, bytes: seed(0).slice(0, 6) }).replace(
          "AA==\n",
          "AB==\n",
        ),
      "vkey",
      refused("malformed"),
      true,
    ),
    make("with more than 64 signatures", signed + strange.repeat(64), "vkey", refused("too_large"), true),
  ];
}
