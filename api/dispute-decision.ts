import { createRoute, z } from "@hono/zod-openapi";
import { getAddress, type Hex } from "viem";
import type { OrderRow } from "../db/ledger.ts";
import { findRelay, type RelayRow } from "../db/relays.ts";
import {
  type Decision,
  decideDisputeCall,
  decideSignedDisputeCall,
  escrowCall,
} from "../settlement/calls.ts";
import { refuseDecision } from "../settlement/exits.ts";
import { formatAmount, parseAmount } from "../settlement/money.ts";
import { decisionData, signatureDeadline } from "../settlement/signatures.ts";
import { termsOf } from "../settlement/terms.ts";
import { type Caller, callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { disputeText, readTextHash, recordStatement, textHashSchema } from "./dispute-statements.ts";
import { ApiError, refuseField } from "./errors.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import {
  callSchema,
  lockSharedOrder,
  orderParams,
  readNow,
  readSharedOrder,
  requireArbiter,
  requireIndexed,
  type SharedOrder,
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

const providerAmountSchema = z.string().max(100).openapi({
  description: "what the provider gets, a decimal; the rest of the escrow goes back to the buyer",
  example: "1.500000",
});

const decisionRequest = z
  .strictObject({
    provider_amount: providerAmountSchema,
    ruling: disputeText.optional().openapi({ description: "the ruling's text, kept as a statement" }),
    ruling_hash: textHashSchema.optional(),
    deadline: deadlineSchema,
    signature: signatureSchema,
  })
  .openapi("DecisionRequest", {
    example: {
      provider_amount: "2",
      ruling: "Four fifths were done.",
      deadline: "1795426200",
      signature: `0x${"1c".repeat(65)}`,
    },
  });

/** The arbiter's decision of a dispute: signed by the arbiter's wallet, sent by us. */
export function addDisputeDecision(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/dispute/decision",
      operationId: "readDecisionToSign",
      tags: ["disputes"],
      summary: "What the arbiter signs, or sends, to decide a dispute",
      ...guarded(context, "orders:read"),
      request: {
        params: orderParams,
        query: z.object({ provider_amount: providerAmountSchema, ruling_hash: textHashSchema.optional() }),
      },
      responses: {
        200: answer(
          "Typed data, good for a day, and the call that says the same from the arbiter's own wallet",
          z.object({ typed_data: typedDataSchema, call: callSchema }),
        ),
        ...refusals("invalid_state"),
      },
    }),
    async (c) => {
      const { row, escrow } = await readAsArbiter(callerOf(c), c.req.valid("param").id);
      const { provider_amount, ruling_hash } = c.req.valid("query");
      const now = await requireOpen({ row, escrow });
      const decision = {
        providerAmount: readProviderAmount(row, provider_amount),
        rulingHash: readTextHash("ruling", undefined, ruling_hash),
      };
      return c.json(
        {
          typed_data: dataOf(row, { ...decision, deadline: signatureDeadline(now) }),
          call: decideDisputeCall(escrowOf(row), decision),
        },
        200,
      );
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/dispute/decision",
      operationId: "decideDispute",
      tags: ["disputes"],
      summary: "Have a dispute decided",
      description:
        "Takes the arbiter's signature of the typed data and sends it; the service pays the gas. The same request again gives the same relay. That it is decided is known by the trail's `order.dispute_decided`; anyone may settle it once the appeal window is over.",
      ...guarded(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(decisionRequest) },
      responses: {
        202: answer("The relay", z.object({ relay: relaySchema })),
        ...refusals("invalid_state", "conflict", "rate_limited"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const own = await readAsArbiter(caller, c.req.valid("param").id);
      const { provider_amount, ruling, ruling_hash, deadline, signature } = c.req.valid("json");
      const given = {
        providerAmount: readProviderAmount(own.row, provider_amount),
        rulingHash: readTextHash("ruling", ruling, ruling_hash),
        deadline,
        signature,
      };
      const standing = await findRelay(db, intentOf(own.row));
      const call = standing && standing.status !== "failed" ? null : await checkDecision(own, given);
      const relay = await db.transaction(async (tx) => {
        const { row, role } = await lockSharedOrder(tx, caller, own.row.id);
        const decided = call
          ? await queuePartyRelay(context, tx, caller, row, { intent: intentOf(row), ...call })
          : (standing as RelayRow);
        requireSameDecision(row, decided, given);
        if (ruling !== undefined) await recordStatement(tx, row, role, { text: ruling });
        return decided;
      });
      return c.json({ relay: presentRelay(relay) }, 202);
    },
  );

  async function readAsArbiter(caller: Caller, orderId: string): Promise<SharedOrder> {
    const own = await readSharedOrder(db, caller, orderId);
    requireArbiter(own.role, "decide the dispute");
    return own;
  }

  /** Whether the contract takes a decision now, and the time that was looked at, in unix seconds. */
  async function requireOpen({ row, escrow }: Pick<SharedOrder, "row" | "escrow">): Promise<bigint> {
    const now = await readNow(db, row.chainId);
    requireIndexed({ row, escrow });
    const refusal = refuseDecision({ escrow, terms: termsOf(row), now });
    if (refusal) throw new ApiError("invalid_state", refusal);
    return now;
  }

  async function checkDecision(own: SharedOrder, given: SignedDecision) {
    requireDeadline(given.deadline, await requireOpen(own));
    const { signature: asGiven, ...decision } = given;
    const arbiter = getAddress(own.row.arbiter);
    const signature = await checkPartySignature(context, dataOf(own.row, decision), arbiter, asGiven);
    const { to, data } = decideSignedDisputeCall(escrowOf(own.row), { ...decision, signature });
    return { to, data };
  }
}

type SignedDecision = Decision & { deadline: bigint; signature: Hex };

/** @throws ApiError `invalid_request` for an amount that is none, finer than the token, or more than the escrow holds */
function readProviderAmount(row: OrderRow, text: string): bigint {
  const amount = parseAmount(text, row.tokenDecimals);
  if (amount === null) {
    throw refuseField(
      "provider_amount",
      "decimal",
      `provider_amount must be a decimal of at most ${row.tokenDecimals} places.`,
    );
  }
  if (amount > row.amount) {
    throw refuseField(
      "provider_amount",
      "maximum",
      `The escrow holds ${formatAmount(row.amount, row.tokenDecimals)} ${row.tokenSymbol}, and provider_amount cannot be more.`,
    );
  }
  return amount;
}

/** @throws ApiError `conflict` when the decision that stands is another */
function requireSameDecision(row: OrderRow, relay: RelayRow, given: Decision): void {
  const { args } = escrowCall(getAddress(row.escrowContract), relay.data);
  if (args.providerAmount === given.providerAmount.toString() && args.rulingHash === given.rulingHash) return;
  throw new ApiError("conflict", "Your decision is on its way or recorded with another amount or ruling.");
}

function dataOf(row: OrderRow, decision: Decision & { deadline: bigint }) {
  const { providerAmount, rulingHash, deadline } = decision;
  return decisionData(
    { chainId: row.chainId, escrowContract: getAddress(row.escrowContract), escrowId: row.escrowId },
    { providerAmount, rulingHash, deadline },
  );
}

function escrowOf(row: OrderRow) {
  return { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) };
}

function intentOf(row: OrderRow): string {
  return `${row.escrowId}:decideDispute`;
}
