import { getAddress } from "viem";
import type { ChainEscrow, ChainHistory } from "./chain-history.ts";
import { checkCurrencies, findForeignContracts } from "./contracts-and-tokens-check.ts";
import { isMoneyFromProvider } from "./money-from-provider.ts";
import { isPaid, type Outcome } from "./public-outcome.ts";
import type { PublicRecord } from "./public-record.ts";
import { countedLines, type RecordFinding } from "./recompute.ts";
import { findUnlisted, type UnlistedOptions } from "./unlisted-escrows.ts";

export type ChainCheckOptions = UnlistedOptions & {
  /** the trusted escrow contracts; without any, those of the lines whose code is this build's */
  contracts: readonly string[];
  /** the first block of the contracts' events; null searches it */
  fromBlock: bigint | null;
  /** the agreement hash of each order, by its receipts */
  agreements: ReadonlyMap<string, string>;
};

/** The differences between the chain and the lines, and the unanswered questions. */
export type ChainAnswers = { findings: RecordFinding[]; unknown: string[]; agreed: number; escrows: number };

/**
 * Compares the lines of one chain with its events: contracts, escrows, tokens and money.
 *
 * @throws if the node does not answer, or is of another chain
 */
export async function checkChain(
  published: PublicRecord,
  chainId: number,
  history: ChainHistory,
  options: ChainCheckOptions,
): Promise<ChainAnswers> {
  const id = await history.client.getChainId();
  if (id !== chainId) throw new Error(`its node is of chain ${id}`);
  const chain = `eip155:${chainId}`;
  const here = published.outcomes.filter((line) => line.chain === chain);
  const answers: ChainAnswers = { findings: [], unknown: [], agreed: 0, escrows: 0 };
  const contracts = new Set(here.map(({ contract }) => contract.toLowerCase()));
  // An agent whose orders are all hidden has no line with a contract.
  for (const served of published.chains) {
    if (served.chain_id === chainId) contracts.add(served.escrow_contract.toLowerCase());
  }
  await findForeignContracts(contracts, history.client, options.contracts, answers);
  await checkCurrencies(here, history.client, answers);
  for (const contract of contracts) await history.read(getAddress(contract), options.fromBlock);
  answers.escrows = history.escrows.size;

  for (const line of here) {
    const findings = await compareLine(line, history, options.agreements);
    if (findings.length === 0) answers.agreed++;
    answers.findings.push(...findings);
  }
  await findUnlisted(published, here, history, options, answers);
  await checkMoney(published, here, history, answers);
  return answers;
}

/** Compares a line with its escrow's events. */
async function compareLine(
  line: Outcome,
  history: ChainHistory,
  agreements: ReadonlyMap<string, string>,
): Promise<RecordFinding[]> {
  const escrow = history.escrows.get(line.escrow_id);
  const where = `${line.order_id}, escrow ${line.escrow_id}`;
  if (!escrow || escrow.settled === null) {
    return [{ code: "not_on_chain", what: `${where}: the chain has no such settled escrow` }];
  }
  const [funded, settled, disputed] = await Promise.all([
    history.timeOf(escrow.funded),
    history.timeOf(escrow.settled),
    escrow.disputed ? history.timeOf(escrow.disputed.block) : null,
  ]);
  const pairs: [name: string, claimed: unknown, found: unknown][] = [
    ["contract", line.contract.toLowerCase(), escrow.contract],
    ["buyer", line.buyer.toLowerCase(), escrow.buyer],
    ["wallet", line.wallet.toLowerCase(), walletOf(escrow, line.wallet.toLowerCase())],
    ["provider", line.provider.toLowerCase(), escrow.provider],
    ["token", line.token.toLowerCase(), escrow.token],
    ["amount", line.amount, escrow.amount.toString()],
    ["released", line.released, escrow.released.toString()],
    ["refunded", line.refunded, escrow.refunded.toString()],
    ["promised_seconds", line.promised_seconds, escrow.deliveryWindow],
    ["funded_at", Date.parse(line.funded_at), funded],
    ["settled_at", Date.parse(line.settled_at), settled],
    ["disputed_at", line.disputed_at === null ? null : Date.parse(line.disputed_at), disputed],
    ["disputed_by", line.disputed_by, disputerOf(escrow)],
    ["dispute", line.dispute, disputeOf(escrow)],
    ["ended", line.ended, endedAs(escrow, funded, settled, line.ended)],
    ["agreement", agreements.get(line.order_id) ?? escrow.orderHash, escrow.orderHash],
  ];
  return pairs.flatMap(([name, claimed, found]): RecordFinding[] =>
    claimed === found
      ? []
      : [
          {
            code: "chain_differs",
            what: `${where}: ${name} is claimed as ${show(name, claimed)}, but the chain has ${show(name, found)}`,
          },
        ],
  );
}

/** @param claimed the chain does not tell whether the buyer's account has proved the buyer's wallet */
function walletOf({ buyer, payer }: ChainEscrow, claimed: string): string {
  return claimed === buyer ? buyer : payer;
}

const show = (name: string, value: unknown) =>
  name.endsWith("_at") && typeof value === "number" ? new Date(value).toISOString() : String(value);

function disputerOf({ disputed, buyer }: ChainEscrow): Outcome["disputed_by"] {
  if (!disputed) return null;
  return disputed.by === buyer ? "buyer" : "provider";
}

function disputeOf({ disputed, isDecided, released, refunded }: ChainEscrow): Outcome["dispute"] {
  if (!disputed) return null;
  if (!isDecided) return "lapsed";
  if (released > 0n && refunded > 0n) return "split";
  return released > 0n ? "provider" : "buyer";
}

/** @param claimed the chain does not tell a metered order, which returns the rest, from an agreed split */
function endedAs(
  escrow: ChainEscrow,
  funded: number,
  settled: number,
  claimed: Outcome["ended"],
): Outcome["ended"] {
  if (escrow.isSession) return "metered";
  if (escrow.released > 0n && escrow.refunded > 0n) {
    return claimed === "metered" && !escrow.disputed ? "metered" : "split";
  }
  if (escrow.released > 0n) return "released";
  // Until the deadline, only the provider can refund.
  return !escrow.disputed && settled <= funded + escrow.deliveryWindow * 1000 ? "declined" : "refunded";
}

/** Finds orders that count as at arm's length although the wallet or the money is the provider's. */
async function checkMoney(
  published: PublicRecord,
  here: readonly Outcome[],
  history: ChainHistory,
  answers: ChainAnswers,
): Promise<void> {
  const providers = [...new Set(here.map(({ provider }) => provider.toLowerCase()))];
  const lines = countedLines(published).filter(({ chain, apart, released }) => {
    return apart === null && released !== "0" && chain === here[0]?.chain;
  });
  for (const [token, own] of Map.groupBy(lines, ({ token }) => token.toLowerCase())) {
    const paidOnChain = sumPayments(history, token, providers);
    const wallets = Map.groupBy(own, ({ wallet }) => wallet.toLowerCase());
    // The money may have come through the payer to a buyer whose wallet is another.
    const addressesOf = (wallet: string, bought: readonly Outcome[]) => [
      ...new Set([wallet, ...bought.map((line) => history.escrows.get(line.escrow_id)?.payer ?? wallet)]),
    ];
    const first = own.reduce(
      (first, { escrow_id }) => {
        const funded = history.escrows.get(escrow_id)?.funded ?? first;
        return funded < first ? funded : first;
      },
      history.escrows.get(own[0]?.escrow_id ?? "")?.funded ?? 0n,
    );
    try {
      const sent = await history.sumTransfers(
        getAddress(token),
        providers.map((wallet) => getAddress(wallet)),
        [...new Set([...wallets].flatMap(([wallet, bought]) => addressesOf(wallet, bought)))].map((address) =>
          getAddress(address),
        ),
        first,
      );
      for (const [wallet, bought] of wallets) {
        if (!bought.some(isPaid)) continue;
        if (providers.includes(wallet)) {
          answers.findings.push({
            code: "wallet_shared",
            what: `${wallet} both pays and is paid at arm's length`,
          });
        }
        const paidHere = bought.reduce((sum, { released }) => sum + BigInt(released), 0n);
        // The service compares with all that the wallet paid, also to other agents of the same payout wallets.
        const paidThere = paidOnChain.get(wallet) ?? 0n;
        const paid = paidHere > paidThere ? paidHere : paidThere;
        const got = addressesOf(wallet, bought).reduce((sum, address) => sum + (sent.get(address) ?? 0n), 0n);
        if (!isMoneyFromProvider({ sent: got, paid })) continue;
        const what = `${wallet} paid ${paid} base units at arm's length, and got ${got} directly from the provider`;
        if (bought.some(({ unchecked }) => unchecked))
          answers.unknown.push(`${what}; the service has not checked this yet`);
        else answers.findings.push({ code: "money_from_provider", what });
      }
    } catch (error) {
      const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
      answers.unknown.push(`the origin of the buyers' money: ${why}`);
    }
  }
}

/** Sums what each wallet, as a buyer or a payer, paid to these providers through escrows, in base units of a token. */
function sumPayments(
  history: ChainHistory,
  token: string,
  providers: readonly string[],
): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const escrow of history.escrows.values()) {
    if (escrow.token !== token || !providers.includes(escrow.provider)) continue;
    for (const wallet of new Set([escrow.buyer, escrow.payer])) {
      sums.set(wallet, (sums.get(wallet) ?? 0n) + escrow.released);
    }
  }
  return sums;
}
