import { pgSchema, timestamp } from "drizzle-orm/pg-core";

/** Everything that Earnest itself writes. What the chain says lies in Ponder's schema. */
export const earnest = pgSchema("earnest");

export const time = (name: string) => timestamp(name, { withTimezone: true });
export const createdAt = () => time("created_at").notNull().defaultNow();

export type JsonObject = Record<string, unknown>;
