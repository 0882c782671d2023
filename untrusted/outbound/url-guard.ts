import { isIP } from "node:net";
import { domainToUnicode } from "node:url";
import { nameSpecialAddress } from "./special-addresses.ts";

/** The stable codes of refused URLs. */
export type UrlRefusalCode =
  /** not an absolute URL in one plain writing: too long, spaces, backslashes, a fragment */
  | "invalid_url"
  /** another scheme than https */
  | "insecure_scheme"
  | "credentials_in_url"
  | "forbidden_port"
  /** the host is not plainly written: numbers in disguise, escapes, a trailing dot, empty or too long labels */
  | "invalid_host"
  /** a name that only means something inside some network */
  | "forbidden_host"
  /** an address that is not of the public Internet */
  | "forbidden_address";

export interface UrlRefusal {
  isAllowed: false;
  code: UrlRefusalCode;
  /** A sentence for the owner of the URL. It never says what a name resolves to. */
  message: string;
}

export type UrlCheck = AllowedUrl | UrlRefusal;

export interface AllowedUrl {
  isAllowed: true;
  url: URL;
  /** The addresses to connect to; null if the host is a name, which the DNS resolves. */
  addresses: readonly string[] | null;
}

export interface UrlPolicy {
  /** Allows localhost and 127.0.0.1, by http too and on any port. */
  allowsLocalhost: boolean;
  /** Addresses that count as public, for the receivers of tests. */
  publicAddresses?: readonly string[];
}

/** Returns the policy of a service at this URL. A service at localhost may connect to localhost. */
export function policyOf(publicUrl: string): UrlPolicy {
  return { allowsLocalhost: localhosts.has(new URL(publicUrl).hostname) };
}

const maxUrlLength = 2048;

/** Loopback hosts, with the addresses to connect to. */
const localhosts = new Map([
  ["localhost", ["127.0.0.1", "::1"]],
  ["127.0.0.1", ["127.0.0.1"]],
]);

/**
 * Names that no public DNS answers, or that a resolver answers with something of its own network: RFC 6761, 6762, 7686,
 * 8375, 9476, ICANN's `.internal`, and what routers, clusters and clouds use unasked.
 */
const localSuffixes = [
  ...["localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan"],
  ...["home.arpa", "onion", "alt", "svc"],
];

/**
 * Refused ports from 1024 on, of services that trust every client or of other protocols. Below 1024, only the
 * port of https is allowed.
 */
const forbiddenPorts = new Set([
  // Databases, caches and queues.
  ...[
    1433, 1521, 2181, 2379, 2380, 3306, 5432, 5672, 5984, 6379, 6380, 7000, 7001, 8086, 9042, 9092, 9200,
    9300,
  ],
  ...[11211, 15672, 26379, 27017, 27018, 27019],
  // Machines and clusters: Docker, Kubernetes, Consul, Vault, remote desktops, X11.
  ...[
    2375, 2376, 2377, 3389, 5900, 5901, 5985, 5986, 6000, 6443, 8200, 8300, 8301, 8500, 8501, 10250, 10255,
    10256,
  ],
  // The Fetch standard's ports of other protocols.
  ...[
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
    10080,
  ],
]);

/**
 * Checks whether an untrusted URL may be requested, by the URL alone. A name may still resolve to a forbidden address, which
 * `sendGuarded` checks when it connects. Never throws.
 */
export function checkUrl(text: string, policy: UrlPolicy): UrlCheck {
  if (typeof text !== "string" || text.length === 0) return refuse("invalid_url", "The URL is empty.");
  if (text.length > maxUrlLength) {
    return refuse("invalid_url", `The URL is longer than ${maxUrlLength} characters.`);
  }
  // Parsers drop, move or reinterpret these, each in its own way.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0020\u007f-\u009f\\]|\p{Zs}|\p{Cf}/u.test(text)) {
    return refuse("invalid_url", "The URL has a space, a control character or a backslash in it.");
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return refuse("invalid_url", "The URL is not an absolute URL with a valid host.");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return refuse("insecure_scheme", "The URL must begin with https://.");
  }
  const [, authority] = /^https?:\/\/([^/?#]+)/i.exec(text) ?? [];
  if (authority === undefined) return refuse("invalid_url", "The URL must begin with https:// and a host.");
  if (authority.includes("@")) {
    return refuse("credentials_in_url", "The URL must not carry a user name or a password.");
  }
  if (text.includes("#")) return refuse("invalid_url", "The URL must not have a fragment (#).");

  const local = policy.allowsLocalhost
    ? localhosts.get(authority.toLowerCase().replace(/:[1-9]\d*$/, ""))
    : undefined;
  if (local) return { isAllowed: true, url, addresses: local };
  if (url.protocol !== "https:") return refuse("insecure_scheme", "The URL must begin with https://.");
  return refusePort(url, authority) ?? checkHost(url, authority, policy);
}

/** Returns why an IP address is refused; null if it is allowed. */
export function checkAddress(address: string, policy?: UrlPolicy): UrlRefusal | null {
  if (policy?.publicAddresses?.includes(address)) return null;
  const name = nameSpecialAddress(address);
  return name === null ? null : refuse("forbidden_address", `The host is ${name}, not a public one.`);
}

function refusePort(url: URL, authority: string): UrlRefusal | null {
  // A colon after the host, or after the bracket that ends an IPv6 address.
  const [, written] = /:([^\]]*)$/.exec(authority.replace(/^\[[^\]]*\]/, "")) ?? [];
  if (written !== undefined && !/^[1-9]\d*$/.test(written)) {
    return refuse("invalid_url", "The port is not a plain number.");
  }
  const port = Number(url.port || 443);
  if ((port < 1024 && port !== 443) || forbiddenPorts.has(port)) {
    return refuse(
      "forbidden_port",
      `Port ${port} is not allowed: use 443, or a port from 1024 on that no other protocol uses.`,
    );
  }
  return null;
}

function checkHost(url: URL, authority: string, policy: UrlPolicy): UrlCheck {
  const host = url.hostname;
  if (host.startsWith("[")) {
    const address = host.slice(1, -1);
    return checkAddress(address, policy) ?? { isAllowed: true, url, addresses: [address] };
  }
  // The parsed host must equal the written host, which refuses 0x7f.1, 2130706433, %31 and fullwidth digits.
  const written = authority.replace(/:\d*$/, "").toLowerCase();
  if (written !== host && written.normalize("NFC") !== domainToUnicode(host)) {
    return refuse(
      "invalid_host",
      "The host is not written plainly: write the name, or the address as four decimal numbers.",
    );
  }
  if (isIP(host)) return checkAddress(host, policy) ?? { isAllowed: true, url, addresses: [host] };
  if (
    host.length > 253 ||
    !/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(host)
  ) {
    return refuse(
      "invalid_host",
      "The host is not a name of the DNS: letters, digits, hyphens, single dots, none at the end.",
    );
  }
  if (!host.includes(".") || localSuffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))) {
    return refuse("forbidden_host", `${host} is a name inside some network, not one of the public DNS.`);
  }
  return { isAllowed: true, url, addresses: null };
}

function refuse(code: UrlRefusalCode, message: string): UrlRefusal {
  return { isAllowed: false, code, message };
}
