import type { PublicClient } from "viem";
import { mostOfWallet } from "./agent-record.ts";
import { ChainHistory } from "./chain-history.ts";
import { Installation } from "./public-record.ts";
import { checkReceipts, readKept } from "./receipt-check.ts";
import {
  type Comparison,
  countedLines,
  type Finding,
  findContradictions,
  numbersOf,
  recompute,
} from "./recompute.ts";
import { type ChainAnswers, checkChain } from "./record-chain-check.ts";
import { checkStatement, type StatementState } from "./statement-check.ts";

export type AuditOptions = {
  /** the installation's API, as in `https://earnest.example/api/v1` */
  api: string;
  slug: string;
  /** the did:web name that receipts must come from */
  issuer: string;
  /** a node of the chain; null: the chain is not asked */
  client: PublicClient | null;
  /** see `ChainCheckOptions` */
  contracts: readonly string[];
  fromBlock: bigint | null;
  lag: number;
  /** other agents that are paid at the same wallets, besides those that the record names */
  also: readonly string[];
  checksReceipts: boolean;
  /** settlement documents that somebody kept, as text: they show which escrows the installation knows */
  kept: readonly string[];
  /** see `ChainCheckOptions` */
  isStrict: boolean;
};

/** An agent's numbers as claimed and as they come to, and all that speaks against them. */
export type Audit = {
  agent: string;
  as_of: string;
  /** `unknown`: nothing differs, and something could not be asked */
  verdict: "agrees" | "differs" | "unknown";
  comparisons: Comparison[];
  findings: Finding[];
  unknown: string[];
  /** how much was looked at */
  looked: {
    outcomes: number;
    counterparties: number;
    receipts: number | null;
    statement: StatementState | null;
    on_chain: number | null;
  };
  /** what nobody can check, and stays the installation's word */
  word: string[];
};

/**
 * Reads an agent's record with all its lines from an installation, recomputes it, and compares it with the receipts and, by
 * a node, with the chain.
 *
 * @throws Unreadable where the installation does not give them
 */
export async function auditAgent(options: AuditOptions): Promise<Audit> {
  const { slug, issuer, client, also, checksReceipts } = options;
  const installation = new Installation(options.api);
  const claim = await installation.readRecord(slug);
  const findings = findContradictions(claim, options.lag, Date.now());
  const unknown: string[] = [];

  const receipts = checksReceipts
    ? await checkReceipts(installation, claim.outcomes, { issuer })
    : { findings: [], agreements: new Map<string, string>(), good: null };
  findings.push(...receipts.findings);

  const statement = checksReceipts ? await checkStatement(claim, slug, options.lag, { issuer }) : null;
  findings.push(...(statement?.findings ?? []));
  unknown.push(...(statement?.unknown ?? []));

  let chain: ChainAnswers | null = null;
  if (client) {
    const names = [...new Set([...claim.record.same_wallet, ...also])].filter((name) => name !== slug);
    const kept = await readKept(options.kept, issuer);
    unknown.push(...kept.unknown);
    const others = await installation.readOutcomesOf(names);
    const knowsLists = others.isWhole && claim.record.same_wallet.length < mostOfWallet;
    if (!knowsLists)
      unknown.push("the lists of all agents of the same wallets: they are too many to be read");
    try {
      chain = await checkChain(claim, new ChainHistory(client), {
        ...{ contracts: options.contracts, fromBlock: options.fromBlock, lag: options.lag },
        ...{ agreements: receipts.agreements, others: others.outcomes, wallets: statement?.wallets ?? [] },
        // An escrow without a list may be in a list that was not read.
        ...{ known: knowsLists ? kept.escrows : new Set<string>(), isStrict: knowsLists && options.isStrict },
      });
      findings.push(...chain.findings);
      unknown.push(...chain.unknown);
    } catch (error) {
      unknown.push(
        `the node does not tell: ${error instanceof Error ? error.message.split("\n")[0] : error}`,
      );
    }
  }
  return {
    agent: slug,
    as_of: claim.record.as_of,
    verdict: findings.length > 0 ? "differs" : unknown.length > 0 ? "unknown" : "agrees",
    comparisons: recompute(claim),
    findings,
    unknown,
    looked: {
      outcomes: claim.outcomes.length,
      counterparties: claim.counterparties.length,
      receipts: receipts.good,
      statement: statement?.state ?? null,
      on_chain: chain?.agreed ?? null,
    },
    word: wordOf(claim, client !== null),
  };
}

/** Lists the claims that nobody can check, even if everything agrees. */
function wordOf(claim: Parameters<typeof countedLines>[0], asksChain: boolean): string[] {
  const lines = countedLines(claim);
  const countIf = (holds: (line: (typeof lines)[number]) => boolean) => lines.filter(holds).length;
  const delivered = countIf(({ delivered_at }) => delivered_at !== null);
  const same = countIf(({ apart }) => apart === "same_party");
  const tied = countIf(({ apart }) => apart === "shared_wallet" || apart === "money_from_provider");
  return [
    "which agent and service of a wallet did an order",
    "which wallets are one counterparty",
    `when ${delivered} of ${lines.length} orders were delivered`,
    `that the parties of ${same} orders are one, and that those of no other are; that ${tied} are tied by wallets or money`,
    ...(asksChain ? [] : ["that the escrows are on the chain, and no others: give a node by --rpc"]),
  ];
}

/** An audit in words, line by line. */
export function reportAudit({
  agent,
  as_of,
  verdict,
  comparisons,
  findings,
  unknown,
  looked,
  word,
}: Audit): string[] {
  const { outcomes, counterparties, receipts, statement, on_chain } = looked;
  const numbers = comparisons.flatMap((one) => [
    one.service === null ? `${agent}, as of ${as_of}` : `service ${one.service}`,
    ...numbersOf(one).map(({ name, claimed, computed }) => {
      const mark = claimed === computed ? " " : "!";
      return `${mark} ${name.padEnd(34)} ${String(claimed).padStart(16)} ${String(computed).padStart(16)}`;
    }),
  ]);
  return [
    `  ${"".padEnd(34)} ${"claimed".padStart(16)} ${"recomputed".padStart(16)}`,
    ...numbers,
    "",
    `looked at ${outcomes} outcomes of ${counterparties} counterparties`,
    receipts === null ? "receipts: not asked" : `receipts: ${receipts} good`,
    `statement: ${statement ?? "not asked"}`,
    on_chain === null ? "chain: not asked" : `chain: ${on_chain} of ${outcomes} outcomes agree`,
    ...list(
      "differs",
      findings.map(({ code, what }) => `${code}: ${what}`),
    ),
    ...list("could not be told", unknown),
    ...list("stays the installation's word", word),
    "",
    { agrees: "All that was asked agrees.", differs: "It differs.", unknown: "Not all could be told." }[
      verdict
    ],
  ];
}

/** The lines of one list that are told; the others are counted. */
const toldOfList = 200;

function list(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const left = lines.length - toldOfList;
  const told = lines.slice(0, toldOfList).map((line) => `  ${line}`);
  return [`${title}:`, ...told, ...(left > 0 ? [`  ... and ${left} more`] : [])];
}
