import { getAddress, type PublicClient } from "viem";
import { compareEscrow } from "../settlement/escrow-code.ts";
import { knownTokens } from "../settlement/known-tokens.ts";
import { networks } from "../settlement/networks.ts";
import type { Outcome } from "./public-outcome.ts";
import type { RecordFinding } from "./recompute.ts";
import { fullSizes } from "./score.ts";

type Answers = { findings: RecordFinding[]; unknown: string[] };

/** Reports contracts that are no escrow of an installation. Anyone can deploy such a contract to fake events. */
export async function findForeignContracts(
  contracts: ReadonlySet<string>,
  client: PublicClient,
  named: readonly string[],
  answers: Answers,
): Promise<void> {
  const trusted = new Set(named.map((contract) => contract.toLowerCase()));
  for (const contract of contracts) {
    if (trusted.has(contract)) continue;
    const differences =
      trusted.size > 0 ? ["it was not named"] : await compareEscrow(client, getAddress(contract));
    if (differences.length > 0) {
      answers.findings.push({ code: "foreign_contract", what: `${contract}: ${differences[0]}` });
    }
  }
}

/**
 * Checks that each token is worth the currency of its lines. Anyone can deploy a token, and the score weighs some
 * currencies. Only the installation states the currency of a token that this build does not know.
 */
export async function checkCurrencies(
  lines: readonly Outcome[],
  client: PublicClient,
  answers: Answers,
): Promise<void> {
  const chainId = await client.getChainId();
  const usual = networks.find(({ chain_id }) => chain_id === chainId)?.token;
  if (!usual) return;
  const known = new Map(
    [usual, ...knownTokens(chainId)].map(({ address, currency }) => [address.toLowerCase(), currency]),
  );
  for (const [token, own] of Map.groupBy(lines, ({ token }) => token.toLowerCase())) {
    for (const currency of new Set(own.map(({ currency }) => currency))) {
      const worth = known.get(token);
      if (worth === currency) continue;
      if (worth !== undefined) {
        const what = `${token} is claimed to be worth ${currency}, but is worth ${worth}`;
        answers.findings.push({ code: "foreign_token", what });
      } else if (fullSizes.has(currency)) {
        answers.unknown.push(`whether the token ${token} is worth ${currency}`);
      }
    }
  }
}
