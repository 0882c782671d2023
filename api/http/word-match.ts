import { type SQL, sql } from "../../db/drizzle.ts";

/**
 * The condition that a text has each word of a search, in any order, anywhere in the text.
 *
 * @param folded the text in the form of `earnest.fold_text`
 */
export function hasWords(folded: SQL, q: string): SQL {
  const words = sql`array(
    select word from regexp_split_to_table(${q}, '\\s+') as part, earnest.fold_text(part) as word where word <> '')`;
  return sql`(select bool_and(strpos(${folded}, word) > 0) from unnest(${words}) as word)`;
}
