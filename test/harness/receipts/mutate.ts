import { Buffer } from "node:buffer";

/** Pseudo-random numbers from a seed (mulberry32). */
export function createChance(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (limit: number) => Math.floor(next() * limit),
    one: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
  };
}
export type Chance = ReturnType<typeof createChance>;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Values that are known to trip readers of JSON. */
const oddValues: readonly Json[] = [
  ...[null, true, false, 0, 1, -1, 2 ** 53, 2 ** 53 - 1, 1e21, 0.1, -0.5],
  ...["", "0", "00", "-1", "1e3", "0x", " ", "\u0000", "\ufeff", "\u0661", "null", "__proto__"],
  ...[
    "ord_0",
    "eip155:1",
    "did:web:market.example",
    "did:web:evil.example",
    "2026-11-20T12:00:00Z",
    "constructor",
  ],
  `0x${"00".repeat(20)}`,
  `0x${"ff".repeat(32)}`,
  `0x${"FF".repeat(32)}`,
  "https://evil.example/",
  "https://market.example/api/v1/receipts/rcp_x",
  String(2n ** 128n),
  "A".repeat(3000),
  [],
  {},
  [[]],
  { toJSON: "x" },
  JSON.parse('{"__proto__":{"valid":true}}'),
];
const oddNames = [
  "__proto__",
  "constructor",
  "toJSON",
  "proof",
  "id",
  "@context",
  "",
  "valid",
  "then",
  "amount ",
];
const oddCharacters = [
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  " ",
  "\n",
  "\t",
  "\u0000",
  "\u2028",
  "\ud800",
  "\ufeff",
  "=",
  ".",
  "+",
  "/",
  "-",
  "0",
  "e",
  "é",
];

/** Changes characters anywhere, without regard to their meaning. */
export function mutateText(text: string, other: string, chance: Chance): string {
  let result = text;
  for (let times = 1 + chance.below(3); times > 0; times--) {
    const at = chance.below(result.length + 1);
    const length = chance.below(chance.one([2, 8, 80]));
    const head = result.slice(0, at);
    const tail = result.slice(at);
    result = chance.one([
      () => head + chance.one(oddCharacters) + tail,
      () => head + String.fromCharCode(chance.below(0x10000)) + tail.slice(1),
      () => head + String.fromCharCode((tail.charCodeAt(0) || 0) ^ (1 << chance.below(7))) + tail.slice(1),
      () => head + tail.slice(length),
      () => head + tail.slice(0, length) + tail,
      () => head,
      () => head + other.slice(at),
      () => head + other.slice(at, at + length) + tail.slice(length),
    ])();
  }
  return result;
}

/** Returns every place in a value, as its object and its name there. */
function placesIn(
  value: Json,
  found: [Record<string, Json>, string][] = [],
): [Record<string, Json>, string][] {
  if (typeof value !== "object" || value === null) return found;
  for (const name of Object.keys(value)) {
    found.push([value as Record<string, Json>, name]);
    placesIn((value as Record<string, Json>)[name] as Json, found);
  }
  return found;
}

/** Far faster than structuredClone on plain JSON. */
const copy = (value: unknown): Json => (value === undefined ? null : JSON.parse(JSON.stringify(value)));

/** Each call makes a copy, because a later change of the value would change the list. */
const oddValue = (chance: Chance): Json => copy(chance.one(oddValues));

/** Changes members and values, and keeps the JSON valid. */
export function mutateValue<T>(original: T, other: T, chance: Chance): T {
  const [value, donor] = [copy(original), copy(other)];
  for (let times = 1 + chance.below(2); times > 0; times--) {
    const positions = placesIn(value);
    const place = chance.one(positions);
    if (!place) break;
    const [holder, name] = place;
    const [otherHolder, otherName] = chance.one(positions) as [Record<string, Json>, string];
    const donated = chance.one(placesIn(donor).filter(([, donorName]) => donorName === name));
    chance.one([
      () => {
        holder[name] = oddValue(chance);
      },
      () => {
        delete holder[name];
      },
      () =>
        Object.defineProperty(holder, chance.one(oddNames), {
          value: oddValue(chance),
          enumerable: true,
          configurable: true,
          writable: true,
        }),
      () => {
        holder[name] = copy(otherHolder[otherName]);
      },
      () => {
        if (donated) holder[name] = donated[0][donated[1]] as Json;
      },
      () => {
        holder[name] = tweak(holder[name] as Json, chance);
      },
      () => {
        holder[name] = tweak(holder[name] as Json, chance);
      },
      () => {
        holder[name] = [holder[name] as Json];
      },
      () => {
        holder[`${name}\u200b`] = holder[name] as Json;
      },
    ])();
  }
  return value as T;
}

/** Returns another value of the same type. */
function tweak(value: Json, chance: Chance): Json {
  if (typeof value === "number") return value + chance.one([1, -1, 0.5, 2 ** 32, 2 ** 53]);
  if (typeof value !== "string") return oddValue(chance);
  const at = chance.below(value.length);
  const letter = chance.one([..."0123456789abcdefABCDEFxyz:/.-_#%"]);
  return chance.one([
    value.slice(0, at) + letter + value.slice(at + 1),
    value.toUpperCase(),
    value.toLowerCase(),
    ` ${value}`,
    `${value}\n`,
    value + letter,
    value.slice(0, -1),
    value.replace("Z", "+00:00"),
    value.replace("market", "evil"),
    value.normalize("NFKD"),
  ]);
}

/** Writes a value as other text of the same meaning: white space, order of members, escapes. */
export function rewrite(value: unknown, chance: Chance): string {
  const space = () => chance.one(["", "", " ", "\n", "\t\r "]);
  const string = (text: string) =>
    JSON.stringify(text).replace(/[a-z/]/gi, (letter, at: number, all: string) =>
      all[at - 1] === "\\" || chance.below(20) > 0
        ? letter
        : `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  const write = (part: unknown): string => {
    if (typeof part === "string") return string(part);
    if (typeof part !== "object" || part === null) return JSON.stringify(part);
    // The generic map is used, because a mutated array may have a member called constructor.
    if (Array.isArray(part)) return `[${Array.from(part, write).join(",")}]`;
    const members = Object.entries(part).map(
      ([name, member]) => `${space()}${string(name)}${space()}:${space()}${write(member)}${space()}`,
    );
    for (let at = members.length - 1; at > 0; at--) {
      const to = chance.below(at + 1);
      [members[at], members[to]] = [members[to] as string, members[at] as string];
    }
    return `{${members.join(",")}}`;
  };
  return `${space()}${write(value)}${space()}`;
}

/** Changes a compact JWS part by part: content, encoding and origin. */
export function mutateJws(jws: string, other: string, chance: Chance): string {
  const parts = jws.split(".");
  const at = chance.below(3);
  const part = parts[at] ?? "";
  const bytes = Buffer.from(part, "base64url");
  const flipped = Buffer.from(bytes);
  const bit = chance.below(bytes.length * 8);
  flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  const json = (change: (value: Json) => Json) => {
    if (at === 2) return flipped.toString("base64url");
    return Buffer.from(JSON.stringify(change(JSON.parse(bytes.toString())))).toString("base64url");
  };
  parts[at] = chance.one([
    () => flipped.toString("base64url"),
    () => `${part}=`,
    () => bytes.toString("base64"),
    () => part.slice(0, -1) + String.fromCharCode(part.charCodeAt(part.length - 1) + 1),
    () => Buffer.concat([bytes, bytes.subarray(0, 1)]).toString("base64url"),
    () => other.split(".")[at] ?? "",
    () => "",
    () => json((value) => mutateValue(value, value, chance)),
    () => json((value) => mutateValue(value, value, chance)),
    () => json((value) => value),
    () => Buffer.from(mutateText(bytes.toString("latin1"), other, chance), "latin1").toString("base64url"),
  ])();
  return parts.join(".");
}
