import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Hex } from "viem";

/** Computes the SHA-256 of a text in UTF-8. */
export const sha256OfText = (text: string): Hex => `0x${bytesToHex(sha256(utf8ToBytes(text)))}`;
