import type { FactType } from "../protocol/facts/fact.ts";
import type { Actor } from "../protocol/settlement/vocabulary.ts";
import type { fact, order } from "./schema.ts";

/** A row of the table of orders. */
export type OrderRow = typeof order.$inferSelect;

/** A row of the ledger. */
export type FactRow = typeof fact.$inferSelect;

/** A row of the ledger with the types that the fold takes. */
export type FoldableFact = FactRow & { type: FactType; actor: Actor };
