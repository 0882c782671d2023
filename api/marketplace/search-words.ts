import { z } from "@hono/zod-openapi";
import type { Database } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { listedAgent, marketWord } from "../../db/schema.ts";
import { refuseField } from "../http/api-error.ts";
import { queryText } from "../http/fields.ts";
import { isDefaultFirstPage, type PageQuery } from "../http/listing.ts";

export const searchField = queryText(200).min(1).optional().openapi({
  description:
    'Words to search for; `"a phrase"`, `or` and `-without` work. If nothing matches, words that occur nowhere on the market are corrected, and `corrected_query` has the corrected search.',
  example: "translation japanese",
});

export const correctedField = z.string().nullable().openapi({
  description: "the corrected search, if nothing matched `q` itself; otherwise null",
});

/** The two markets, each with a count of the entries that have a word, up to `most`. */
export const searchedMarkets = {
  services: {
    countUses: (tsQuery: SQL, most: number) =>
      sql`earnest.count_offers(earnest.terms_of(${tsQuery}), null, 0, 1e78, 2147483647, ${most}::integer)`,
  },
  agents: {
    countUses: (tsQuery: SQL, most: number) => sql`(select count(*)::int from (
      select from ${listedAgent} where earnest.agent_terms(${listedAgent.agentId}) @@ ${tsQuery} limit ${most}::int) as limited)`,
  },
} as const;
export type SearchedMarket = (typeof searchedMarkets)[keyof typeof searchedMarkets];

/**
 * A text as a query of PostgreSQL's web search. If the text is plain words, the last word may be a prefix, because somebody
 * may still be typing. A prefix has at least three letters.
 */
export function searchOf(q: string): SQL {
  const { matching: tsQuery, begun } = partsOf(q);
  return begun ? sql`(${tsQuery} || ${begun})` : tsQuery;
}

/** Terms of `earnest.offer_terms` and `earnest.agent_terms` that every match has. Null without words. */
export function searchTermsOf(q: string): SQL {
  const { begun } = partsOf(q);
  // An entry with a word has its prefix too. In a query with `or`, a prefix cannot be required.
  const narrowed = begun && !hasOr(q) ? begun : searchOf(q);
  return sql`earnest.terms_of(${narrowed})`;
}

/**
 * Names the prepared statement of a first page without filters. Undefined for other searches, which have too many forms to
 * be prepared.
 */
export function preparedSearchName(query: PageQuery & { q?: string | undefined; sort?: string | undefined }) {
  const { q, sort, limit, offset, cursor, ...filters } = query;
  const isAlone = Object.values(filters).every((value) => value === undefined);
  if (!q || !isAlone || !isDefaultFirstPage(query)) return undefined;
  if (!partsOf(q).begun) return "verbatim";
  return hasOr(q) ? "words_or" : "words";
}

const hasOr = (q: string) => /(^| )or( |$)/i.test(q);

function partsOf(q: string): { matching: SQL; begun: SQL | undefined } {
  // The parser would nest negations for stray hyphens, deeper than its limit.
  const plain = q.replaceAll(/-+(?![\p{L}\p{N}"])/gu, " ");
  const tsQuery = sql`websearch_to_tsquery('english', earnest.fold_text(${joinCharacters(plain)}))`;
  if (unspaced.test(q) || !/^([\p{L}\p{N}]+ +)*[\p{L}\p{N}]{3,}$/u.test(q))
    return { matching: tsQuery, begun: undefined };
  return {
    matching: tsQuery,
    begun: sql`to_tsquery('english', earnest.fold_text(${`${q.split(/ +/).join(" & ")}:*`}))`,
  };
}

/** Chinese and Japanese characters, each of which `earnest.fold_text` makes a word. */
const unspaced =
  /[\u3005\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}]/u;
const unspacedRun = new RegExp(`${unspaced.source}{2,}`, "gu");

/** Turns adjacent such characters into a phrase, which is found within a longer text. */
function joinCharacters(q: string): string {
  const parts = q.split('"').map((part, at) =>
    // Every second part is in quotes already.
    at % 2 === 1
      ? part
      : part.replaceAll(unspacedRun, (run, from: number) => `${part[from - 1] === "-" ? "" : " "}"${run}" `),
  );
  return parts.join('"');
}

/**
 * Refuses a search that only excludes words, because it would scan everything.
 *
 * @throws ApiError `invalid_request`
 */
export async function requireFindable(db: Database, q: string, field = "q"): Promise<void> {
  if (await hasSoughtWord(db, q)) return;
  throw refuseField(
    field,
    "search",
    `Field \`${field}\`: add a word to search for. It has only words to leave out.`,
  );
}

/** Whether a search has more than words to leave out. */
export async function hasSoughtWord(db: Database, q: string): Promise<boolean> {
  if (!q.includes("-")) return true;
  const { rows } = await db.execute<{ tree: string }>(sql`select querytree(${searchOf(q)}) as tree`);
  return rows[0]?.tree !== "T";
}

/** The most matches that are ranked, those with the most completed orders. The others follow in that order. */
export const mostRanked = 1000;

/** The most unknown words of a search that is corrected, because each word needs queries. */
const mostCorrected = 3;

/**
 * Corrects a search: each word that occurs nowhere on the market is replaced by the nearest known word. Null if no word
 * can be corrected.
 */
export async function correctSearch(db: Database, market: SearchedMarket, q: string): Promise<string | null> {
  const words = [...new Set(q.toLowerCase().match(/(?<![\p{L}\p{N}-])\p{L}{3,40}(?![\p{L}\p{N}-])/gu) ?? [])];
  if (words.length === 0) return null;
  const unknown = (await countUses(db, market, words, 1)).filter(({ uses }) => uses === 0);
  if (unknown.length === 0 || unknown.length > mostCorrected) return null;
  const nearest = new Map<string, string>();
  for (const { word } of unknown) {
    const spelling = await findNearest(db, market, word);
    if (spelling) nearest.set(word, spelling);
  }
  if (nearest.size === 0) return null;
  return q.replaceAll(
    /(?<![\p{L}\p{N}-])\p{L}{3,40}(?![\p{L}\p{N}-])/gu,
    (word) => nearest.get(word.toLowerCase()) ?? word,
  );
}

/** Finds the nearest known word, at most one edit away, or two for a longer word. The most used of equally near words wins. */
async function findNearest(db: Database, market: SearchedMarket, word: string): Promise<string | undefined> {
  const letters = [...word];
  // Two swapped letters are one edit, but leave a short word too few trigrams in common.
  const swapped = letters
    .slice(1)
    .map((_, at) =>
      [...letters.slice(0, at), letters[at + 1], letters[at], ...letters.slice(at + 2)].join(""),
    );
  const { rows } = await db.execute<{ word: string; slips: number }>(sql`
    select word, 1 as slips from ${marketWord} where word = any(${sql.param(swapped)}::text[])
    union
    select word, slips from (
      select word, levenshtein(word, ${word}) as slips from ${marketWord}
      where earnest.plain_letters(word) % earnest.plain_letters(${word})
    ) as alike where slips between 1 and ${letters.length < 8 ? 1 : 2}::int
    order by slips, word limit 20`);
  for (const slips of new Set(rows.map((row) => row.slips))) {
    const near = rows.filter((row) => row.slips === slips).map((row) => row.word);
    const used = (await countUses(db, market, near, 100)).filter(({ uses }) => uses > 0);
    const [best] = used.sort((a, b) => b.uses - a.uses);
    if (best) return best.word;
  }
  return undefined;
}

/**
 * Counts the entries of a market that have each word, up to `most`. Stop words are left out. Each word has a subquery of
 * its own, so that the planner knows whether the word is rare or common.
 */
async function countUses(db: Database, market: SearchedMarket, words: string[], most: number) {
  if (words.length === 0) return [];
  const counts = words.map((word) => {
    const tsQuery = sql`plainto_tsquery('english', earnest.fold_text(${word}))`;
    return sql`select ${word}::text as word, ${market.countUses(tsQuery, most)} as uses where numnode(${tsQuery}) > 0`;
  });
  const { rows } = await db.execute<{ word: string; uses: number }>(sql.join(counts, sql` union all `));
  return rows;
}
