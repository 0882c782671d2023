import { Resolver } from "node:dns/promises";

/** The addresses of a name, at least one. Throws an error with a `code` of node:dns, or when the signal says so. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<string[]>;

export interface LookupOptions {
  /** DNS servers as `address:port`; the system's unless told. */
  servers?: string[];
  /** For one question to one server; it is asked twice. */
  timeoutMs?: number;
}

/**
 * Asks the DNS itself for IPv4 and IPv6, once each: not the machine's hosts file, no search domains, and none of the few
 * threads that `dns.lookup` waits in, where slow name servers of strangers would hold up everybody.
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
      // "There is none" is said only where no question stayed without an answer.
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
