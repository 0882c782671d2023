import { type AgentRecord, foldOutcomes } from "./agent-record.ts";
import { type Counterparty, type Outcome, recordedUntil } from "./public-outcome.ts";
import type { PublicRecord } from "./public-record.ts";
import { type Score, scoreOf, sumCounterparties, weightOf } from "./score.ts";
import { releasedVolume } from "./volume.ts";

/** A difference between a published value and its evidence. */
export type RecordFinding = {
  code:
    | "number_differs"
    | "line_twice"
    | "recorded_late"
    | "record_stale"
    | "counterparty_unknown"
    | "wallet_of_two"
    | "receipt_missing"
    | "receipt_bad"
    | "statement_bad"
    | "statement_differs"
    | "foreign_contract"
    | "foreign_token"
    | "not_on_chain"
    | "chain_differs"
    | "unlisted"
    | "age_raised"
    | "other_providers_raised"
    | "wallet_shared"
    | "money_from_provider";
  what: string;
};

/** The claimed and the recomputed numbers of an agent or a service. */
export type Comparison = {
  /** null for the agent's own numbers */
  service: string | null;
  claimed: { score: Score } & AgentRecord;
  computed: { score: Score } & AgentRecord;
};

const hour = 3_600_000;
const day = 24 * hour;
/** The oldest valid record: the service recomputes each within seven days. */
const oldest = 8 * day;

/** Selects the lines that a record counts. */
export function countedLines({ record, outcomes }: PublicRecord): Outcome[] {
  return recordedUntil(outcomes, new Date(record.as_of));
}

/** Recomputes the numbers of the agent and of each service in a record. */
export function recompute(published: PublicRecord): Comparison[] {
  const asOf = new Date(published.record.as_of);
  const lines = countedLines(published);
  const compare = (service: string | null, claimed: Comparison["claimed"]): Comparison => {
    const own = service === null ? lines : lines.filter((line) => line.service === service);
    const score = scoreOf(sumCounterparties(own, published.counterparties), asOf);
    const { ever, days_90, days_30 } = claimed;
    return {
      service,
      claimed: { score: claimed.score, ever, days_90, days_30 },
      computed: { score, ...foldOutcomes(own, asOf) },
    };
  };
  const { record } = published;
  return [compare(null, record), ...record.services.map((one) => compare(one.slug, one))];
}

/** Lists the numbers of a comparison by their paths, as in `ever.disputes.buyer`. */
export function numbersOf({
  claimed,
  computed,
}: Comparison): { name: string; claimed: unknown; computed: unknown }[] {
  const [stated, found] = [valuesByPath(claimed), valuesByPath(computed)];
  return Object.keys(found).map((name) => ({ name, claimed: stated[name], computed: found[name] }));
}

/** Lists the values of an object by their paths. A list is one value, so that a further item is a difference. */
export function valuesByPath(value: object, prefix = ""): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, of]) =>
      typeof of === "object" && of !== null && !Array.isArray(of)
        ? Object.entries(valuesByPath(of, `${prefix}${name}.`))
        : [[prefix + name, Array.isArray(of) ? JSON.stringify(of) : of]],
    ),
  );
}

/**
 * Finds contradictions within the public data: numbers, counterparties' lines, and repeated or late lines. Makes no
 * requests.
 *
 * @param lag the time within which a settlement must be recorded, in milliseconds
 * @param now in milliseconds
 */
export function findContradictions(published: PublicRecord, lag: number, now: number): RecordFinding[] {
  const asOf = Date.parse(published.record.as_of);
  const numbers = recompute(published).flatMap((one) =>
    numbersOf(one).flatMap(({ name, claimed, computed }): RecordFinding[] => {
      const of = one.service === null ? name : `${name} of ${one.service}`;
      return claimed === computed
        ? []
        : [{ code: "number_differs", what: `${of} is claimed as ${claimed}, but is ${computed}` }];
    }),
  );
  const late = published.outcomes.flatMap(({ order_id, settled_at, recorded_at }): RecordFinding[] => {
    const isHidden = Date.parse(recorded_at) > asOf && Date.parse(settled_at) < asOf - lag;
    const what = `${order_id} was settled at ${settled_at} but is not counted: its claimed record time is ${recorded_at}`;
    return isHidden ? [{ code: "recorded_late", what }] : [];
  });
  const stale: RecordFinding[] =
    now - asOf > oldest || asOf - now > hour
      ? [{ code: "record_stale", what: `the record is as of ${published.record.as_of}` }]
      : [];
  return [
    ...numbers,
    ...late,
    ...stale,
    ...findDoubles(published.outcomes),
    ...checkCounterparties(published),
  ];
}

function findDoubles(outcomes: readonly Outcome[]): RecordFinding[] {
  const seen = new Set<string>();
  return outcomes.flatMap(({ order_id, contract, escrow_id }): RecordFinding[] => {
    const names = [order_id, `${contract.toLowerCase()} ${escrow_id}`];
    const isTwice = names.some((name) => seen.has(name));
    for (const name of names) seen.add(name);
    return isTwice
      ? [{ code: "line_twice", what: `${order_id} or its escrow ${escrow_id} is listed twice` }]
      : [];
  });
}

/** Compares the lines of counterparties with their outcomes. */
function checkCounterparties(published: PublicRecord): RecordFinding[] {
  const lines = countedLines(published).filter(({ apart }) => apart === null);
  const sums = new Map(
    sumCounterparties(lines, published.counterparties).map((one) => [one.counterparty, one]),
  );
  const own = Map.groupBy(lines, ({ counterparty }) => counterparty);
  const differ = (
    who: string,
    name: keyof Counterparty,
    claimed: unknown,
    computed: unknown,
  ): RecordFinding[] =>
    claimed === computed
      ? []
      : [
          {
            code: "number_differs",
            what: `${name} of ${who} is claimed as ${claimed}, but is ${computed}`,
          },
        ];
  const time = (text: string) => Date.parse(text);
  const findings = published.counterparties.flatMap((facts): RecordFinding[] => {
    const who = facts.counterparty;
    const [parts, sum] = [own.get(who), sums.get(who)];
    if (!parts || !sum)
      return [{ code: "counterparty_unknown", what: `${who} has no outcome at arm's length` }];
    const last = parts.reduce((latest, one) => Math.max(latest, time(one.settled_at)), 0);
    const wallets = new Set(parts.map(({ wallet }) => wallet.toLowerCase()));
    const strange = facts.wallets.filter((wallet) => !wallets.has(wallet.toLowerCase()));
    return [
      ...differ(who, "orders", facts.orders, parts.length),
      ...differ(who, "paid", JSON.stringify(facts.paid), JSON.stringify(releasedVolume(parts))),
      ...differ(who, "first_funded_at", time(facts.first_funded_at), sum.first_funded_at.getTime()),
      ...differ(who, "last_settled_at", time(facts.last_settled_at), last),
      ...differ(who, "weight", facts.weight, weightOf(sum)),
      ...strange.map(
        (wallet): RecordFinding => ({
          code: "counterparty_unknown",
          what: `${wallet} of ${who} bought nothing`,
        }),
      ),
    ];
  });
  return [...findings, ...findSharedWallets(published.counterparties)];
}

/** Finds wallets of two counterparties, which would count twice. */
function findSharedWallets(counterparties: readonly Counterparty[]): RecordFinding[] {
  const named = counterparties.flatMap(({ counterparty, wallets }) =>
    wallets.map((wallet) => ({ counterparty, wallet: wallet.toLowerCase() })),
  );
  return [...Map.groupBy(named, ({ wallet }) => wallet)].flatMap(([wallet, own]): RecordFinding[] => {
    const names = [...new Set(own.map(({ counterparty }) => counterparty))];
    return names.length < 2
      ? []
      : [{ code: "wallet_of_two", what: `${wallet} counts as ${names.join(" and ")}` }];
  });
}
