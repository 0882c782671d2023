import { pgSchema, timestamp } from "drizzle-orm/pg-core";

/** The schema of all tables that Earnest writes. Ponder's schema has the data of the chain. */
export const earnest = pgSchema("earnest");

export const time = (name: string) => timestamp(name, { withTimezone: true });
export const createdAt = () => time("created_at").notNull().defaultNow();

export type JsonObject = Record<string, unknown>;
