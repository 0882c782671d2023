import { base64 } from "@scure/base";
import { formatVerifierKey, noteKey } from "../../../protocol/tlog/note.ts";
import {
  type Answer,
  type Case,
  log,
  refused,
  seed,
  trusts,
  twoOfThree,
  vkey,
  w1,
  witnessLines,
} from "./log-inputs.ts";

export function keyCases(): Case[] {
  const make = (name: string, key: string, expected: Answer, strict?: true): Case => ({
    kind: "vkey",
    name,
    vkey: key,
    expected,
    ...(strict ? { strict } : {}),
  });
  const [start = "", id = "", encoded = ""] = vkey.split("+");
  const zero = `z.example+00000000+${base64.encode(new Uint8Array(33).with(0, 1))}`;
  const cosigner = formatVerifierKey(w1.key);
  return [
    make("of a log", vkey, { valid: true, name: log.key.name, id: log.key.id, type: 1 }),
    make("of a witness", cosigner, { valid: true, name: w1.key.name, id: w1.key.id, type: 4 }),
    make(
      "of signed-note's example",
      "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
      {
        valid: true,
        name: "example.com/foo",
        id: 0x530d903a,
        type: 1,
      },
    ),
    make("with another id", vkey.replace(id, "00000000"), refused("malformed_key")),
    make("with another name", vkey.replace(start, "lag.example/log"), refused("malformed_key")),
    make("with an id of upper case", vkey.replace(id, id.toUpperCase()), refused("malformed_key"), true),
    make(
      "with a space in its name",
      formatVerifierKey({ ...noteKey("a", 1, log.key.publicKey), name: "a b" }),
      refused("malformed_key"),
    ),
    make("cut", vkey.slice(0, -4), refused("malformed_key")),
    make("with base64 of nothing", vkey.replace(encoded, ""), refused("unsupported_key")),
    make("of an unknown kind", vkey.replace(encoded, base64.encode(seed(2))), refused("unsupported_key")),
    make("of small order", zero, refused("malformed_key")),
  ];
}

export function policyCases(): Case[] {
  const make = (name: string, policy: string, cosigned: string[], expected: Answer): Case => ({
    kind: "policy",
    name,
    policy,
    cosigned,
    expected,
  });
  const held = { valid: true, quorum: true } as const;
  const missed = { valid: true, quorum: false } as const;
  const nested = trusts.nested.policy;
  const alias = `${witnessLines}witness W4 ${formatVerifierKey(noteKey("alias.example", 4, w1.key.publicKey))}\n`;
  const bad = refused("malformed_policy");
  return [
    make("two of three, and two", twoOfThree, ["W1", "W3"], held),
    make("two of three, and one", twoOfThree, ["W3"], missed),
    make("two of three, and one twice", twoOfThree, ["W3", "W3"], missed),
    make("two of three, and somebody else", twoOfThree, ["W3", "W9"], missed),
    make("a group in a group", nested, ["W1", "W3"], held),
    make("a group in a group, without the one", nested, ["W2", "W3"], missed),
    make("nobody has to", "quorum none\n", [], held),
    make("one witness", `${witnessLines}quorum W2\n`, ["W2"], held),
    make("tabs, spaces and comments", `\t# a comment\n\n  quorum \t none  \n`, [], held),
    make("no quorum line", witnessLines, [], bad),
    make("two quorum lines", "quorum none\nquorum none\n", [], bad),
    make("no last newline", "quorum none", [], bad),
    make("carriage returns", "quorum none\r\n", [], bad),
    make("a name that comes later", `quorum W1\n${witnessLines}`, [], bad),
    make("a name twice", `${witnessLines}${witnessLines}quorum none\n`, [], bad),
    make("a key under two names", `${alias}group two 2 W1 W4\nquorum two\n`, ["W1", "W4"], bad),
    make("a member twice", `${witnessLines}group two 2 W1 W1\nquorum two\n`, ["W1"], bad),
    make("a member of two groups", `${witnessLines}group a 1 W1\ngroup b 2 a W1\nquorum b\n`, ["W1"], bad),
    make("a number above the members", `${witnessLines}group a 4 W1 W2 W3\nquorum a\n`, [], bad),
    make("the number zero", `${witnessLines}group a 0 W1\nquorum a\n`, [], bad),
    make("a log's key as a witness", `witness W1 ${vkey}\nquorum W1\n`, [], refused("unsupported_key")),
    make("a key that is none", "log x\nquorum none\n", [], refused("malformed_key")),
  ];
}
