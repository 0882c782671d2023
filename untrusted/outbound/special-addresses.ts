import { BlockList, isIP } from "node:net";

/**
 * Addresses outside the public Internet, by the IANA registries of special-purpose addresses (RFC 6890 and its updates).
 * The first range that holds an address names it, so the narrow ones come first.
 */
const ranges: [name: string, ...cidrs: string[]][] = [
  ["a loopback address", "127.0.0.0/8", "::1/128"],
  ["a private address", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"],
  ["a link-local address", "169.254.0.0/16", "fe80::/10"],
  ["an address of a provider's own network", "100.64.0.0/10"],
  // Azure's metadata and name server has a public number, and answers every machine of that cloud.
  ["a metadata address", "168.63.129.16/32"],
  ["an unspecified address", "0.0.0.0/8", "::/128"],
  ["an IPv4 address inside an IPv6 one", "::ffff:0:0/96", "::/96", "64:ff9b::/96", "64:ff9b:1::/48"],
  ["a 6to4 address", "192.88.99.0/24", "2002::/16"],
  ["a Teredo address", "2001::/32"],
  ["a benchmark address", "198.18.0.0/15", "2001:2::/48"],
  [
    "an address for documentation",
    ...["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"],
  ],
  ["a multicast address", "224.0.0.0/4", "ff00::/8"],
  ["an address that discards", "100::/64"],
  [
    "a reserved address",
    ...["192.0.0.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24", "240.0.0.0/4"],
    ...["2001::/23", "2620:4f:8000::/48"],
  ],
];

/**
 * The lists of each family. In a list of both families, node:net would match IPv4 addresses with ::ffff:0:0/96, and the
 * reverse.
 */
const families = {
  4: ranges.map(([name, ...cidrs]) => ({ name, list: listOf(cidrs, "ipv4") })),
  6: ranges.map(([name, ...cidrs]) => ({ name, list: listOf(cidrs, "ipv6") })),
};
/** The range that IANA assigns as global unicast. Other IPv6 addresses are refused. */
const globalUnicast = listOf(["2000::/3"], "ipv6");

/** The addresses by which a network with NAT64 reaches IPv4 (RFC 6052), and its special ranges of IPv4. */
const nat64 = listOf(["64:ff9b::/96"], "ipv6");
const specialBehindNat64 = ranges.map(([name, ...cidrs]) => ({
  name,
  list: listOf(
    cidrs.flatMap((cidr) => {
      const [network = "", bits] = cidr.split("/");
      return network.includes(":") ? [] : [`64:ff9b::${network}/${96 + Number(bits)}`];
    }),
    "ipv6",
  ),
}));

/**
 * Names why an IP address is not public, such as "a private address"; null for a public address.
 *
 * @param throughNat64 judges the IPv4 address inside of 64:ff9b::/96, for a caller who may be in a network with NAT64
 */
export function nameSpecialAddress(address: string, { throughNat64 = false } = {}): string | null {
  const family = isIP(address);
  // A zone id names an interface of this machine.
  if (family === 0 || address.includes("%")) return "not an IP address";
  if (family === 4) return families[4].find(({ list }) => list.check(address, "ipv4"))?.name ?? null;
  if (throughNat64 && nat64.check(address, "ipv6"))
    return specialBehindNat64.find(({ list }) => list.check(address, "ipv6"))?.name ?? null;
  const special = families[6].find(({ list }) => list.check(address, "ipv6"));
  if (special) return special.name;
  return globalUnicast.check(address, "ipv6") ? null : "a reserved address";
}

/** Builds a list of the ranges of one family. */
function listOf(cidrs: string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = "", bits] = cidr.split("/");
    if (network.includes(":") === (family === "ipv6")) list.addSubnet(network, Number(bits), family);
  }
  return list;
}
