import { hash } from "node:crypto";
import type { Hex } from "viem";
import { setSha256 } from "./settlement/sha256.ts";

/** SHA-256 by Node's own code. */
export const nativeSha256 = (text: string): Hex => `0x${hash("sha256", text, "hex")}`;

/** Has this process, or this thread, hash by it. */
export function plugInSha256(): void {
  setSha256(nativeSha256);
}
