import { LogRejection } from "./errors.ts";
import { keyTypes, type NoteKey, parseVerifierKey } from "./note.ts";

/** The logs and witnesses that a verifier trusts (c2sp.org/tlog-policy). */
export interface Policy {
  logs: { key: NoteKey; url: string | null }[];
  witnesses: { name: string; key: NoteKey; url: string | null }[];
  /** In the order of their lines: each has members that come before it. */
  groups: { name: string; threshold: number; members: string[] }[];
  /** The witness or group that has to have cosigned; `none` if nobody has to. */
  quorum: string;
}

const maxPolicyLength = 65_536;
/** The most logs, witnesses or groups; the standard asks for 32. */
const maxOfAKind = 64;

/** Reads a policy's text. Throws `malformed_policy`, `malformed_key` or `unsupported_key`. */
export function parsePolicy(text: string): Policy {
  if (text.length > maxPolicyLength)
    throw new LogRejection("too_large", `It is longer than ${maxPolicyLength}.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(text)) throw refuse("It has a control character");
  if (text !== "" && !text.endsWith("\n")) throw refuse("The last line has no newline");
  const policy: Policy = { logs: [], witnesses: [], groups: [], quorum: "" };
  const defined = new Set<string>();
  const members = new Set<string>();
  for (const [i, line] of text.split("\n").entries()) {
    const [keyword = "", ...words] = line.split(/[ \t]+/).filter((word) => word !== "");
    if (keyword === "" || keyword.startsWith("#")) continue;
    readLine(policy, defined, members, keyword, words, `Line ${i + 1}`);
  }
  if (policy.quorum === "") throw refuse("It has no quorum line");
  return policy;
}

function readLine(
  policy: Policy,
  defined: Set<string>,
  members: Set<string>,
  keyword: string,
  words: string[],
  place: string,
): void {
  const define = (name: string) => {
    if (name === "none" || defined.has(name)) throw refuse(`${place} defines a name that is taken`);
    defined.add(name);
  };
  if (keyword === "log") {
    const [vkey, url = null, ...rest] = words;
    if (vkey === undefined || rest.length > 0) throw refuse(`${place} is not \`log <vkey> [<url>]\``);
    policy.logs.push({ key: readKey(vkey, keyTypes.ed25519, policy.logs, place), url });
  } else if (keyword === "witness") {
    const [name, vkey, url = null, ...rest] = words;
    if (name === undefined || vkey === undefined || rest.length > 0) {
      throw refuse(`${place} is not \`witness <name> <vkey> [<url>]\``);
    }
    define(name);
    policy.witnesses.push({ name, key: readKey(vkey, keyTypes.cosignature, policy.witnesses, place), url });
  } else if (keyword === "group") {
    const [name, threshold, ...names] = words;
    if (name === undefined || threshold === undefined || names.length === 0) {
      throw refuse(`${place} is not \`group <name> all|any|<k> <name>...\``);
    }
    for (const member of names) {
      if (!defined.has(member)) throw refuse(`${place} names ${quote(member)}, which no line before defines`);
      // A member that counts in two ways would make a quorum look larger than it is.
      if (members.has(member)) throw refuse(`${place} names ${quote(member)}, which is a member already`);
      members.add(member);
    }
    define(name);
    policy.groups.push({ name, threshold: readThreshold(threshold, names.length, place), members: names });
    if (policy.groups.length > maxOfAKind)
      throw new LogRejection("too_large", `${place} is a group too many.`);
  } else if (keyword === "quorum") {
    const [name, ...rest] = words;
    if (name === undefined || rest.length > 0) throw refuse(`${place} is not \`quorum <name>\``);
    if (policy.quorum !== "") throw refuse(`${place} is a second quorum line`);
    if (name !== "none" && !defined.has(name)) {
      throw refuse(`${place} names ${quote(name)}, which no line before defines`);
    }
    policy.quorum = name;
  } else throw refuse(`${place} begins with ${quote(keyword)}`);
}

function readKey(vkey: string, type: number, others: readonly { key: NoteKey }[], place: string): NoteKey {
  const key = parseVerifierKey(vkey);
  if (key.type !== type) throw new LogRejection("unsupported_key", `${place} has a key of another kind.`);
  if (others.length >= maxOfAKind) throw new LogRejection("too_large", `${place} is one too many.`);
  if (others.some((other) => String(other.key.publicKey) === String(key.publicKey))) {
    throw refuse(`${place} has a key that another line has`);
  }
  return key;
}

function readThreshold(text: string, members: number, place: string): number {
  if (text === "any") return 1;
  if (text === "all") return members;
  const threshold = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : 0;
  if (threshold < 1 || threshold > members) throw refuse(`${place} needs a number from 1 to ${members}`);
  return threshold;
}

/** Whether the witnesses who cosigned, by their names in the policy, are enough. */
export function isQuorum({ groups, quorum }: Policy, cosigned: Iterable<string>): boolean {
  const witnessed = new Set(cosigned);
  for (const { name, threshold, members } of groups) {
    if (members.filter((member) => witnessed.has(member)).length >= threshold) witnessed.add(name);
  }
  return quorum === "none" || witnessed.has(quorum);
}

const refuse = (why: string) => new LogRejection("malformed_policy", `${why}.`);
const quote = (name: string) => JSON.stringify(name.slice(0, 60));
