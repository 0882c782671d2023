import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { listedAgent, marketWord } from "../../db/schema.ts";
import { refuseField } from "../http/api-error.ts";
import { isUsualPage, type PageQuery } from "../http/listing.ts";

/** A text of a query that PostgreSQL takes as text. */
export const queryText = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest)
    // Written so that every language's expressions read it: it is in the description of the API.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    .regex(/^[^\x00-\x1f\x7f-\x9f]*$/, "must hold no control characters");

export const searchField = queryText(200).min(1).optional().openapi({
  description:
    'Words to find; `"a phrase"`, `or` and `-without` are understood. Where nothing fits, words that nothing on the market has are taken for slips of the pen, and `corrected_query` says what was searched for instead.',
  example: "translation japanese",
});

export const correctedField = z.string().nullable().openapi({
  description: "What was searched for where nothing fitted `q` itself; else null.",
});

/** What is searched, each with how many have a word, counted up to `most`. */
export const markets = {
  services: {
    countUses: (asked: SQL, most: number) =>
      sql`earnest.count_offers(earnest.terms_of(${asked}), null, 0, 1e78, 2147483647, ${most}::integer)`,
  },
  agents: {
    countUses: (asked: SQL, most: number) => sql`(select count(*)::int from (
      select from ${listedAgent} where earnest.agent_terms(${listedAgent.agentId}) @@ ${asked} limit ${most}::int) as limited)`,
  },
} as const;
export type Market = (typeof markets)[keyof typeof markets];

/**
 * A text as PostgreSQL's web search reads it. Of plain words the last may be the start of one, as when somebody is
 * still typing; fewer letters than three begin too much.
 */
export function searchOf(q: string): SQL {
  const { asked, begun } = partsOf(q);
  return begun ? sql`(${asked} || ${begun})` : asked;
}

/** The terms of `earnest.offer_terms` and `earnest.agent_terms` that all that fits has. Null for no words. */
export function termsOf(q: string): SQL {
  const { begun } = partsOf(q);
  // What has a word has its beginning too; `or` is no word to begin with.
  const narrowed = begun && !hasOr(q) ? begun : searchOf(q);
  return sql`earnest.terms_of(${narrowed})`;
}

/**
 * Names the statement of a first page of what words alone find, for it to be planned once. Undefined for other searches,
 * of which there are too many.
 */
export function usualSearch(query: PageQuery & { q?: string | undefined; sort?: string | undefined }) {
  const { q, sort, limit, offset, cursor, ...filters } = query;
  const isAlone = Object.values(filters).every((value) => value === undefined);
  if (!q || !isAlone || !isUsualPage(query)) return undefined;
  if (!partsOf(q).begun) return "verbatim";
  return hasOr(q) ? "words_or" : "words";
}

const hasOr = (q: string) => /(^| )or( |$)/i.test(q);

function partsOf(q: string): { asked: SQL; begun: SQL | undefined } {
  // Hyphens that leave nothing out would be nested by the parser, deeper than it can.
  const plain = q.replaceAll(/-+(?![\p{L}\p{N}"])/gu, " ");
  const asked = sql`websearch_to_tsquery('english', earnest.fold_text(${joinCharacters(plain)}))`;
  if (unspaced.test(q) || !/^([\p{L}\p{N}]+ +)*[\p{L}\p{N}]{3,}$/u.test(q))
    return { asked, begun: undefined };
  return { asked, begun: sql`to_tsquery('english', earnest.fold_text(${`${q.split(/ +/).join(" & ")}:*`}))` };
}

/** Characters of Chinese and Japanese, each of which `earnest.fold_text` makes a word. */
const unspaced =
  /[\u3005\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}]/u;
const unspacedRun = new RegExp(`${unspaced.source}{2,}`, "gu");

/** The same search, with characters that stand side by side as a phrase, which finds them within a longer text. */
function joinCharacters(q: string): string {
  const parts = q.split('"').map((part, at) =>
    // Every second part is within quotes already.
    at % 2 === 1
      ? part
      : part.replaceAll(unspacedRun, (run, from: number) => `${part[from - 1] === "-" ? "" : " "}"${run}" `),
  );
  return parts.join('"');
}

/**
 * Refuses a search that only says what not to find: it would look at everything.
 *
 * @throws ApiError `invalid_request`
 */
export async function requireFindable(db: Database, q: string): Promise<void> {
  if (!q.includes("-")) return;
  const { rows } = await db.execute<{ tree: string }>(sql`select querytree(${searchOf(q)}) as tree`);
  if (rows[0]?.tree !== "T") return;
  throw refuseField("q", "search", "q must name a word to find, not only words to leave out.");
}

/** So many matches, those with the most completed orders, are ranked; the others follow in that order. */
export const ranked = 1000;

/** A longer search is not corrected, word by word as that is. */
const mostCorrected = 3;

/**
 * A search with each word that nothing on the market has replaced by the nearest one that something has. Null where
 * no word can be mended.
 */
export async function correctSearch(db: Database, market: Market, q: string): Promise<string | null> {
  const words = [...new Set(q.toLowerCase().match(/(?<![\p{L}\p{N}-])\p{L}{3,40}(?![\p{L}\p{N}-])/gu) ?? [])];
  if (words.length === 0) return null;
  const unknown = (await countUses(db, market, words, 1)).filter(({ uses }) => uses === 0);
  if (unknown.length === 0 || unknown.length > mostCorrected) return null;
  const nearest = new Map<string, string>();
  for (const { word } of unknown) {
    const found = await findNearest(db, market, word);
    if (found) nearest.set(word, found);
  }
  if (nearest.size === 0) return null;
  return q.replaceAll(
    /(?<![\p{L}\p{N}-])\p{L}{3,40}(?![\p{L}\p{N}-])/gu,
    (word) => nearest.get(word.toLowerCase()) ?? word,
  );
}

/** Within one slip, or two of a longer word; of equally near ones the more used. */
async function findNearest(db: Database, market: Market, word: string): Promise<string | undefined> {
  const letters = [...word];
  // Two letters in the wrong order are one slip, but leave a short word few trigrams to be found by.
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
 * How many of a market have each of some words, counted up to `most`; without words that are never searched for. Each is
 * asked for itself, so that PostgreSQL knows whether it is rare: one look at its index, or common: a few rows.
 */
async function countUses(db: Database, market: Market, words: string[], most: number) {
  if (words.length === 0) return [];
  const counts = words.map((word) => {
    const asked = sql`plainto_tsquery('english', earnest.fold_text(${word}))`;
    return sql`select ${word}::text as word, ${market.countUses(asked, most)} as uses where numnode(${asked}) > 0`;
  });
  const { rows } = await db.execute<{ word: string; uses: number }>(sql.join(counts, sql` union all `));
  return rows;
}
