import { LogRejection } from "./errors.ts";
import { keyTypes, type NoteKey, parseVerifierKey } from "./note.ts";

/** The logs and witnesses that a verifier trusts (c2sp.org/tlog-policy). */
export interface Policy {
  logs: { key: NoteKey; url: string | null }[];
  witnesses: { name: string; key: NoteKey; url: string | null }[];
  /** The groups in the order of their lines. Members are defined before their group. */
  groups: { name: string; threshold: number; members: string[] }[];
  /** The witness or group that must have cosigned; `none` if no cosignature is required. */
  quorum: string;
}

const maxPolicyLength = 65_536;
/** The limit of logs, of witnesses and of groups. The standard requires 32. */
const maxOfAKind = 64;

/** Parses the text of a policy. Throws `malformed_policy`, `malformed_key` or `unsupported_key`. */
export function parsePolicy(text: string): Policy {
  if (text.length > maxPolicyLength)
    throw new LogRejection(
      "too_large",
      `The policy has ${text.length} characters, at most ${maxPolicyLength} are allowed.`,
    );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them.
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(text)) throw refuse("The policy has a control character");
  if (text !== "" && !text.endsWith("\n")) throw refuse("The last line has no newline");
  const policy: Policy = { logs: [], witnesses: [], groups: [], quorum: "" };
  const defined = new Set<string>();
  const members = new Set<string>();
  for (const [i, line] of text.split("\n").entries()) {
    const [keyword = "", ...words] = line.split(/[ \t]+/).filter((word) => word !== "");
    if (keyword === "" || keyword.startsWith("#")) continue;
    readLine(policy, defined, members, keyword, words, `Line ${i + 1}`);
  }
  if (policy.quorum === "") throw refuse("The policy has no quorum line");
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
      if (!defined.has(member))
        throw refuse(`${place} names ${quote(member)}, which no earlier line defines`);
      // A member of two groups would count twice for the quorum.
      if (members.has(member))
        throw refuse(`${place} names ${quote(member)}, which is already a member of a group`);
      members.add(member);
    }
    define(name);
    policy.groups.push({ name, threshold: readThreshold(threshold, names.length, place), members: names });
    if (policy.groups.length > maxOfAKind)
      throw new LogRejection("too_large", `${place} exceeds the limit of ${maxOfAKind} groups.`);
  } else if (keyword === "quorum") {
    const [name, ...rest] = words;
    if (name === undefined || rest.length > 0) throw refuse(`${place} is not \`quorum <name>\``);
    if (policy.quorum !== "") throw refuse(`${place} is a second quorum line`);
    if (name !== "none" && !defined.has(name)) {
      throw refuse(`${place} names ${quote(name)}, which no earlier line defines`);
    }
    policy.quorum = name;
  } else throw refuse(`${place} has the unknown keyword ${quote(keyword)}`);
}

function readKey(vkey: string, type: number, others: readonly { key: NoteKey }[], place: string): NoteKey {
  const key = parseVerifierKey(vkey);
  if (key.type !== type) throw new LogRejection("unsupported_key", `${place} has a key of the wrong type.`);
  if (others.length >= maxOfAKind)
    throw new LogRejection("too_large", `${place} exceeds the limit of ${maxOfAKind}.`);
  if (others.some((other) => String(other.key.publicKey) === String(key.publicKey))) {
    throw refuse(`${place} repeats the key of another line`);
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

/** Checks that the witnesses who cosigned, by their names in the policy, form a quorum. */
export function isQuorum({ groups, quorum }: Policy, cosigned: Iterable<string>): boolean {
  const witnessed = new Set(cosigned);
  for (const { name, threshold, members } of groups) {
    if (members.filter((member) => witnessed.has(member)).length >= threshold) witnessed.add(name);
  }
  return quorum === "none" || witnessed.has(quorum);
}

const refuse = (why: string) => new LogRejection("malformed_policy", `${why}.`);
const quote = (name: string) => JSON.stringify(name.slice(0, 60));
