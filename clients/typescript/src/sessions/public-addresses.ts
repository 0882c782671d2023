import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** A provider's endpoint has an address inside a private network, which the caller did not allow. */
export class PrivateAddressError extends Error {
  constructor(host: string) {
    super(`${host} is in a private network, which the provider chose: pass allowPrivate if you trust it`);
  }
}

/** The networks that are no part of the public Internet (RFC 6890). A list also matches IPv4 addresses inside of IPv6. */
const networks = new BlockList();
for (const network of [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  // The first one is the metadata server of a cloud.
  ...["168.63.129.16/32", "192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3"],
  ...["::/96", "64:ff9b:1::/48", "2002::/16", "fc00::/7", "fe80::/9", "ff00::/8"],
]) {
  const [address = "", bits] = network.split("/");
  networks.addSubnet(address, Number(bits), address.includes(":") ? "ipv6" : "ipv4");
}

/** Whether a URL's host is in a private network by itself: `localhost`, a name without a dot, or such an address. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) > 0) return isPrivateAddress(host);
  return !host.includes(".") || host.endsWith(".localhost");
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

function isPrivateAddress(address: string): boolean {
  return networks.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
