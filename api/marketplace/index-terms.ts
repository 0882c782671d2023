// The terms that offers and agents are indexed under beside their words, as PostgreSQL is asked for them.

import { type SQL, sql } from "drizzle-orm";

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
