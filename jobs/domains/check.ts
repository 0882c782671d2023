import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import type { Database } from "../../db/client.ts";
import { createLookup } from "../../outbound/resolve.ts";
import { createUnderWay } from "../under-way.ts";
import { claimDomains, type DomainClaim, returnDomain } from "./claim.ts";
import { lookForProof, type ProofOptions } from "./proof.ts";
import { recordLook } from "./record.ts";

/** Domains looked at in this process at once. */
const mostAtOnce = 64;
const timeoutMs = 10_000;
/** A lease outlives the longest look, so that nothing is looked at twice at once. */
const leaseMs = 3 * timeoutMs;

/**
 * Looks for the proofs of the domains that agents' owners claim, and again at those that are proved. Several processes may
 * do so at once.
 *
 * @param options.send how the tests' servers are reached
 */
export function createDomainChecker(
  db: Database,
  config: Pick<Config, "publicUrl" | "domainDnsServers">,
  options: {
    log: Logger;
    signal: AbortSignal;
    send?: Partial<ProofOptions["send"]>;
    textsTimeoutMs?: number;
    port?: number;
  },
) {
  const { log, signal } = options;
  const lease = randomBytes(6).toString("hex");
  const underWay = createUnderWay(look, {
    failed: (error, { id }) => log.error({ err: error, claim_id: id }, "a look at a domain went wrong"),
  });
  const servers = config.domainDnsServers;
  const looking: ProofOptions = {
    texts: { servers, timeoutMs: options.textsTimeoutMs },
    send: {
      // A name of this machine's own is nobody's domain, wherever the service runs.
      policy: { allowLocalhost: false },
      headers: { Accept: "text/plain", "User-Agent": `Earnest-Domain/1 (+${config.publicUrl})` },
      timeoutMs,
      signal,
      ...(servers ? { lookup: createLookup({ servers }) } : {}),
      ...options.send,
    },
    port: options.port,
  };

  async function look(claim: DomainClaim): Promise<void> {
    const found = await lookForProof(claim, looking);
    if (found.method === "aborted") return returnDomain(db, lease, claim.id);
    const status = await recordLook(db, claim, lease, found);
    log.debug({ claim_id: claim.id, status, found }, "domain looked at");
  }

  return {
    /** Begins what is due and has room. */
    async run(): Promise<void> {
      const slots = mostAtOnce - underWay.pieces().length;
      for (const claim of await claimDomains(db, { slots, lease, leaseMs })) underWay.begin(claim);
    },
    end: underWay.ended,
  };
}
