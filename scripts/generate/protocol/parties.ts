import type { Address, Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/** A public test key. It must never hold anything of value. */
export const walletKey = `0x${"7e57".repeat(16)}` as const;
export const wallet = privateKeyToAccount(walletKey);
export const provider: Address = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65";
export const arbiter: Address = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
export const noArbiter: Address = "0x0000000000000000000000000000000000000000";

export const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
