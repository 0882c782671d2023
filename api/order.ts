import { z } from "@hono/zod-openapi";
import { and, desc, eq } from "drizzle-orm";
import { getAddress, type Hex } from "viem";
import { type EscrowRow, escrow, readIndexedBlocks } from "../db/chain.ts";
import type { Database, Transaction } from "../db/client.ts";
import { escrowOfOrder, lockOrder, type OrderRow, readOwner } from "../db/ledger.ts";
import { fact, order } from "../db/schema.ts";
import type { Role } from "../settlement/exits.ts";
import { type Fact, foldFacts, refuseStep, type steps } from "../settlement/lifecycle.ts";
import { formatAmount } from "../settlement/money.ts";
import type { Caller } from "./access.ts";
import { ApiError } from "./errors.ts";
import { isId, nullableJsonObjectField, shownAddress, timeField } from "./fields.ts";

export const orderStatuses = [
  "created",
  "expired",
  "funded",
  "started",
  "delivered",
  "disputed",
  "released",
  "refunded",
] as const;

export const orderParams = z.object({
  id: z.string().openapi({ example: "ord_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
});

export const callSchema = z
  .object({
    function: z.string(),
    to: z.string(),
    data: z.string(),
    value: z.literal("0").openapi({ description: "wei; none of these calls sends native coin" }),
    args: z
      .record(z.string(), z.unknown())
      .openapi({ description: "what the data says, by the ABI's names" }),
  })
  .openapi("Call");

export const typedDataSchema = z
  .object({
    domain: z.object({
      name: z.string(),
      version: z.string().optional(),
      chainId: z.int(),
      verifyingContract: z.string(),
    }),
    types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
    primaryType: z.string(),
    message: z.record(
      z.string(),
      z.union([z.string(), z.int(), z.record(z.string(), z.union([z.string(), z.int()]))]),
    ),
  })
  .openapi("TypedData", { description: "EIP-712 typed data, signed as it stands by `eth_signTypedData_v4`" });

const amount = z.string().openapi({ example: "2.500000" });
const baseUnits = z.string().openapi({ example: "2500000" });

export const orderSchema = z
  .object({
    id: z.string(),
    reference: z.string().openapi({ description: "a short name for people", example: "E-7K3M9Q" }),
    service_id: z.string(),
    agent_id: z.string(),
    buyer_address: shownAddress,
    provider_address: shownAddress,
    arbiter: shownAddress.openapi({ description: "who decides a dispute; the zero address if nobody does" }),
    quantity: z.int(),
    input_payload: nullableJsonObjectField,
    output_payload: nullableJsonObjectField,
    settlement_rail: z.enum(["escrow", "x402"]),
    status: z.enum(orderStatuses),
    unit_price: amount,
    unit_price_base_units: baseUnits,
    subtotal: amount,
    subtotal_base_units: baseUnits,
    platform_fee: amount,
    platform_fee_base_units: baseUnits,
    platform_fee_bps: z.int(),
    total_amount: amount,
    total_amount_base_units: baseUnits,
    currency: z.string(),
    created_at: timeField,
    funding_deadline: timeField,
    funded_at: timeField.nullable(),
    started_at: timeField.nullable(),
    delivered_at: timeField.nullable(),
    delivery_deadline: timeField.nullable(),
    auto_release_at: timeField.nullable(),
    disputed_at: timeField.nullable(),
    completed_at: timeField.nullable(),
    escrow: z.object({
      chain_id: z.int(),
      contract_address: shownAddress,
      escrow_id: z.string(),
      deposit_address: shownAddress,
      status: z
        .enum(["none", "funded", "disputed", "decided", "released", "refunded", "split"])
        .openapi({ description: "as the newest indexed block has it, confirmed or not" }),
    }),
  })
  .openapi("Order");

/** An order as everybody sees it who may see it. */
export function presentOrder(row: OrderRow, escrowRow: Pick<EscrowRow, "status"> | null) {
  const amounts = <Name extends string>(name: Name, value: bigint) =>
    ({
      [name]: formatAmount(value, row.tokenDecimals),
      [`${name}_base_units`]: value.toString(),
    }) as Record<Name | `${Name}_base_units`, string>;
  return {
    id: row.id,
    reference: row.reference,
    service_id: row.serviceId,
    agent_id: row.agentId,
    buyer_address: getAddress(row.buyerAddress),
    provider_address: getAddress(row.providerAddress),
    arbiter: getAddress(row.arbiter),
    quantity: row.quantity,
    input_payload: row.inputPayload,
    output_payload: row.outputPayload,
    settlement_rail: row.settlementRail,
    status: row.status as (typeof orderStatuses)[number],
    ...amounts("unit_price", row.unitPrice),
    ...amounts("subtotal", row.amount),
    ...amounts("platform_fee", 0n),
    platform_fee_bps: 0,
    ...amounts("total_amount", row.amount),
    currency: row.tokenSymbol,
    created_at: row.createdAt.toISOString(),
    funding_deadline: new Date(row.fundBy * 1000).toISOString(),
    funded_at: row.fundedAt?.toISOString() ?? null,
    started_at: row.startedAt?.toISOString() ?? null,
    delivered_at: row.deliveredAt?.toISOString() ?? null,
    delivery_deadline: row.deliveryDeadline?.toISOString() ?? null,
    auto_release_at: row.autoReleaseAt?.toISOString() ?? null,
    disputed_at: row.disputedAt?.toISOString() ?? null,
    completed_at: row.completedAt?.toISOString() ?? null,
    escrow: {
      chain_id: row.chainId,
      contract_address: getAddress(row.escrowContract),
      escrow_id: row.escrowId,
      deposit_address: getAddress(row.depositAddress),
      status: escrowRow?.status ?? ("none" as const),
    },
  };
}

export type OwnOrder = { row: OrderRow; escrow: EscrowRow | null; role: "buyer" | "provider" };

/** The same for whoever may read it, the arbiter of a dispute too. */
export type SharedOrder = Omit<OwnOrder, "role"> & { role: Role };

/**
 * Reads an order of which the caller is the buyer or the provider, with its escrow as indexed.
 *
 * @throws ApiError `not_found` for anybody else's, as for one that does not exist
 */
export async function readOwnOrder(
  db: Database | Transaction,
  caller: Caller,
  orderId: string,
): Promise<OwnOrder> {
  const found = await findOrder(db, orderId);
  return { ...checkOwn(found?.row, caller), escrow: found?.escrow ?? null };
}

/**
 * Reads an order of which the caller is the buyer or the provider, or whose dispute the caller's wallet is to decide:
 * an arbiter sees an order from the confirmed dispute on, and from then on all of it.
 *
 * @throws ApiError `not_found` for anybody else's, as for one that does not exist
 */
export async function readSharedOrder(
  db: Database | Transaction,
  caller: Caller,
  orderId: string,
): Promise<SharedOrder> {
  const found = await findOrder(db, orderId);
  return { ...(await checkShared(db, found?.row, caller)), escrow: found?.escrow ?? null };
}

async function findOrder(db: Database | Transaction, orderId: string) {
  if (!isId("ord", orderId)) return null;
  const [found] = await db
    .select({ row: order, escrow })
    .from(order)
    .leftJoin(escrow, escrowOfOrder)
    .where(eq(order.id, orderId));
  return found ?? null;
}

/** @throws ApiError `dependency_unavailable` while the index lacks the escrow of an order that is known to be funded */
export function requireIndexed({ row, escrow }: Pick<OwnOrder, "row" | "escrow">): void {
  if (escrow || !row.fundedAt) return;
  // The indexer rewrites its newest rows when it starts.
  throw new ApiError(
    "dependency_unavailable",
    "The index is catching up with the chain. Try again in a moment.",
  );
}

/** Locks an order of the caller's for a step; see `lockOrder`. */
export async function lockOwnOrder(
  tx: Transaction,
  caller: Caller,
  orderId: string,
): Promise<Omit<OwnOrder, "escrow">> {
  return checkOwn(isId("ord", orderId) ? await lockOrder(tx, orderId) : undefined, caller);
}

/** Locks an order for a step that a dispute's arbiter may take as well. */
export async function lockSharedOrder(
  tx: Transaction,
  caller: Caller,
  orderId: string,
): Promise<Omit<SharedOrder, "escrow">> {
  return checkShared(tx, isId("ord", orderId) ? await lockOrder(tx, orderId) : undefined, caller);
}

async function checkShared(
  db: Database | Transaction,
  row: OrderRow | undefined,
  caller: Caller,
): Promise<Omit<SharedOrder, "escrow">> {
  const isParty = row?.buyerAccountId === caller.accountId || row?.providerAccountId === caller.accountId;
  const arbitrates =
    row && !isParty && row.disputedAt && (await readOwner(db, row.arbiter)) === caller.accountId;
  return arbitrates ? { row, role: "arbiter" } : checkOwn(row, caller);
}

function checkOwn(row: OrderRow | undefined, caller: Caller): Omit<OwnOrder, "escrow"> {
  if (row?.buyerAccountId === caller.accountId) return { row, role: "buyer" };
  if (row?.providerAccountId === caller.accountId) return { row, role: "provider" };
  throw new ApiError("not_found", "You have no order with this id.");
}

/** @throws ApiError `invalid_state` for the buyer */
export function requireProvider(role: OwnOrder["role"], step: string): void {
  if (role !== "provider") throw new ApiError("invalid_state", `Only the provider can ${step}.`);
}

/** @throws ApiError `invalid_state` for the provider */
export function requireBuyer(role: OwnOrder["role"], step: string): void {
  if (role !== "buyer") throw new ApiError("invalid_state", `Only the buyer can ${step}.`);
}

/** @throws ApiError `invalid_state` for a party */
export function requireArbiter(role: Role, step: string): void {
  if (role !== "arbiter") throw new ApiError("invalid_state", `Only the arbiter can ${step}.`);
}

/** @throws ApiError `invalid_state` when an order's facts do not allow the step */
export function requireStep(facts: readonly Fact[], step: keyof typeof steps): void {
  const refusal = refuseStep(foldFacts(facts), step);
  if (refusal) throw new ApiError("invalid_state", refusal);
}

/** The digest of the order's latest delivery, or null before any. */
export async function readOutputHash(db: Database | Transaction, orderId: string): Promise<Hex | null> {
  const [latest] = await db
    .select({ data: fact.data })
    .from(fact)
    .where(and(eq(fact.orderId, orderId), eq(fact.type, "order.delivered")))
    .orderBy(desc(fact.seq))
    .limit(1);
  return (latest?.data.output_hash as Hex | undefined) ?? null;
}

/** Unix seconds: ours, or the chain's where its clock is ahead, as on a local chain whose time was moved. */
export async function readNow(db: Database | Transaction, chainId: number): Promise<bigint> {
  const ours = BigInt(Math.floor(Date.now() / 1000));
  const chains = (await readIndexedBlocks(db)).get(chainId)?.timestamp ?? 0n;
  return chains > ours ? chains : ours;
}
