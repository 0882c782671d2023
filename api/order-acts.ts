import { createRoute, z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import { findRelay, type RelayRow } from "../db/relays.ts";
import { signedActCall } from "../settlement/calls.ts";
import { refuseSignedAct } from "../settlement/exits.ts";
import { signatureDeadline, signedActData, type TypedData } from "../settlement/signatures.ts";
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
import {
  checkPartySignature,
  deadlineSchema,
  presentRelay,
  queuePartyRelay,
  relaySchema,
  requireDeadline,
  signatureSchema,
} from "./relay.ts";

const signedSchema = z.strictObject({ signature: signatureSchema, deadline: deadlineSchema });

type Act = "release" | "refund";

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
} as const;

/** Release and refund by a party's signature: the party signs, we relay and pay the gas. */
export function addOrderActs(app: App, context: Context): void {
  addAct(app, context, "release");
  addAct(app, context, "refund");
}

function addAct(app: App, context: Context, act: Act): void {
  const { db } = context;
  const [readId, sendId] = acts[act].operations;
  const [readSummary, sendSummary] = acts[act].summaries;

  app.openapi(
    createRoute({
      method: "get",
      path: `/orders/{id}/${act}`,
      operationId: readId,
      tags: ["orders"],
      summary: readSummary,
      ...guarded(context, "orders:read"),
      request: { params: orderParams },
      responses: {
        200: answer("Typed data, good for a day", z.object({ typed_data: typedDataSchema })),
        ...refusals("invalid_state"),
      },
    }),
    async (c) => {
      const own = await readAsSigner(callerOf(c), c.req.valid("param").id);
      const now = await readNow(db, own.row.chainId);
      requireOpen(own, now);
      return c.json({ typed_data: dataOf(own, signatureDeadline(now)) }, 200);
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
      request: { params: orderParams, body: jsonBody(signedSchema) },
      responses: {
        202: answer("The relay", z.object({ relay: relaySchema })),
        ...refusals("invalid_state", "rate_limited"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const own = await readAsSigner(caller, c.req.valid("param").id);
      const given = c.req.valid("json");
      const standing = await findRelay(db, intentOf(own));
      // What stands is the answer whatever came of it, so that a request repeated late is answered as at first.
      const relay = standing && standing.status !== "failed" ? standing : await relayNow(caller, own, given);
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
    const { deadline } = given;
    const now = await readNow(db, row.chainId);
    requireOpen(own, now);
    requireDeadline(deadline, now);
    const signer = getAddress(acts[act].signer === "buyer" ? row.buyerAddress : row.providerAddress);
    const signature = await checkPartySignature(context, dataOf(own, deadline), signer, given.signature);
    const escrowContract = getAddress(row.escrowContract);
    const { to, data } = signedActCall({ escrowContract, terms: termsOf(row) }, { act, deadline, signature });
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

  function dataOf({ row }: OwnOrder, deadline: bigint): TypedData {
    const escrowContract = getAddress(row.escrowContract);
    const { chainId, escrowId } = row;
    return signedActData(act, { chainId, escrowContract, escrowId }, { deadline });
  }

  function intentOf({ row }: OwnOrder): string {
    return `${row.escrowId}:${act}`;
  }
}

/** A signature as it came, and until when it is good. */
type Given = z.output<typeof signedSchema>;
