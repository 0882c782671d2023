// The terms that offers and agents are indexed under beside their words, as PostgreSQL is asked for them.

import { type SQL, sql } from "drizzle-orm";
import type { leastOf } from "./repute.ts";

export function allOf(terms: SQL[]): SQL {
  return sql.join(terms, sql` && `);
}

/** A term that is longer than any that something on the market may have is that of nothing, and PostgreSQL takes none of 2 kB. */
const longestTerm = 101;

export function oneOf(terms: string[]): SQL {
  const quoted = terms.map((term) => {
    const known = [...term].length > longestTerm ? "" : term;
    return `'\u0002${known.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
  });
  return sql`${quoted.join(" | ") || "'\u0002'"}::text::tsquery`;
}

/** What must be had of the figures that are known of somebody, one of several terms for each. */
export function stepsOf({ score, rating, onTime }: NonNullable<ReturnType<typeof leastOf>>): SQL[] {
  return [
    ...(score ? [oneOf(stepsFrom("s", score, 100, 1000))] : []),
    ...(rating ? [oneOf(stepsFrom("r", rating, 50, 500))] : []),
    ...(onTime ? [oneOf(stepsFrom("o", onTime, 5, 100))] : []),
  ];
}

/** The terms of `earnest.repute_terms` that hold so much and more. */
function stepsFrom(letter: string, least: number, step: number, most: number): string[] {
  const [first, last] = [Math.floor(least / step), most / step];
  return Array.from({ length: last - first + 1 }, (_, at) => `${letter}${first + at}`);
}
