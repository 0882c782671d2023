import { bigint, integer, primaryKey } from "drizzle-orm/pg-core";
import { address } from "../column-types.ts";
import { earnest, time } from "./base.ts";

/** A relaying wallet that has anchored the log's trees, with the last tree queued for it. */
export const logPublisher = earnest.table(
  "log_publisher",
  {
    chainId: integer("chain_id").notNull(),
    address: address("address").notNull(),
    /** size of the last tree; 0 for none */
    size: bigint("size", { mode: "number" }).notNull().default(0),
    queuedAt: time("queued_at"),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.address] })],
);
