import { createRoute, z } from "@hono/zod-openapi";
import { type Address, getAddress, type Hex, maxUint256, zeroHash } from "viem";
import { findRelay, type RelayRow } from "../db/relays.ts";
import { escrowCall, type SignedActCall, signedActCall } from "../settlement/calls.ts";
import { refuseSignedAct } from "../settlement/exits.ts";
import {
  type SignedAct,
  signatureDeadline,
  signedActData,
  type TypedData,
} from "../settlement/signatures.ts";
import { termsOf } from "../settlement/terms.ts";
import { type Caller, callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import {
  type OwnOrder,
  orderParams,
  readNow,
  readOwnOrder,
  requireBuyer,
  requireIndexed,
  requireProvider,
  typedDataSchema,
} from "./order.ts";
import { checkPartySignature, presentRelay, queuePartyRelay, relaySchema, signatureSchema } from "./relay.ts";

const deadlineSchema = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, "must be unix seconds as a decimal string")
  .refine((text) => BigInt(text) <= maxUint256, "must fit in 256 bits")
  .transform(BigInt)
  .openapi({ type: "string", description: "the `deadline` of the typed data that was signed, unix seconds" });

const reasonHashSchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "must be 32 bytes of 0x-hex")
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({ type: "string", description: "the hash of the reason's text; all zero where left out" });

const signedSchema = z.strictObject({ signature: signatureSchema, deadline: deadlineSchema });

/** What a route says of an act: who signs it, and what for. */
const acts = {
  release: {
    signer: "buyer",
    operations: ["readReleaseToSign", "releaseOrder"],
    summaries: ["What the buyer signs to release the money", "Have the money released to the provider"],
  },
  refund: {
    signer: "provider",
    operations: ["readRefundToSign", "refundOrder"],
    summaries: ["What the provider signs to refund the money", "Have the money refunded to the buyer"],
  },
  dispute: {
    signer: "party",
    operations: ["readDisputeToSign", "disputeOrder"],
    summaries: ["What a party signs to dispute", "Have the escrow disputed"],
  },
} as const;

/** Release, refund and dispute by a party's signature: the party signs, we relay and pay the gas. */
export function addOrderActs(app: App, context: Context): void {
  addAct(app, context, "release");
  addAct(app, context, "refund");
  addAct(app, context, "dispute");
}

function addAct(app: App, context: Context, act: SignedAct): void {
  const { db } = context;
  const [readId, sendId] = acts[act].operations;
  const [readSummary, sendSummary] = acts[act].summaries;
  const disputes = act === "dispute";

  app.openapi(
    createRoute({
      method: "get",
      path: `/orders/{id}/${act}`,
      operationId: readId,
      tags: ["orders"],
      summary: readSummary,
      ...guarded(context, "orders:read"),
      request: {
        params: orderParams,
        query: disputes ? z.object({ reason_hash: reasonHashSchema.optional() }) : z.object({}),
      },
      responses: {
        200: answer("Typed data, good for a day", z.object({ typed_data: typedDataSchema })),
        ...refusals("invalid_state"),
      },
    }),
    async (c) => {
      const own = await readAsSigner(callerOf(c), c.req.valid("param").id);
      const now = await readNow(db, own.row.chainId);
      const { reason_hash } = c.req.valid("query") as { reason_hash?: Hex };
      requireOpen(own, now);
      const typed_data = dataOf(own, {
        deadline: signatureDeadline(now),
        reasonHash: reason_hash ?? zeroHash,
      });
      return c.json({ typed_data }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: `/orders/{id}/${act}`,
      operationId: sendId,
      tags: ["orders"],
      summary: sendSummary,
      description:
        "Takes the party's signature of the typed data, with its `deadline`, and sends it; the service pays the gas. The same request again gives the same relay. What became of it is in the trail.",
      ...guarded(context, "orders:write"),
      request: {
        params: orderParams,
        body: jsonBody(
          disputes ? signedSchema.extend({ reason_hash: reasonHashSchema.optional() }) : signedSchema,
        ),
      },
      responses: {
        202: answer("The relay", z.object({ relay: relaySchema })),
        ...refusals("invalid_state", "conflict", "rate_limited"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const own = await readAsSigner(caller, c.req.valid("param").id);
      const body = c.req.valid("json") as z.output<typeof signedSchema> & { reason_hash?: Hex };
      const given = { ...body, reasonHash: body.reason_hash ?? zeroHash };
      const standing = await findRelay(db, intentOf(own));
      // What stands is the answer whatever came of it, so that a request repeated late is answered as at first.
      const relay = standing && standing.status !== "failed" ? standing : await relayNow(caller, own, given);
      requireSameReason(own, relay, given.reasonHash);
      return c.json({ relay: presentRelay(relay) }, 202);
    },
  );

  async function readAsSigner(caller: Caller, orderId: string): Promise<OwnOrder> {
    const own = await readOwnOrder(db, caller, orderId);
    if (acts[act].signer === "buyer") requireBuyer(own.role, `sign a ${act}`);
    if (acts[act].signer === "provider") requireProvider(own.role, `sign a ${act}`);
    return own;
  }

  async function relayNow(caller: Caller, own: OwnOrder, given: Given): Promise<RelayRow> {
    const { row } = own;
    const { deadline, reasonHash } = given;
    const now = await readNow(db, row.chainId);
    requireOpen(own, now);
    if (deadline < now) {
      const message = "The deadline that was signed is over: read the typed data again and sign it.";
      throw new ApiError("invalid_request", message, [{ path: "/deadline", keyword: "deadline", message }]);
    }
    const party = walletOf(own);
    const signature = await checkPartySignature(context, dataOf(own, given), party, given.signature);
    const escrowContract = getAddress(row.escrowContract);
    const signed: SignedActCall =
      act === "dispute" ? { act, party, reasonHash, deadline, signature } : { act, deadline, signature };
    const { to, data } = signedActCall({ escrowContract, terms: termsOf(row) }, signed);
    return db.transaction((tx) =>
      queuePartyRelay(context, tx, caller, row, { intent: intentOf(own), to, data }),
    );
  }

  /** @throws ApiError when the contract would refuse the act */
  function requireOpen(own: OwnOrder, now: bigint): void {
    requireIndexed(own);
    const refusal = refuseSignedAct(act, { escrow: own.escrow, now });
    if (refusal) throw new ApiError("invalid_state", refusal);
  }

  function dataOf({ row }: OwnOrder, signed: Pick<Given, "deadline" | "reasonHash">): TypedData {
    const escrowContract = getAddress(row.escrowContract);
    return signedActData(act, { chainId: row.chainId, escrowContract, escrowId: row.escrowId }, signed);
  }

  /** @throws ApiError `conflict` when the dispute that stands gives another reason */
  function requireSameReason({ row }: OwnOrder, relay: RelayRow, reasonHash: Hex): void {
    if (act !== "dispute") return;
    const { args } = escrowCall(getAddress(row.escrowContract), relay.data);
    if (args.reasonHash === reasonHash) return;
    throw new ApiError("conflict", "Your dispute is on its way or recorded with another reason_hash.");
  }

  /** Either party may dispute, and the one's refused signature is not to stand in the other's way. */
  function intentOf({ row, role }: OwnOrder): string {
    return `${row.escrowId}:${act}${act === "dispute" ? `:${role}` : ""}`;
  }
}

/** A signature as it came, and what it says. */
type Given = { signature: Hex; deadline: bigint; reasonHash: Hex };

function walletOf({ row, role }: OwnOrder): Address {
  return getAddress(role === "buyer" ? row.buyerAddress : row.providerAddress);
}
