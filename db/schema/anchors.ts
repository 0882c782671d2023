import { bigint, integer, primaryKey } from "drizzle-orm/pg-core";
import { address } from "../columns.ts";
import { earnest, time } from "./base.ts";

/** The relaying wallets that ever anchored the log's trees, each with the last that was queued for it. */
export const logPublisher = earnest.table(
  "log_publisher",
  {
    chainId: integer("chain_id").notNull(),
    address: address("address").notNull(),
    /** the tree's; 0 for none yet */
    size: bigint("size", { mode: "number" }).notNull().default(0),
    queuedAt: time("queued_at"),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.address] })],
);
