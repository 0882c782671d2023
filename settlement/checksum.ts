import type { Address } from "viem";
import { checksumAddress as write } from "./primitives.ts";

/** Places for addresses that are remembered, a power of 2; a list shows the same few again and again. */
const places = 16_384;
const known = new Array<Address | undefined>(places).fill(undefined);
const shown = new Array<Address | undefined>(places).fill(undefined);

/**
 * An address in its EIP-55 form, remembered: each is a hash. It has its place by its last digits, and takes it from
 * another: to look it up in a map would take twice the time, as the engine hashes a new text for that.
 */
export function checksumAddress(address: Address): Address {
  const place = placeOf(address);
  if (known[place] === address) return shown[place] as Address;
  const form = write(address);
  // A copy: what is cut from a longer text would keep all of that.
  known[place] = `${address} `.slice(0, -1) as Address;
  shown[place] = form;
  return form;
}

function placeOf(address: Address): number {
  let digits = 0;
  for (let at = 38; at < 42; at += 1) digits = (digits << 4) ^ address.charCodeAt(at);
  return digits & (places - 1);
}
