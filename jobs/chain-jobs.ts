import type { Logger } from "pino";
import type { Chain, Config } from "../config/config.ts";
import type { ReceiptSigner } from "../config/keys/signing-key.ts";
import type { Database } from "../db/client.ts";
import { relayChannel } from "../trade/relay/relay-queue.ts";
import {
  followFeedback,
  hasOpenFeedback,
  newFeedbackProgress,
  selectNewestFeedback,
} from "./chain/follow-feedback.ts";
import { auditIndex, newAuditMemory } from "./chain/index-audit.ts";
import { watchIndex } from "./chain/index-watch.ts";
import { recheckIdentities } from "./chain/recheck-identities.ts";
import { createReorganisationRounds, mayReorganise } from "./chain/reorganisations.ts";
import type { Job } from "./job.ts";
import { settleDue } from "./orders/due-settlements.ts";
import { expireOrders, hasUnfunded } from "./orders/expire-orders.ts";
import { reconcile } from "./orders/reconcile.ts";
import { createPaymentRounds } from "./payments/follow-payments.ts";
import { createLowWalletRounds } from "./payments/low-wallets.ts";
import { createRefusedPayoutRounds } from "./payments/refused-payouts.ts";
import { type DepositRound, hasFresh, sweepDeposits } from "./payments/sweep-deposits.ts";
import { hasOpenRelay } from "./relay/relay-store.ts";
import type { Relayer } from "./relay/relayer.ts";
import { followProvenance, hasDueProvenance } from "./reputation/provenance.ts";

type Parts = {
  db: Database;
  config: Config;
  signer: ReceiptSigner;
  relayer: Relayer | null;
  log: Logger;
  signal: AbortSignal;
};

/**
 * Lists the jobs that ask the node of one chain. Each chain has its own, so a node that does not answer delays no other
 * chain. Periods are in milliseconds.
 */
export function listChainJobs(chain: Chain, { db, config, signer, relayer, log, signal }: Parts): Job[] {
  const own = { ...config, chains: [chain] };
  const options = { log, signal };
  const followReorganisations = createReorganisationRounds(db, own, signer, log);
  const payments = createPaymentRounds(db, own, options);
  const feedback = newFeedbackProgress();
  const diverging = { log, loggedAt: new Map<string, number>() };
  const auditing = { ...options, memory: newAuditMemory() };
  const lagging = { log, loggedAt: new Map<number, number>() };
  const sweep = (round: DepositRound) => {
    let part = 0;
    return () => sweepDeposits(db, own, round, { log, part: part++ });
  };
  const needsIndex = { needsIndex: true };
  const needsRelayer = { needsRelayer: true };
  const needsBoth = { ...needsIndex, ...needsRelayer };
  const oneWorker = { runBy: "one worker" } as const;

  // biome-ignore format: a table
  const jobs: Job[] = [
    { name: "reorganisations", every: 2000, due: mayReorganise(own), ...needsIndex, run: followReorganisations },
    { name: "index watch", every: 5000, ...needsIndex, run: () => watchIndex(db, own, lagging) },
    { name: "index audit", every: 60_000, ...needsIndex, ...oneWorker, run: () => auditIndex(db, own, auditing) },
    { name: "identities", every: 3000, ...needsIndex, run: () => recheckIdentities(db, own, options) },
    { name: "feedback", every: 1000, due: hasOpenFeedback(own), news: selectNewestFeedback(own), readsIndex: true, ...needsIndex, run: () => followFeedback(db, own, feedback, options) },
    { name: "expiry", every: 4000, due: hasUnfunded, readsIndex: true, ...needsIndex, run: () => expireOrders(db, own, options) },
    { name: "reconciliation", every: 30_000, ...needsIndex, run: () => reconcile(db, own, diverging) },
    ...(config.settleWhenDue
      ? [{ name: "due settlements", every: 60_000, ...needsBoth, run: () => settleDue(db, own, options) }]
      : []),
    { name: "payments", every: 1000, ...needsBoth, ...payments },
    { name: "fresh deposits", every: 2000, due: hasFresh, ...needsBoth, run: sweep("fresh") },
    { name: "open deposits", every: 60_000, ...needsBoth, run: sweep("open") },
    { name: "ended deposits", every: 600_000, ...needsBoth, run: sweep("ended") },
    { name: "low wallets", every: 60_000, ...needsIndex, ...oneWorker, run: createLowWalletRounds(db, own, { log }) },
    { name: "refused payouts", every: 30_000, ...needsIndex, ...oneWorker, run: createRefusedPayoutRounds(db, own, { log }) },
    { name: "provenance", every: 5000, due: hasDueProvenance(own), run: () => followProvenance(db, own, options) },
    { name: "relay", every: 4000, due: hasOpenRelay(chain.chain_id), wokenBy: relayChannel, ...needsRelayer, run: async () => relayer?.relay(chain.chain_id) },
    { name: `heartbeat of relayer ${relayer?.address}`, every: 60_000, ...needsRelayer, ...oneWorker, run: async () => relayer?.beat(chain.chain_id) },
  ];
  return jobs.map((job) => ({ ...job, name: `${job.name} of chain ${chain.chain_id}` }));
}
