import { bigint, index, integer, jsonb, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";
import { agent } from "./market.ts";

/** Why a proof failed at the last check. */
export type ProofProblem = { code: string; message: string };

/**
 * A domain that an agent's owner claims, proved by a record or a file there and checked every day. A replaced or withdrawn
 * claim stays for a day, for the count of claims, and proves nothing.
 */
export const agentDomain = earnest.table(
  "agent_domain",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    /** null if the agent was a draft and is deleted */
    agentId: text("agent_id").references(() => agent.id, { onDelete: "set null" }),
    /** in its ASCII form (punycode), lower case */
    domain: text("domain").notNull(),
    /** registrable domain: one label below a suffix of the Public Suffix List */
    site: text("site").notNull(),
    /** line that proves the claim; it names the agent and the service, with a token of this claim */
    proof: text("proof").notNull(),
    /** expired: not proved in time; lost: proved earlier, and now missing */
    status: text("status")
      .$type<"pending" | "verified" | "lost" | "expired" | "removed">()
      .notNull()
      .default("pending"),
    /** method of the last successful check */
    method: text("method").$type<"dns" | "file">(),
    verifiedAt: time("verified_at"),
    lostAt: time("lost_at"),
    checkedAt: time("checked_at"),
    /** during a check, when another worker retries it */
    nextCheckAt: time("next_check_at").notNull().defaultNow(),
    /** consecutive failed checks */
    failures: integer("failures").notNull().default(0),
    /** when another account proved the same domain; null after the next check */
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

/** The first use of a wallet on a chain: the block of its first transaction. */
export const walletAge = earnest.table(
  "wallet_age",
  {
    chainId: integer("chain_id").notNull(),
    address: address("address").notNull(),
    /** null if it has sent no transaction, or if the node has no state that old */
    firstBlock: bigint("first_block", { mode: "bigint" }),
    firstAt: time("first_at"),
    checkedAt: time("checked_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.address, table.chainId] }),
    index("wallet_age_unknown").on(table.checkedAt).where(sql`${table.firstBlock} is null`),
  ],
);
