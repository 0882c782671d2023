import { BlockList, isIP, isIPv4 } from "node:net";
import type { Context as HonoContext } from "hono";
import type { TrustedProxies } from "../../config/limits.ts";
import type { Variables } from "../variables.ts";

/**
 * The address a request came from: the connection's, or behind proxies that are trusted what they forward. Nobody else's
 * `X-Forwarded-For` is believed.
 *
 * @returns null for a request that came over no network
 */
export function readClientAddress(c: HonoContext, proxies: TrustedProxies): string | null {
  const peer = normalise((c.env as ServerEnv)?.incoming?.socket?.remoteAddress ?? "");
  if (!peer || proxies === null) return peer;
  const forwarded = (c.req.header("x-forwarded-for") ?? "").split(",");
  let client = peer;
  // Each proxy adds at the end whom it saw: read backwards, for as long as the one who says so is trusted.
  for (let hop = 0; isTrusted(proxies, client, hop); hop += 1) {
    // The client wrote all that stands before it, as much as a header holds: that is not looked at.
    const before = normalise(forwarded.at(-1 - hop)?.trim() ?? "");
    if (!before) break;
    client = before;
  }
  return client;
}

/** What `@hono/node-server` puts beside a request. */
type ServerEnv = { incoming?: { socket?: { remoteAddress?: string } } } | undefined;

/**
 * Who is behind an address, as far as limits go: an IPv4 address, or the /64 of an IPv6 one, of which one customer has
 * at least one whole.
 */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  return `${expand(address).slice(0, 4).join(":")}::/64`;
}

/** The network that totals of all accounts count by: an IPv4 /24, or an IPv6 /48, which is what one site usually gets. */
export function wideNetworkOf(address: string): string {
  if (isIPv4(address)) return address.replace(/\d+$/, "0/24");
  return `${expand(address).slice(0, 3).join(":")}::/48`;
}

/** The address and the network that bounds count a request by; null for a request that came over no network. */
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
  return isWithin(address, proxies.networks);
}

/** Whether an address, as `readClientAddress` gives it, is in one of these networks: addresses, or CIDR. */
export function isWithin(address: string, networks: readonly string[]): boolean {
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

/** An address without port, brackets or zone; IPv4 where it is only wrapped in IPv6. Null for what is none. */
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
  // The URL parser writes every form of one address the same way.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  return [...before, ...Array(8 - before.length - after.length).fill("0"), ...after];
}
