import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { nameSpecialAddress } from "../../../../untrusted/outbound/special-addresses.ts";

/** A provider's endpoint has an address inside a private network, which the caller did not allow. */
export class PrivateAddressError extends Error {
  constructor(host: string) {
    super(`${host} is in a private network, which the provider chose: pass allowPrivate if you trust it`);
  }
}

/** Whether a URL's host is in a private network by itself: `localhost`, a name without a dot, or such an address. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) > 0) return isPrivateAddress(host);
  return !host.includes(".") || host.endsWith(".localhost");
}

/** Whether the service is in a private network, so that its providers may be there, too. It is the default of `allowPrivate`. */
export function isPrivateService(baseUrl: string): boolean {
  return isPrivateHost(new URL(baseUrl).hostname);
}

/** Finds the public addresses of a name for a connection, which then goes to no other address. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, "");
    const open = found.filter(({ address }) => !isPrivateAddress(address));
    const [first] = open;
    if (!first) callback(new PrivateAddressError(hostname), "");
    else if (options.all) callback(null, open);
    else callback(null, first.address, first.family);
  });
};

// Under NAT64, the addresses of IPv4 hosts are 64:ff9b::/96.
function isPrivateAddress(address: string): boolean {
  return nameSpecialAddress(address, { throughNat64: true }) !== null;
}
