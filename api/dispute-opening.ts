import { createRoute, z } from "@hono/zod-openapi";
import { getAddress, type Hex } from "viem";
import { findRelay, type RelayRow } from "../db/relays.ts";
import { escrowCall, signedActCall } from "../settlement/calls.ts";
import { refuseSignedAct } from "../settlement/exits.ts";
import { signatureDeadline, signedActData, type TypedData } from "../settlement/signatures.ts";
import { termsOf } from "../settlement/terms.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { disputeText, readTextHash, recordStatement, textHashSchema } from "./dispute-statements.ts";
import { ApiError } from "./errors.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import {
  lockOwnOrder,
  type OwnOrder,
  orderParams,
  readNow,
  readOwnOrder,
  requireIndexed,
  type SharedOrder,
} from "./order.ts";
import {
  checkPartySignature,
  deadlineSchema,
  presentRelay,
  queuePartyRelay,
  relaySchema,
  requireDeadline,
  signatureSchema,
} from "./relay.ts";

const openingRequest = z
  .strictObject({
    reason: disputeText.optional().openapi({ description: "why; kept as a statement of the dispute" }),
    reason_hash: textHashSchema.optional(),
    deadline: deadlineSchema,
    signature: signatureSchema,
  })
  .openapi("DisputeRequest", {
    example: {
      reason: "Half of the text is not translated.",
      deadline: "1795426200",
      signature: `0x${"1c".repeat(65)}`,
    },
  });

/** Opening a dispute by a party's signature: the party signs, we relay and pay the gas. */
export function addDisputeOpening(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/dispute",
      operationId: "disputeOrder",
      tags: ["disputes"],
      summary: "Have the escrow disputed",
      description:
        "Takes the party's signature of the typed data, with its `deadline`, and sends it; the service pays the gas. The same request again gives the same relay. What became of it is in the trail.",
      ...guarded(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(openingRequest) },
      responses: {
        202: answer("The relay", z.object({ relay: relaySchema })),
        ...refusals("invalid_state", "conflict", "rate_limited"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const own = await readOwnOrder(db, caller, c.req.valid("param").id);
      const { reason, reason_hash, deadline, signature } = c.req.valid("json");
      const given = { reasonHash: readTextHash("reason", reason, reason_hash), deadline, signature };
      const standing = await findRelay(db, intentOf(own));
      // What stands is the answer whatever came of it, so that a request repeated late is answered as at first.
      const call = standing && standing.status !== "failed" ? null : await checkOpening(own, given);
      const relay = await db.transaction(async (tx) => {
        const { row, role } = await lockOwnOrder(tx, caller, own.row.id);
        const opening = call
          ? await queuePartyRelay(context, tx, caller, row, { intent: intentOf(own), ...call })
          : (standing as RelayRow);
        requireSameReason(own, opening, given.reasonHash);
        if (reason !== undefined) await recordStatement(tx, row, role, { text: reason });
        return opening;
      });
      return c.json({ relay: presentRelay(relay) }, 202);
    },
  );

  /** @throws ApiError when the contract would refuse the dispute, or the signature is not the party's */
  async function checkOpening(own: OwnOrder, given: Opening) {
    const { row, escrow, role } = own;
    const now = await readNow(db, row.chainId);
    requireIndexed(own);
    const refusal = refuseSignedAct("dispute", { escrow, now });
    if (refusal) throw new ApiError("invalid_state", refusal);
    requireDeadline(given.deadline, now);
    const party = getAddress(role === "buyer" ? row.buyerAddress : row.providerAddress);
    const signature = await checkPartySignature(context, dataOf(own, given), party, given.signature);
    const { to, data } = signedActCall(
      { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) },
      { ...given, act: "dispute", party, signature },
    );
    return { to, data };
  }
}

type Opening = { reasonHash: Hex; deadline: bigint; signature: Hex };

/** What a party signs to dispute now, good for a day; null where nobody, or not the caller, can. */
export function openingToSign(own: SharedOrder, now: bigint, reasonHash: Hex): TypedData | null {
  if (own.role === "arbiter" || refuseSignedAct("dispute", { escrow: own.escrow, now })) return null;
  return dataOf(own, { reasonHash, deadline: signatureDeadline(now) });
}

function dataOf({ row }: Pick<OwnOrder, "row">, signed: Pick<Opening, "deadline" | "reasonHash">): TypedData {
  const { deadline, reasonHash } = signed;
  const { chainId, escrowId } = row;
  const escrowContract = getAddress(row.escrowContract);
  return signedActData("dispute", { chainId, escrowContract, escrowId }, { deadline, reasonHash });
}

/** @throws ApiError `conflict` when the dispute that stands gives another reason */
function requireSameReason({ row }: OwnOrder, relay: RelayRow, reasonHash: Hex): void {
  const { args } = escrowCall(getAddress(row.escrowContract), relay.data);
  if (args.reasonHash === reasonHash) return;
  throw new ApiError("conflict", "Your dispute is on its way or recorded with another reason_hash.");
}

/** Either party may dispute, and the one's refused signature is not to stand in the other's way. */
function intentOf({ row, role }: OwnOrder): string {
  return `${row.escrowId}:dispute:${role}`;
}
