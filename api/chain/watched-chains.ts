import { z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import { selectIndex } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { and, asc, eq, getTableColumns, inArray, isNotNull, sql } from "../../db/drizzle.ts";
import { chainWatch, indexAudit, relayer } from "../../db/schema.ts";

export const indexStateField = z.enum(["ok", "behind", "off_chain", "incomplete"]).openapi("IndexState");

/** Reads the relaying wallet of each chain, as the worker saw it last. */
export async function readRelayers(db: Database, chainIds: readonly number[]) {
  const rows = await db
    .select()
    .from(relayer)
    .where(inArray(relayer.chainId, [...chainIds]))
    .orderBy(asc(relayer.chainId));
  return rows.map((row) => ({ ...row, address: getAddress(row.address) }));
}

/** A worker checks the index every few seconds. */
const isFresh = sql<boolean>`${chainWatch.checkedAt} > now() - interval '2 minutes'`;

/** Reads how far the index of each chain is, as a worker saw it last. */
export async function readIndexes(db: Database, chainIds: readonly number[]) {
  return db
    .select({ ...getTableColumns(chainWatch), isFresh })
    .from(chainWatch)
    .where(inArray(chainWatch.chainId, [...chainIds]))
    .orderBy(asc(chainWatch.chainId));
}

/** Reads the chains whose events differ from those of the index, with the reason. */
export async function readIncompleteIndexes(db: Database) {
  return db
    .select({ chainId: indexAudit.chainId, reason: indexAudit.reason })
    .from(indexAudit)
    .where(and(eq(indexAudit.index, selectIndex()), isNotNull(indexAudit.reason)));
}

type IndexState = { indexState: z.output<typeof indexStateField>; reason: string | null };

/** The state of an index that may lack events. It is `incomplete` until a new index replaces it, unless it left the chain. */
export function indexStateOf(
  watched: IndexState | null,
  lack: { reason: string | null } | undefined,
): IndexState | null {
  if (!lack || watched?.indexState === "off_chain") return watched;
  return { indexState: "incomplete", reason: lack.reason };
}
