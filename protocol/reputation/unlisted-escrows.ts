import type { ChainHistory } from "./chain-history.ts";
import type { Outcome } from "./public-outcome.ts";
import type { PublicRecord } from "./public-record.ts";
import type { RecordFinding } from "./recompute.ts";

export type UnlistedOptions = {
  /** the time within which a settlement must be recorded, in milliseconds */
  lag: number;
  /** outcomes of other agents with the same payout wallets */
  others: readonly Outcome[];
  /** further payout wallets of the agent, besides those of the lines */
  wallets: readonly string[];
  /** escrows that the installation knows, by its own receipts */
  known: ReadonlySet<string>;
  /** whether an unlisted escrow is a finding even if another installation may have it */
  isStrict: boolean;
};

/**
 * Finds unlisted settled escrows of the agent's wallets. Anybody can create an escrow without an order, and
 * installations may share a contract. Only its own receipt shows that an installation knows an escrow.
 */
export async function findUnlisted(
  published: PublicRecord,
  here: readonly Outcome[],
  history: ChainHistory,
  { others, lag, wallets: named, known, isStrict }: UnlistedOptions,
  answers: { findings: RecordFinding[]; unknown: string[] },
): Promise<void> {
  const wallets = new Set(
    [...here.map(({ provider }) => provider), ...named].map((one) => one.toLowerCase()),
  );
  if (published.payoutWallet !== null) wallets.add(published.payoutWallet.toLowerCase());
  const listed = new Set([...here, ...others].map(({ escrow_id }) => escrow_id));
  const until = Date.parse(published.record.as_of) - lag;
  for (const { id, provider, settled, released, refunded } of history.escrows.values()) {
    if (settled === null || listed.has(id) || !wallets.has(provider)) continue;
    if ((await history.timeOf(settled)) > until) continue;
    const what = `escrow ${id} of ${provider} is in no list: ${released} base units were released, ${refunded} refunded`;
    if (known.has(id)) {
      answers.findings.push({ code: "unlisted", what: `${what}; a receipt shows that it was settled here` });
    } else if (isStrict) answers.findings.push({ code: "unlisted", what });
    else answers.unknown.push(`${what}. The escrow is hidden, of another installation, or without an order`);
  }
}
