import type { Hex } from "viem";
import { readNow } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { eq } from "../../db/drizzle.ts";
import { readFacts, recordFacts } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { type JsonObject, order, stageOutput } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Fact } from "../../protocol/facts/fact.ts";
import { effectiveFacts, refuseDelivery } from "../../protocol/facts/lifecycle.ts";
import { openStageIn } from "../../protocol/facts/stage-facts.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { claimOfStage } from "../../protocol/settlement/stages.ts";
import type { Caller, Context } from "../context.ts";
import { mostPayloadFiles, referencesIn } from "../files/file-reference.ts";
import { attachFiles } from "../files/file-use.ts";
import { Refusal, refuseField } from "../refusal.ts";
import type { RelayRow } from "../relay/relay-queue.ts";
import { checksOf } from "../schema-checks.ts";
import { lockOwnOrder, readOwnOrder, requireProvider, requireStep } from "./order-access.ts";
import { checkSignedAct, queueSignedAct } from "./send-signed-act.ts";

/**
 * Starts a funded order.
 *
 * @throws Refusal `not_found`, or `invalid_state` for the buyer and for an order whose status is not `funded`
 */
export async function startOrder(tx: Transaction, caller: Caller, orderId: string): Promise<void> {
  const { row, role } = await lockOwnOrder(tx, caller, orderId);
  requireProvider(role, "start the order");
  refuseSession(row);
  await recordStart(tx, row);
}

/** @throws Refusal `invalid_state` for a session, whose calls are answered at the provider's endpoint */
function refuseSession({ pricingModel }: Pick<OrderRow, "pricingModel">): void {
  if (pricingModel !== "per_call") return;
  const message = "A session has no delivery: its calls are answered at the provider's endpoint.";
  throw new Refusal("invalid_state", message);
}

/**
 * Records the start of an order. The transaction must hold the order's lock.
 *
 * @param data the data of the fact
 * @throws Refusal `invalid_state` unless the order's status is `funded`
 */
export async function recordStart(tx: Transaction, row: OrderRow, data: JsonObject = {}): Promise<void> {
  requireStep(await readFacts(tx, row.id), "order.started");
  await recordFacts(tx, row, [
    { type: "order.started", actor: "provider", key: `${row.id}:started`, occurredAt: new Date(), data },
  ]);
}

/**
 * A provider's delivery. `units` counts the units to be charged, of a metered order only. `signature` signs its delivery
 * record, which the service relays.
 */
export type Delivery = {
  output: JsonObject | null;
  units?: number | undefined;
  note?: string | undefined;
  signature?: Hex | undefined;
};

/** Options of a delivery that the service makes on behalf of the provider. */
export type OnBehalf = {
  /** runs first, under the order's lock; throws to prevent the delivery */
  begin: (tx: Transaction, row: OrderRow) => Promise<void>;
  /** further data of the fact */
  data: JsonObject;
};

/**
 * Delivers an order's output. The slow checks run before the order is locked: the schema, and the signature of a
 * contract wallet.
 *
 * @returns the relay of the signed delivery record; null without a signature
 * A refused delivery leaves the order unchanged.
 *
 * @throws Refusal `invalid_state` if the order takes no delivery now, `invalid_request` for other units than the order
 *   takes, `output_schema_violation`
 * @throws Refusal as `checkSignedAct`, `queueSignedAct`, `checksOf`, `referencesIn` and `attachFiles`
 */
export async function deliverOrder(
  context: Context,
  caller: Caller,
  orderId: string,
  { output, units, note, signature }: Delivery,
  onBehalf?: OnBehalf,
): Promise<RelayRow | null> {
  const { db } = context;
  const before = await readOwnOrder(db, caller, orderId);
  requireProvider(before.role, "deliver");
  refuseSession(before.row);
  const charge = chargeOf(before.row, units);
  const refs = referencesIn(output, "output_payload");
  const known = onBehalf ? null : await requireDeliverable(db, before.row);
  const stage = known && openStageIn(effectiveFacts(known));
  const staged = stagedOf(before.row, stage);
  const { violations, digest: outputHash } = await checksOf(context.checker).run(
    { account: caller.accountId, service: before.row.serviceId },
    "delivery",
    { schema: staged ? staged.outputSchema : before.row.outputSchema, output },
  );
  if (violations.length > 0) {
    throw new Refusal(
      "output_schema_violation",
      `The output_payload does not satisfy the output_schema of this ${staged ? "stage" : "order"}. The order is unchanged.`,
      violations,
    );
  }
  const own = { ...before, row: { ...before.row, ...charge, deliveredStage: stage }, outputHash };
  const record =
    signature && (await checkSignedAct(context, { name: "deliveryRecord", own, content: {}, signature }));

  return inTransaction(db, async (tx) => {
    const { row } = await lockOwnOrder(tx, caller, orderId);
    await onBehalf?.begin(tx, row);
    const facts = await requireDeliverable(tx, row);
    requireSameUnits(facts, units);
    if (openStageIn(effectiveFacts(facts)) !== stage) {
      throw new Refusal("invalid_state", "The stage was paid meanwhile. Deliver the next one.");
    }
    const occurredAt = new Date();
    const acceptanceEndsAt = new Date(occurredAt.getTime() + row.acceptanceWindow * 1000);
    const earlier = facts.filter((fact) => fact.type === "order.delivered").length;
    await attachFiles(tx, caller, orderId, "output", refs, mostPayloadFiles);
    await tx.update(order).set({ outputPayload: output }).where(eq(order.id, orderId));
    if (stage !== null) {
      const last = { output, outputHash, deliveredAt: occurredAt };
      await tx
        .insert(stageOutput)
        .values({ orderId, stage, ...last })
        .onConflictDoUpdate({ target: [stageOutput.orderId, stageOutput.stage], set: last });
    }
    await recordFacts(tx, row, [
      {
        type: "order.delivered",
        actor: "provider",
        key: `${orderId}:delivered:${earlier + 1}`,
        occurredAt,
        data: {
          output_hash: outputHash,
          acceptance_ends_at: acceptanceEndsAt.toISOString(),
          ...(charge === null
            ? {}
            : {
                units: charge.deliveredUnits,
                charge: formatAmount(charge.charge, row.tokenDecimals),
                charge_base_units: charge.charge.toString(),
              }),
          ...(staged
            ? {
                stage,
                earned: formatAmount(staged.claim.sum, row.tokenDecimals),
                earned_base_units: staged.claim.sum.toString(),
                is_final: staged.claim.isFinal,
              }
            : {}),
          ...(note === undefined ? {} : { note }),
          ...onBehalf?.data,
        },
      },
    ]);
    return record ? queueSignedAct(context, tx, caller, row, record) : null;
  });
}

/** Returns the schema and the claim of the stage that is delivered; null for an order without stages. */
function stagedOf({ stages }: Pick<OrderRow, "stages">, stage: number | null) {
  if (!stages || stage === null) return null;
  return { outputSchema: stages[stage - 1]?.outputSchema ?? null, claim: claimOfStage(stages, stage) };
}

/**
 * Returns the units that a delivery charges, and their price in base units; null for an order that is not metered.
 *
 * @throws Refusal `invalid_request` for units above the order's maximum, missing units, or units of another order
 */
function chargeOf(
  { pricingModel, quantity, unitPrice }: Pick<OrderRow, "pricingModel" | "quantity" | "unitPrice">,
  units: number | undefined,
): { deliveredUnits: number; charge: bigint } | null {
  if (pricingModel !== "metered") {
    if (units === undefined) return null;
    throw refuseField("units", "model", "Field units: omit it, because this order is not metered.");
  }
  if (units === undefined) {
    throw refuseField("units", "required", "Field units: state the units that this metered order charges.");
  }
  if (units > quantity) {
    throw refuseField(
      "units",
      "maximum",
      `Field units: use at most ${quantity}, because the buyer pays for no more.`,
    );
  }
  return { deliveredUnits: units, charge: unitPrice * BigInt(units) };
}

/**
 * Requires a later delivery to charge the same units as the first one. The contract freezes the charge with the first
 * record.
 *
 * @throws Refusal `invalid_request`
 */
function requireSameUnits(facts: readonly Fact[], units: number | undefined): void {
  const first = effectiveFacts(facts).find(({ type }) => type === "order.delivered")?.data.units;
  if (first === undefined || first === units) return;
  throw refuseField(
    "units",
    "const",
    `Field units: use ${String(first)}, the units of the first delivery. A later delivery changes the output only.`,
  );
}

/** @throws Refusal `invalid_state` if the order takes no delivery now */
async function requireDeliverable(db: Database | Transaction, { id, chainId }: OrderRow) {
  const facts = await readFacts(db, id);
  const now = new Date(Number(await readNow(db, chainId)) * 1000);
  const refusal = refuseDelivery(facts, now);
  if (refusal) throw new Refusal("invalid_state", refusal);
  return facts;
}
