import { sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address } from "../columns.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";
import { agent } from "./market.ts";

/** Why a way of proving did not hold when it was last looked at. */
export type ProofProblem = { code: string; message: string };

/**
 * A domain that an agent's owner says is its own: proved by a record or a file there, and looked at again every day. One
 * that another took the place of, or that was taken back, stays a day for the count of claims, and proves nothing.
 */
export const agentDomain = earnest.table(
  "agent_domain",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    /** null where the agent was a draft and is deleted */
    agentId: text("agent_id").references(() => agent.id, { onDelete: "set null" }),
    /** in its ASCII form (punycode), lower case */
    domain: text("domain").notNull(),
    /** what of it is registered: all below one suffix of the Public Suffix List */
    site: text("site").notNull(),
    /** the line that has to be there; it names this agent here, with a token of this claim alone */
    proof: text("proof").notNull(),
    /** expired: not proved in time; lost: proved once, and not there any more */
    status: text("status")
      .$type<"pending" | "verified" | "lost" | "expired" | "removed">()
      .notNull()
      .default("pending"),
    /** by which it was last seen */
    method: text("method").$type<"dns" | "file">(),
    verifiedAt: time("verified_at"),
    lostAt: time("lost_at"),
    checkedAt: time("checked_at"),
    /** while it is looked at, when it is due again if its worker dies */
    nextCheckAt: time("next_check_at").notNull().defaultNow(),
    /** looks in a row that did not find it */
    failures: integer("failures").notNull().default(0),
    /** since when another account has proved the same domain and this was not looked at since */
    contestedAt: time("contested_at"),
    problems: jsonb("problems").$type<{ dns: ProofProblem | null; file: ProofProblem | null }>(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("agent_domain_agent").on(table.agentId).where(sql`${table.status} <> 'removed'`),
    index("agent_domain_account").on(table.accountId, table.createdAt),
    index("agent_domain_due").on(table.nextCheckAt).where(sql`${table.status} in ('pending', 'verified')`),
    index("agent_domain_proved").on(table.domain).where(sql`${table.status} = 'verified'`),
  ],
);

/** How long a wallet has been in use on a chain: the first block in which it had sent a transaction. */
export const walletAge = earnest.table(
  "wallet_age",
  {
    chainId: integer("chain_id").notNull(),
    address: address("address").notNull(),
    /** null where it has sent none yet, or the node has no states so old */
    firstBlock: bigint("first_block", { mode: "bigint" }),
    firstAt: time("first_at"),
    checkedAt: time("checked_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.address, table.chainId] }),
    index("wallet_age_unknown").on(table.checkedAt).where(sql`${table.firstBlock} is null`),
  ],
);
