import { createRoute, z } from "@hono/zod-openapi";
import { getAddress, type Hex } from "viem";
import type { EscrowRow } from "../db/chain.ts";
import type { Transaction } from "../db/client.ts";
import type { OrderRow } from "../db/ledger.ts";
import { findRelay, type RelayRow } from "../db/relays.ts";
import { escrowCall, recordSignedDeliveryCall } from "../settlement/calls.ts";
import { refuseRecord } from "../settlement/exits.ts";
import { recordDeliveryData, type TypedData } from "../settlement/signatures.ts";
import { termsOf } from "../settlement/terms.ts";
import { type Caller, callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import {
  orderParams,
  readNow,
  readOutputHash,
  readOwnOrder,
  requireIndexed,
  requireProvider,
  typedDataSchema,
} from "./order.ts";
import { checkPartySignature, presentRelay, queuePartyRelay, relaySchema, signatureSchema } from "./relay.ts";

/** The record of a delivery on the chain, which starts the acceptance window: the provider signs, we relay. */
export function addDeliveryRecord(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/delivery-record",
      operationId: "readDeliveryRecord",
      tags: ["orders"],
      summary: "What the provider signs to record the delivery on the chain",
      ...guarded(context, "orders:read"),
      request: { params: orderParams },
      responses: {
        200: answer("Typed data for the payout wallet", z.object({ typed_data: typedDataSchema })),
        ...refusals("invalid_state"),
      },
    }),
    async (c) => {
      const delivery = await readDelivery(callerOf(c), c.req.valid("param").id);
      return c.json({ typed_data: await recordToSign(context, delivery) }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/delivery-record",
      operationId: "recordDelivery",
      tags: ["orders"],
      summary: "Have the delivery recorded on the chain",
      description:
        "Takes the provider's signature of the typed data and sends it; the service pays the gas. The same request again gives the same relay. That it is recorded is known by the trail's `delivery.recorded`.",
      ...guarded(context, "orders:write"),
      request: {
        params: orderParams,
        body: jsonBody(z.strictObject({ signature: signatureSchema })),
      },
      responses: {
        202: answer("The relay", z.object({ relay: relaySchema })),
        ...refusals("invalid_state", "conflict", "rate_limited"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const delivery = await readDelivery(caller, c.req.valid("param").id);
      const { signature } = c.req.valid("json");
      const sent = (await findRecorded(delivery)) ?? (await relayNow(caller, delivery, signature));
      return c.json({ relay: presentRelay(sent) }, 202);
    },
  );

  async function readDelivery(caller: Caller, orderId: string): Promise<Delivery> {
    const { row, escrow, role } = await readOwnOrder(db, caller, orderId);
    requireProvider(role, "record a delivery");
    return { row, escrow, outputHash: await readOutputHash(db, orderId) };
  }

  /** The relay that recorded exactly this delivery, so that a request repeated late is answered as at first. */
  async function findRecorded({ row, escrow, outputHash }: Delivery): Promise<RelayRow | null> {
    if (!escrow || escrow.deliveryCount === 0 || escrow.outputHash !== outputHash) return null;
    return findRelay(db, intentOf(row, escrow.deliveryCount));
  }

  async function relayNow(caller: Caller, delivery: Delivery, signature: Hex): Promise<RelayRow> {
    const signed = await checkDeliverySignature(context, delivery, signature);
    return db.transaction((tx) => relayRecord(context, tx, caller, delivery.row, signed));
  }
}

/** A delivery and what the chain knows of its escrow. */
type Delivery = { row: OrderRow; escrow: EscrowRow | null; outputHash: Hex | null };

/** A delivery's record as the provider signed it. */
export type SignedRecord = { outputHash: Hex; number: number; deadline: bigint; signature: Hex };

/**
 * Checks the provider's signature of a delivery's record.
 *
 * @throws ApiError `invalid_state` if it cannot be recorded now, `invalid_request` if the signature is not good
 */
export async function checkDeliverySignature(
  context: Context,
  delivery: Delivery,
  signature: Hex,
): Promise<SignedRecord> {
  const typedData = await recordToSign(context, delivery);
  const { outputHash, number, deadline } = typedData.message;
  return {
    outputHash: outputHash as Hex,
    number: number as number,
    deadline: BigInt(deadline as string),
    signature: await checkPartySignature(
      context,
      typedData,
      getAddress(delivery.row.providerAddress),
      signature,
    ),
  };
}

/**
 * Queues a signed record for the relayer: once for each number, and a number is good for one output only.
 *
 * @throws ApiError `conflict`, or as `queuePartyRelay`
 */
export async function relayRecord(
  context: Context,
  tx: Transaction,
  caller: Caller,
  row: OrderRow,
  signed: SignedRecord,
): Promise<RelayRow> {
  const escrowContract = getAddress(row.escrowContract);
  const call = recordSignedDeliveryCall({ escrowContract, terms: termsOf(row) }, signed);
  const queued = await queuePartyRelay(context, tx, caller, row, {
    intent: intentOf(row, signed.number),
    to: escrowContract,
    data: call.data,
  });
  if (escrowCall(escrowContract, queued.data).args.outputHash !== signed.outputHash) {
    throw new ApiError(
      "conflict",
      `Another delivery's record is on its way as number ${signed.number}. Record this one when the trail shows that one.`,
    );
  }
  return queued;
}

async function recordToSign(context: Context, { row, escrow, outputHash }: Delivery): Promise<TypedData> {
  const now = await readNow(context.db, row.chainId);
  requireIndexed({ row, escrow });
  const refusal = refuseRecord({ escrow, outputHash, now });
  const typedData = recordDeliveryData({
    chainId: row.chainId,
    escrowContract: getAddress(row.escrowContract),
    escrowId: row.escrowId,
    escrow,
    outputHash,
  });
  if (refusal || !typedData) throw new ApiError("invalid_state", refusal ?? "There is nothing to record.");
  return typedData;
}

function intentOf(row: OrderRow, number: number): string {
  return `${row.escrowId}:recordDelivery:${number}`;
}
