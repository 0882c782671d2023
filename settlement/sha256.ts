import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Hex } from "viem";

type Sha256 = (text: string) => Hex;

/** The portable code: noble's. */
export const portableSha256: Sha256 = (text) => `0x${bytesToHex(sha256(utf8ToBytes(text)))}`;

let used = portableSha256;

/** Has all of `settlement/` hash by this from now on, in this process or thread. */
export function setSha256(fast: Sha256): void {
  used = fast;
}

/** SHA-256 of a text in UTF-8. */
export const sha256OfText: Sha256 = (text) => used(text);
