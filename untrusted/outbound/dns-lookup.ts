import { Resolver } from "node:dns/promises";

/** Resolves a name to at least one address. Throws an error with a `code` of node:dns, or at the signal. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<string[]>;

export interface LookupOptions {
  /** DNS servers as `address:port`; the system's by default. */
  servers?: string[];
  /** Milliseconds for one query to one server, which gets two queries. */
  timeoutMs?: number;
}

/**
 * Queries the DNS itself for IPv4 and IPv6, without the hosts file and search domains. It uses none of the few threads of
 * `dns.lookup`, which slow foreign name servers could block.
 */
export function createLookup({ servers, timeoutMs = 2500 }: LookupOptions = {}): Lookup {
  return async (hostname, signal) => {
    signal.throwIfAborted();
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
      if (addresses.length > 0) return addresses;
      const failures = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
      // A missing name is only reported if every query has an answer.
      throw (
        failures.find(({ code }) => !isAbsence(code)) ??
        failures[0] ??
        new Error(`${hostname} has no address`)
      );
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  };
}

/** Whether a code of node:dns says that the name, or an address of it, does not exist. */
export function isAbsence(code: unknown): boolean {
  return code === "ENOTFOUND" || code === "ENODATA";
}
