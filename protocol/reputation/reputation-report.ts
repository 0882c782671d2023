import type { PublicClient } from "viem";
import { findUnchecked } from "../settlement/served-chains.ts";
import { mostOfWallet } from "./agent-record.ts";
import { ChainHistory } from "./chain-history.ts";
import { Installation, type PublicRecord } from "./public-record.ts";
import { checkReceipts, readKeptReceipts } from "./receipt-check.ts";
import {
  type Comparison,
  countedLines,
  findContradictions,
  numbersOf,
  type RecordFinding,
  recompute,
} from "./recompute.ts";
import { type ChainCheckOptions, checkChain } from "./record-chain-check.ts";
import { checkStatement, type StatementState } from "./statement-check.ts";
import { checkWallets } from "./wallet-check.ts";

export type AuditOptions = {
  /** the installation's API, as in `https://earnest.example/api/v1` */
  api: string;
  slug: string;
  /** the did:web name of the receipts' issuer */
  issuer: string;
  /** a node of each chain; without any, nothing is compared with a chain */
  nodes: readonly { chainId: number; client: PublicClient }[];
  /** see `ChainCheckOptions` */
  contracts: readonly string[];
  /** the first block of the contracts' events on each chain; searched without one */
  firstBlocks: ReadonlyMap<number, bigint>;
  lag: number;
  /** other agents with the same payout wallets, besides those in the record */
  also: readonly string[];
  checksReceipts: boolean;
  /** stored settlement documents as text, which show that the installation knows their escrows */
  storedReceipts: readonly string[];
  /** see `ChainCheckOptions` */
  isStrict: boolean;
};

/** An agent's claimed and recomputed numbers, with all findings. */
export type Audit = {
  agent: string;
  as_of: string;
  /** `unknown`: nothing differs, but something could not be checked */
  verdict: "agrees" | "differs" | "unknown";
  comparisons: Comparison[];
  findings: RecordFinding[];
  unknown: string[];
  /** the checked data */
  checked: {
    outcomes: number;
    counterparties: number;
    receipts: number | null;
    statement: StatementState | null;
    /** the agreeing outcomes of each chain; null if the chain could not be read */
    chains: { chain: string; outcomes: number; agreed: number | null }[];
  };
  /** claims of the installation that nobody can check */
  word: string[];
};

/**
 * Reads an agent's record with its lines from an installation, recomputes it, and compares it with the receipts and,
 * with nodes, with the chains.
 *
 * @throws Unreadable if the installation does not serve them
 */
export async function auditAgent(options: AuditOptions): Promise<Audit> {
  const { slug, issuer, nodes, also, checksReceipts } = options;
  const installation = new Installation(options.api);
  const published = await installation.readRecord(slug);
  const findings = findContradictions(published, options.lag, Date.now());
  const unknown: string[] = [];

  const receipts = checksReceipts
    ? await checkReceipts(installation, published.outcomes, { issuer })
    : { findings: [], agreements: new Map<string, string>(), good: null };
  findings.push(...receipts.findings);

  const statement = checksReceipts ? await checkStatement(published, slug, options.lag, { issuer }) : null;
  findings.push(...(statement?.findings ?? []));
  unknown.push(...(statement?.unknown ?? []));

  const chains: Audit["checked"]["chains"] = [];
  if (nodes.length > 0) {
    const names = [...new Set([...published.record.same_wallet, ...also])].filter((name) => name !== slug);
    const storedReceipts = await readKeptReceipts(options.storedReceipts, issuer);
    unknown.push(...storedReceipts.unknown);
    const others = await installation.readOutcomesOf(names);
    const knowsLists = others.isWhole && published.record.same_wallet.length < mostOfWallet;
    if (!knowsLists)
      unknown.push("the lists of all agents with the same wallets: there are too many to read");
    chains.push(
      ...(await checkChains(published, options, {
        findings,
        unknown,
        shared: {
          contracts: options.contracts,
          lag: options.lag,
          agreements: receipts.agreements,
          others: others.outcomes,
          wallets: statement?.wallets ?? [],
          // An unlisted escrow may be in a list that was not read.
          known: knowsLists ? storedReceipts.escrows : new Set<string>(),
          isStrict: knowsLists && options.isStrict,
        },
      })),
    );
  }
  return {
    agent: slug,
    as_of: published.record.as_of,
    verdict: findings.length > 0 ? "differs" : unknown.length > 0 ? "unknown" : "agrees",
    comparisons: recompute(published),
    findings,
    unknown,
    checked: {
      outcomes: published.outcomes.length,
      counterparties: published.counterparties.length,
      receipts: receipts.good,
      statement: statement?.state ?? null,
      chains,
    },
    word: wordOf(published, nodes.length > 0),
  };
}

/**
 * Compares the lines with every chain of the installation and of the lines. A chain without an answer hides no result of
 * another.
 *
 * @returns the agreeing outcomes of each chain
 */
async function checkChains(
  published: PublicRecord,
  { nodes, firstBlocks }: AuditOptions,
  {
    shared,
    ...answers
  }: Pick<Audit, "findings" | "unknown"> & { shared: Omit<ChainCheckOptions, "fromBlock"> },
): Promise<Audit["checked"]["chains"]> {
  const linesOf = Map.groupBy(published.outcomes, ({ chain }) => chain);
  const listed = published.chains.map(({ chain_id }) => `eip155:${chain_id}`);
  const without = findUnchecked(published.chains, nodes).map(({ what }) => what);
  answers.unknown.push(...without);
  const histories: ChainHistory[] = [];
  const chains: Audit["checked"]["chains"] = [];
  for (const chain of new Set([...listed, ...linesOf.keys()])) {
    const outcomes = linesOf.get(chain)?.length ?? 0;
    const node = nodes.find(({ chainId }) => chain === `eip155:${chainId}`);
    let agreed: number | null = null;
    if (node) {
      const { chainId, client } = node;
      const history = new ChainHistory(client);
      try {
        const options = { ...shared, fromBlock: firstBlocks.get(chainId) ?? null };
        const found = await checkChain(published, chainId, history, options);
        agreed = found.agreed;
        answers.findings.push(...found.findings);
        answers.unknown.push(...found.unknown);
        histories.push(history);
      } catch (error) {
        answers.unknown.push(`${chain}: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
      }
    } else if (!listed.includes(chain)) {
      answers.unknown.push(
        `${outcomes} outcomes are on ${chain}, which has no node: give one by another --rpc.`,
      );
    }
    chains.push({ chain, outcomes, agreed });
  }
  if (histories.length > 0) {
    await checkWallets(published, histories, { isWhole: histories.length === chains.length, answers });
  }
  return chains;
}

/** Lists the claims that nobody can check. */
function wordOf(published: Parameters<typeof countedLines>[0], asksChain: boolean): string[] {
  const lines = countedLines(published);
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

/** Formats an audit as lines. */
export function reportAudit({
  agent,
  as_of,
  verdict,
  comparisons,
  findings,
  unknown,
  checked,
  word,
}: Audit): string[] {
  const { outcomes, counterparties, receipts, statement, chains } = checked;
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
    `checked ${outcomes} outcomes of ${counterparties} counterparties`,
    receipts === null ? "receipts: not checked" : `receipts: ${receipts} valid`,
    `statement: ${statement ?? "not checked"}`,
    ...(chains.length === 0 ? ["chain: not checked"] : []),
    ...chains.map(({ chain, outcomes, agreed }) =>
      agreed === null
        ? `chain ${chain}: not checked`
        : `chain ${chain}: ${agreed} of ${outcomes} outcomes agree`,
    ),
    ...list(
      "differs",
      findings.map(({ code, what }) => `${code}: ${what}`),
    ),
    ...list("not known", unknown),
    ...list("only the installation states", word),
    "",
    { agrees: "All checks agree.", differs: "The record differs.", unknown: "Some checks have no result." }[
      verdict
    ],
  ];
}

/** The most lines of a list; further ones are counted. */
const mostLines = 200;

function list(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const left = lines.length - mostLines;
  const shown = lines.slice(0, mostLines).map((line) => `  ${line}`);
  return [`${title}:`, ...shown, ...(left > 0 ? [`  ... and ${left} more`] : [])];
}
