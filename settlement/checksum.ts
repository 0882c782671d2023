import type { Address } from "viem";
import { checksumAddress as write } from "./primitives.ts";

/** So many addresses are remembered; a list shows the same few again and again. */
const most = 10_000;
const known = new Map<Address, Address>();

/** An address in its EIP-55 form, remembered: each is a hash. */
export function checksumAddress(address: Address): Address {
  const before = known.get(address);
  if (before) return before;
  // A copy: what is cut from a longer text would keep all of that.
  const own = `${address} `.slice(0, -1) as Address;
  const shown = write(own);
  if (known.size >= most) known.clear();
  known.set(own, shown);
  return shown;
}
