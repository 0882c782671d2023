import { BlockList, isIP, isIPv4 } from "node:net";
import type { Context as HonoContext } from "hono";
import type { TrustedProxies } from "../../config/limits.ts";
import type { Variables } from "../variables.ts";

/**
 * Reads the address that a request came from: the address of the connection, or the forwarded address if the connection
 * comes from a trusted proxy. `X-Forwarded-For` of any other peer is ignored.
 *
 * @returns null for a request that came over no network
 */
export function readClientAddress(c: HonoContext, proxies: TrustedProxies): string | null {
  const peer = normalise((c.env as ServerEnv)?.incoming?.socket?.remoteAddress ?? "");
  if (!peer || proxies === null) return peer;
  const forwarded = (c.req.header("x-forwarded-for") ?? "").split(",");
  let client = peer;
  // Each proxy appends the address it saw. The list is read from its end, while the proxy that wrote the entry is trusted.
  for (let hop = 0; isTrusted(proxies, client, hop); hop += 1) {
    // The client wrote all earlier entries. Only the entry in question is parsed, however long the header is.
    const before = normalise(forwarded.at(-1 - hop)?.trim() ?? "");
    if (!before) break;
    client = before;
  }
  return client;
}

/** The part of `@hono/node-server`'s environment that holds the connection. */
type ServerEnv = { incoming?: { socket?: { remoteAddress?: string } } } | undefined;

/**
 * The network that limits count an address by: an IPv4 address itself, or the /64 of an IPv6 address. One customer has at
 * least a whole /64.
 */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  return `${expand(address).slice(0, 4).join(":")}::/64`;
}

/** The network that totals of all accounts count an address by: an IPv4 /24, or an IPv6 /48, as one site usually gets. */
export function wideNetworkOf(address: string): string {
  if (isIPv4(address)) return address.replace(/\d+$/, "0/24");
  return `${expand(address).slice(0, 3).join(":")}::/48`;
}

/** The address and the network that limits count a request by; null for a request that came over no network. */
export function originOf(c: HonoContext<{ Variables: Variables }>): {
  address: string | null;
  network: string | null;
} {
  const client = c.get("clientAddress");
  return client
    ? { address: networkOf(client), network: wideNetworkOf(client) }
    : { address: null, network: null };
}

function isTrusted(proxies: NonNullable<TrustedProxies>, address: string, hop: number): boolean {
  if ("hops" in proxies) return hop < proxies.hops;
  return isInNetworks(address, proxies.networks);
}

/** Whether an address, as `readClientAddress` returns it, is in one of these networks (addresses or CIDR). */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  return blockListOf(networks).check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

const blockLists = new WeakMap<readonly string[], BlockList>();

function blockListOf(networks: readonly string[]): BlockList {
  const known = blockLists.get(networks);
  if (known) return known;
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    list.addSubnet(address, bits === undefined ? (family === "ipv4" ? 32 : 128) : Number(bits), family);
  }
  blockLists.set(networks, list);
  return list;
}

/** An address without port, brackets and zone; IPv4 if it is mapped into IPv6; null for a text that is no address. */
function normalise(text: string): string | null {
  const bare =
    /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%.*$/, "");
  if (isIP(address) === 0) return null;
  if (isIPv4(address)) return address;
  const groups = expand(address);
  const wrapped = groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff";
  if (!wrapped) return new URL(`http://[${address}]`).hostname.slice(1, -1);
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join(".");
}

/** The eight groups of an IPv6 address, in hex without leading zeros. */
function expand(address: string): string[] {
  // The URL parser normalises every form of an address.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  return [...before, ...Array(8 - before.length - after.length).fill("0"), ...after];
}
