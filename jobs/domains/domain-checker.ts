import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { createLookup } from "../../untrusted/outbound/dns-lookup.ts";
import { mostOfShares, runFairBatch } from "../fair-batch.ts";
import { lookForProof, type ProofOptions } from "./domain-proof.ts";
import { type DomainClaim, findDue, returnDomain, secondsToNext, takeDomains } from "./due-domains.ts";
import { recordLook } from "./record-check.ts";

/** Looks at once: in all, which all accounts share, at one registered domain, and at what one account claimed. */
const mostAtOnce = 64;
const mostOfSite = 2;
const mostOfAccount = 4;
const timeoutMs = 10_000;

/**
 * Looks for the proofs of the domains that agents' owners claim, and again at those that are proved, until none is due.
 *
 * @param options.send how the tests' servers are reached
 */
export function createDomainChecker(
  db: Database,
  config: Pick<Config, "publicUrl" | "domainDnsServers">,
  options: {
    log: Logger;
    send?: Partial<ProofOptions["send"]>;
    textsTimeoutMs?: number;
    port?: number;
  },
): (signal?: AbortSignal) => Promise<number | null> {
  const { log } = options;
  const servers = config.domainDnsServers;
  const looking: ProofOptions = {
    texts: { servers, timeoutMs: options.textsTimeoutMs },
    send: {
      // A name of this machine's own is nobody's domain, wherever the service runs.
      policy: { allowLocalhost: false },
      headers: { Accept: "text/plain", "User-Agent": `Earnest-Domain/1 (+${config.publicUrl})` },
      timeoutMs,
      ...(servers ? { lookup: createLookup({ servers }) } : {}),
      ...options.send,
    },
    port: options.port,
  };

  async function look(claim: DomainClaim, signal?: AbortSignal): Promise<void> {
    const found = await lookForProof(claim, { ...looking, send: { ...looking.send, signal } });
    if (found.method === "aborted") return returnDomain(db, claim);
    const status = await recordLook(db, claim, found);
    log.debug({ claim_id: claim.id, status, found }, "domain looked at");
  }

  return async (signal) => {
    await runFairBatch<DomainClaim>({
      find: (full) => findDue(db, full),
      take: (ids) => takeDomains(db, ids),
      act: (claim) => look(claim, signal),
      failed: (error, { id }) => log.error({ err: error, claim_id: id }, "a look at a domain went wrong"),
      mostAtOnce,
      mostOfKeys: [mostOfSite, mostOfAccount, ...mostOfShares(mostAtOnce)],
      signal,
    });
    return secondsToNext(db);
  };
}
