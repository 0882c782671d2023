// The terms that index offers and agents besides their words, as expressions of PostgreSQL's text search.

import { type SQL, sql } from "../../db/drizzle.ts";

export function allOf(terms: SQL[]): SQL {
  return sql.join(terms, sql` && `);
}

/** The longest possible term. A longer one matches nothing, and PostgreSQL refuses terms of 2 kB. */
const longestTerm = 101;

export function oneOf(terms: string[]): SQL {
  const quoted = terms.map((term) => {
    const known = [...term].length > longestTerm ? "" : term;
    return `'\u0002${known.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
  });
  return sql`${quoted.join(" | ") || "'\u0002'"}::text::tsquery`;
}
