import type { Address } from "viem";
import type { ChainHistory } from "./chain-history.ts";
import { countOtherProviders, type Payment } from "./other-providers.ts";
import { recordedUntil } from "./public-outcome.ts";
import type { PublicRecord } from "./public-record.ts";
import type { RecordFinding } from "./recompute.ts";

type Answers = { findings: RecordFinding[]; unknown: string[] };

/**
 * Compares the buyers' numbers of a record with the events of all chains together, because a buyer may pay and get old on
 * any of them.
 *
 * @param isWhole whether the histories are of all chains; a number that is too high is otherwise not known to be wrong
 */
export async function checkWallets(
  published: PublicRecord,
  histories: readonly ChainHistory[],
  { isWhole, answers }: { isWhole: boolean; answers: Answers },
): Promise<void> {
  const report = (finding: RecordFinding) => {
    if (isWhole) answers.findings.push(finding);
    else answers.unknown.push(`${finding.what}; not all chains were read`);
  };
  await checkOtherProviders(published, histories, report);
  await checkAges(published, histories, { report, unknown: answers.unknown });
}

/** Compares the claimed numbers of other providers with the chains' maximum at the record's time. */
async function checkOtherProviders(
  { record, outcomes, counterparties }: PublicRecord,
  histories: readonly ChainHistory[],
  report: (finding: RecordFinding) => void,
): Promise<void> {
  const own = [...new Set(outcomes.map(({ provider }) => provider.toLowerCase()))];
  const elsewhere: Payment[] = [];
  for (const history of histories) {
    const asOf = (await history.blockAt(Date.parse(record.as_of))) ?? 0n;
    for (const { buyer, payer, provider, released, settled } of history.escrows.values()) {
      if (released > 0n && settled !== null && settled <= asOf && !own.includes(provider))
        elsewhere.push({ wallet: buyer, provider }, { wallet: payer, provider });
    }
  }
  const paid = recordedUntil(outcomes, new Date(record.as_of)).flatMap(
    ({ wallet, provider, released, apart }) =>
      apart === null && released !== "0" ? [{ wallet, provider }] : [],
  );
  const count = countOtherProviders(own, [...elsewhere, ...paid]);
  for (const { counterparty, wallets, other_providers } of counterparties) {
    const most = count(wallets);
    if (other_providers <= most) continue;
    report({
      code: "other_providers_raised",
      what: `${counterparty} paid ${other_providers} other providers by the record, but at most ${most} by the chain`,
    });
  }
}

/** Checks that a wallet of each counterparty was in use at the claimed time, on any chain. */
async function checkAges(
  { counterparties }: PublicRecord,
  histories: readonly ChainHistory[],
  { report, unknown }: { report: (finding: RecordFinding) => void; unknown: string[] },
): Promise<void> {
  const firsts = histories.map((history) => ({ history, escrows: firstEscrowsOf(history) }));
  for (const { counterparty, wallets, wallet_since } of counterparties) {
    if (wallet_since === null) continue;
    const since = Date.parse(wallet_since);
    const isUsedOn = async ({ history, escrows }: (typeof firsts)[number]): Promise<boolean> => {
      const block = await history.blockAt(since);
      if (block === null) return false;
      for (const wallet of wallets) {
        const first = escrows.get(wallet.toLowerCase());
        if (first !== undefined && first <= block) return true;
        if (await history.isUsed(wallet as Address, block)) return true;
      }
      return false;
    };
    const used = await Promise.allSettled(firsts.map(isUsedOn));
    if (used.some((one) => one.status === "fulfilled" && one.value)) continue;
    const failed = used.find((one) => one.status === "rejected");
    if (failed) {
      const { reason } = failed;
      const why = reason instanceof Error ? reason.message.split("\n")[0] : String(reason);
      unknown.push(`the age of ${counterparty}'s wallets: ${why}`);
      continue;
    }
    const what = `${counterparty}'s wallets are in use since ${wallet_since} by the record, but the chain has no use up to then`;
    report({ code: "age_raised", what });
  }
}

/** Returns the block of the first escrow of each buyer's wallet. */
function firstEscrowsOf({ escrows }: ChainHistory): Map<string, bigint> {
  const firsts = new Map<string, bigint>();
  for (const { buyer, payer, funded } of escrows.values()) {
    for (const wallet of [buyer, payer]) {
      const first = firsts.get(wallet);
      if (first === undefined || funded < first) firsts.set(wallet, funded);
    }
  }
  return firsts;
}
