import { pino } from "pino";
import type { Database } from "../../../db/client.ts";
import { createDomainChecker } from "../../../jobs/domains/domain-checker.ts";
import { createLookup } from "../../../untrusted/outbound/dns-lookup.ts";

/** Checks every domain that is due, as a worker does, with the servers of a test at 127.0.0.1. */
export async function lookAtDomains(
  db: Database,
  at: { dns: string; ca?: string; port?: number; signal?: AbortSignal },
): Promise<void> {
  const checker = createDomainChecker(
    db,
    { publicUrl: "https://earnest.example", domainDnsServers: [at.dns] },
    {
      log: pino({ level: "silent" }),
      port: at.port ?? 443,
      textsTimeoutMs: 600,
      send: {
        ...(at.ca ? { ca: at.ca } : {}),
        policy: { allowsLocalhost: false, publicAddresses: ["127.0.0.1"] },
        lookup: createLookup({ servers: [at.dns], timeoutMs: 300 }),
        timeoutMs: 1000,
      },
    },
  );
  await checker(at.signal);
}
