import { getTableColumns, getTableName, type Table } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";
import * as views from "../../db/chain-index.ts";
import * as indexed from "../../ponder.schema.ts";

/**
 * Name, type, nullability and key of each column in the program. Ponder writes 78 digits as `numeric(78)`.
 */
function shapeOf(table: Table) {
  return Object.entries(getTableColumns(table) as Record<string, PgColumn>)
    .map(([key, column]) => ({
      key,
      name: column.name,
      type: column.getSQLType().replace(/^numeric\(78(, ?0)?\)$/, "numeric(78)"),
      notNull: column.notNull || column.primary,
    }))
    .sort((a, b) => a.key.localeCompare(b.key));
}

test.each([
  ["escrow", indexed.escrow, views.escrow],
  ["escrow_event", indexed.escrowEvent, views.escrowEvent],
  ["escrow_tally", indexed.escrowTally, views.escrowTally],
  ["identity_transfer", indexed.identityTransfer, views.identityTransfer],
  ["anchor_event", indexed.anchorEvent, views.anchorEvent],
  ["agent_feedback", indexed.agentFeedback, views.agentFeedback],
])("our view of %s has exactly the columns that the indexer writes", (name, written, read) => {
  expect(getTableName(read)).toBe(name);
  expect(getTableName(written as unknown as Table)).toBe(name);
  expect(shapeOf(read)).toEqual(shapeOf(written as unknown as Table));
});
