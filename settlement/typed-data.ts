import { type Hex, hashDomain, hashTypedData } from "viem";
import { keccak256 } from "./primitives.ts";
import type { TypedData } from "./signatures.ts";
import { wordWriterOf } from "./words.ts";

/** Of domains and of types: a service has a few of each. */
const hashesKept = 1000;
const kept = new Map<string, Hex>();

/**
 * The digest of EIP-712 typed data, as viem's `hashTypedData` has it. Most of what it hashes is the same for each message of
 * a contract, and is hashed once. What is not a flat list of addresses, numbers and words is left to viem.
 *
 * @throws what viem throws, for data that its types do not describe
 */
export function hashTyped({ domain, types, primaryType, message }: TypedData): Hex {
  const data = { domain, types, primaryType, message };
  const fields = types[primaryType];
  if (!fields || !types.EIP712Domain) return hashTypedData(data);
  const words: string[] = [];
  for (const { name, type } of fields) {
    const word = wordWriterOf(type)?.(message[name]);
    if (!word) return hashTypedData(data);
    words.push(word);
  }
  const type = `${primaryType}(${fields.map((field) => `${field.type} ${field.name}`).join(",")})`;
  const typeHash = hashOnce(type, () => keccak256(new TextEncoder().encode(type)));
  const ofDomain = { domain, types: { EIP712Domain: types.EIP712Domain } };
  const domainHash = hashOnce(JSON.stringify(ofDomain), () => hashDomain<Record<string, unknown>>(ofDomain));
  const struct = keccak256(`${typeHash}${words.join("")}`);
  return keccak256(`0x1901${domainHash.slice(2)}${struct.slice(2)}`);
}

function hashOnce(key: string, hash: () => Hex): Hex {
  const known = kept.get(key);
  if (known) return known;
  const made = hash();
  if (kept.size >= hashesKept) kept.clear();
  kept.set(key, made);
  return made;
}
