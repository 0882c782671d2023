import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { createLookup } from "../../untrusted/outbound/dns-lookup.ts";
import { mostOfShares, runFairBatch } from "../fair-batch.ts";
import { recordCheck } from "./check-result.ts";
import { findProof, type ProofOptions } from "./domain-proof.ts";
import { domainLeases, findDue, type LeasedDomain } from "./due-domains.ts";

/** The most checks at once: in all, which all accounts share, of one registered domain, and of one account. */
const mostAtOnce = 64;
const mostOfSite = 2;
const mostOfAccount = 4;
const timeoutMs = 10_000;

/**
 * Returns a function that checks the proofs of claimed domains, and rechecks proved ones, until none is due.
 *
 * @param options.send overrides for the tests' servers
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
  const proofOptions: ProofOptions = {
    texts: { servers, timeoutMs: options.textsTimeoutMs },
    send: {
      // A local host name is nobody's domain, wherever the service runs.
      policy: { allowsLocalhost: false },
      headers: { Accept: "text/plain", "User-Agent": `Earnest-Domain/1 (+${config.publicUrl})` },
      timeoutMs,
      ...(servers ? { lookup: createLookup({ servers }) } : {}),
      ...options.send,
    },
    port: options.port,
  };

  async function check(leased: LeasedDomain, signal?: AbortSignal): Promise<void> {
    const proof = await findProof(leased, { ...proofOptions, send: { ...proofOptions.send, signal } });
    if (proof.method === "aborted") return domainLeases.giveBack(db, leased);
    const status = await recordCheck(db, leased, proof);
    log.debug({ claim_id: leased.id, status, result: proof }, "domain checked");
  }

  return async (signal) => {
    await runFairBatch<LeasedDomain>({
      find: (full) => findDue(db, full),
      take: (ids) => domainLeases.take(db, ids),
      act: (leased) => check(leased, signal),
      failed: (error, { id }) => log.error({ err: error, claim_id: id }, "a check of a domain failed"),
      mostAtOnce,
      mostOfKeys: [mostOfSite, mostOfAccount, ...mostOfShares(mostAtOnce)],
      signal,
    });
    return domainLeases.secondsToNext(db);
  };
}
