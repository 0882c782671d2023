import { z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, exists, isNull, type SQL, sql } from "../../db/drizzle.ts";
import { organisationInvitation, wallet } from "../../db/schema.ts";
import { ApiError } from "../http/api-error.ts";
import { chainIdField, idField, shownAddress, timeField } from "../http/fields.ts";
import { readRoleOf, roleField } from "./membership.ts";

type InvitationRow = typeof organisationInvitation.$inferSelect;

/** The condition that a wallet is the invited one. A contract with the same address on another chain is not. */
function isOf({ address, chainId }: Pick<InvitationRow, "address" | "chainId">) {
  return and(
    eq(wallet.address, address),
    chainId === null ? isNull(wallet.chainId) : eq(wallet.chainId, chainId),
  );
}

/** The same condition for a join. */
const isInvited = and(
  eq(wallet.address, organisationInvitation.address),
  sql`${wallet.chainId} is not distinct from ${organisationInvitation.chainId}`,
);

export const isOpen = eq(organisationInvitation.status, "open");

/** The condition that an invitation is to a wallet of this account. */
export function isToWalletOf(db: Database | Transaction, accountId: string): SQL {
  const theirs = and(eq(wallet.accountId, accountId), isInvited);
  return exists(db.select({ one: sql`1` }).from(wallet).where(theirs));
}

export const invitationSchema = z
  .object({
    id: idField("inv"),
    organisation_id: idField("acc"),
    address: shownAddress,
    chain_id: chainIdField
      .nullable()
      .openapi({ description: "the chain of an invited contract wallet; null for a key" }),
    role: roleField,
    status: z.enum(["open", "expired", "accepted", "declined", "revoked"]).openapi("InvitationStatus"),
    invited_by: z.string().openapi({
      description: "the account of the inviting person",
      example: "acc_01jd3w8x2mfhz8w9q4t6n5k7ra",
    }),
    expires_at: timeField,
    created_at: timeField,
  })
  .openapi("Invitation");

/** Presents an invitation, to either side. */
export function presentInvitation(row: InvitationRow) {
  const isOver = row.status === "open" && row.expiresAt <= new Date();
  return {
    id: row.id,
    organisation_id: row.accountId,
    address: getAddress(row.address),
    chain_id: row.chainId,
    role: row.role,
    status: isOver ? ("expired" as const) : row.status,
    invited_by: row.invitedBy,
    expires_at: row.expiresAt.toISOString(),
    created_at: row.createdAt.toISOString(),
  };
}

/** @throws ApiError `conflict` if the wallet's account is a member already */
export async function requireNew(
  tx: Transaction,
  organisation: string,
  invited: Pick<InvitationRow, "address" | "chainId">,
): Promise<void> {
  const [owner] = await tx.select({ accountId: wallet.accountId }).from(wallet).where(isOf(invited));
  if (!owner || (await readRoleOf(tx, organisation, owner.accountId)) === null) return;
  throw new ApiError("conflict", "The owner of this wallet is a member of the organisation already.");
}

export async function lockInvitation(tx: Transaction, id: string): Promise<InvitationRow | undefined> {
  const [row] = await tx
    .select()
    .from(organisationInvitation)
    .where(eq(organisationInvitation.id, id))
    .for("update");
  return row;
}

/** @throws ApiError `invalid_state` for an invitation that is answered, revoked or expired */
export async function closeInvitation(
  tx: Transaction,
  invited: InvitationRow,
  status: "accepted" | "declined" | "revoked",
): Promise<InvitationRow> {
  const now = presentInvitation(invited).status;
  if (now !== "open") throw new ApiError("invalid_state", `This invitation is ${now}.`);
  const [row] = await tx
    .update(organisationInvitation)
    .set({ status, answeredAt: new Date() })
    .where(eq(organisationInvitation.id, invited.id))
    .returning();
  if (!row) throw new Error("The database returned no invitation.");
  return row;
}

export function unknownInvitation(): ApiError {
  return new ApiError("not_found", "There is no invitation with this id.");
}
