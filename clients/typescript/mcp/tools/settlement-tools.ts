import { z } from "zod";
import {
  hashOfText,
  type SignedAct,
  signatureDeadline,
  signedActData,
  voucherData,
} from "../../../../protocol/settlement/index.ts";
import { mostStages } from "../../../../protocol/settlement/stages.ts";
import { releaseVoucherOf, waitingStageOf } from "../../src/buying/agreed.ts";
import { nowOf } from "../../src/buying/paying.ts";
import type { Relay } from "../../src/index.ts";
import { deliveryRecordOf } from "../../src/serving/delivery-record.ts";
import { openSigner, readOrder } from "../agreed-order.ts";
import { type Call, defineTool } from "../tool.ts";
import { type ReadOrder, RefusedCall, type ToolContext } from "../tool-context.ts";
import * as schemas from "../tool-schemas.ts";

/** The output of an action that a party signs and the service sends. */
const signedOutput = z.object({
  status: z
    .enum(["unsigned", "sent"])
    .describe("unsigned: nothing was done, a wallet has to sign. sent: the service sends it to the chain."),
  order_id: z.string(),
  amount: z.string(),
  charge: z
    .string()
    .nullable()
    .describe("What a metered order's release pays. The rest goes back to the buyer."),
  stage: z.number().nullable().describe("The stage that waits for the buyer, of an order in stages."),
  stage_amount: z.string().nullable().describe("What the acceptance of this stage pays."),
  currency: z.string(),
  chain_id: z.number(),
  payee: z.string(),
  signer: z.string().describe("The wallet that has to sign."),
  to_sign: schemas.typedData.nullable().describe("EIP-712 typed data for the signer."),
  deadline: z.string().nullable().describe("Pass it together with the signature."),
  relay_status: z.string().nullable(),
});

const signedInput = {
  order_id: schemas.orderId,
  signature: schemas.signature,
  deadline: schemas.deadline,
  idempotency_key: schemas.optionalKey,
};

type SignedInput = {
  order_id: string;
  signature?: string | undefined;
  deadline?: string | undefined;
  idempotency_key?: string | undefined;
};

function commonFacts({ order, agreed }: ReadOrder, signer: string) {
  const waiting = waitingStageOf(agreed, order);
  return {
    order_id: order.id,
    amount: order.total_amount,
    charge: order.charge,
    stage: waiting?.number ?? null,
    stage_amount: order.stages?.[(waiting?.number ?? 0) - 1]?.amount ?? null,
    currency: order.currency,
    chain_id: agreed.chainId,
    payee: agreed.terms.provider,
    signer,
    to_sign: null,
    deadline: null,
    relay_status: null,
  };
}

/** Signs an action with the held wallet, or submits the given signature, or returns the data to sign. */
async function act(
  context: ToolContext,
  input: SignedInput,
  parts: {
    tool: string;
    name: SignedAct;
    /** A sentence that describes the effect. */
    does: string;
    /** Refuses the action for the order as it was read. */
    check?: (read: ReadOrder) => void;
    whoSigns: "buyer" | "provider" | "either";
    reason?: string;
    send(
      body: { signature: string; deadline: string },
      options: { signal: AbortSignal; idempotencyKey?: string },
    ): PromiseLike<{ relay: Relay }>;
  },
  { signal }: Call,
) {
  const read = await readOrder(context, input.order_id, signal);
  const { agreed } = read;
  const { buyer, provider } = agreed.terms;
  const signer = await openSigner(context, read);
  const expected = parts.whoSigns === "provider" ? provider : buyer;
  const wallet = parts.whoSigns === "either" ? (signer?.address ?? `${buyer} or ${provider}`) : expected;
  const send = async (signature: string, deadline: string) => {
    const options = { signal, ...schemas.keyOf(parts.tool, input.idempotency_key) };
    const { relay } = await parts.send({ signature, deadline }, options);
    return {
      sentence: `${parts.does} The service sends it to the chain. Check with wait_for_order or get_order.`,
      facts: { status: "sent" as const, ...commonFacts(read, wallet), relay_status: relay.status as string },
    };
  };
  if (input.signature !== undefined) {
    if (input.deadline === undefined) {
      throw new RefusedCall("invalid_arguments", "Send `deadline` together with `signature`.");
    }
    return await send(input.signature, input.deadline);
  }
  parts.check?.(read);
  const deadline = signatureDeadline(await nowOf({ node: signer?.node ?? null }));
  const reasonHash = parts.reason === undefined ? undefined : hashOfText(parts.reason);
  const voucher = parts.name === "release" ? releaseVoucherOf(agreed, read.order) : null;
  const data = voucher
    ? voucherData(agreed, voucher)
    : signedActData(parts.name, agreed, { deadline, reasonHash });
  if (!signer) {
    return {
      sentence: `Nothing was done: this program holds no wallet. ${parts.does} Have the wallet ${wallet} sign \`to_sign\`, then call ${parts.tool} again with the same arguments, \`signature\` and \`deadline\`.`,
      facts: {
        status: "unsigned" as const,
        ...commonFacts(read, wallet),
        to_sign: data,
        deadline: String(deadline),
      },
    };
  }
  if (parts.whoSigns !== "either" && signer.address !== expected) {
    throw new RefusedCall(
      "wrong_wallet",
      `${expected} has to sign this, but this program holds ${signer.address}.`,
    );
  }
  return await send(await signer.sign(data), String(deadline));
}

const acceptDelivery = defineTool({
  name: "accept_delivery",
  title: "Accept and release payment",
  description:
    "Releases the escrow's money to the provider, which cannot be undone; of an order in stages, the amount of one stage. Read the delivery with get_output first. If this program holds no wallet, it returns data for the buyer's wallet to sign.",
  scopes: ["orders:read", "orders:write"],
  does: "ends",
  input: z.strictObject({
    ...signedInput,
    stage: z
      .number()
      .int()
      .min(1)
      .max(mostStages)
      .optional()
      .describe("Required for an order in stages: the number of the delivered stage that you accept."),
  }),
  output: signedOutput,
  run: (context, { stage, ...input }, call) =>
    act(
      context,
      input,
      {
        tool: "accept_delivery",
        name: "release",
        does:
          stage === undefined
            ? "This releases the money to the provider."
            : `This releases the amount of stage ${stage} to the provider.`,
        check: (read) => requireWaiting(read, stage),
        whoSigns: "buyer",
        send: (body, options) => context.earnest.orders.release(input.order_id, body, options),
      },
      call,
    ),
});

/** Requires that the named stage is the one that waits. Another stage may be delivered since the caller read the order. */
function requireWaiting({ order, agreed }: ReadOrder, stage: number | undefined): void {
  if (!order.stages && stage === undefined) return;
  const waiting = waitingStageOf(agreed, order)?.number ?? null;
  if (waiting !== null && waiting === stage) return;
  const found = waiting === null ? "No stage waits for the buyer" : `Stage ${waiting} waits for the buyer`;
  throw new RefusedCall(
    "invalid_state",
    `${found}. Read it with get_output, and pass its number as \`stage\`.`,
  );
}

const openDispute = defineTool({
  name: "open_dispute",
  title: "Open a dispute",
  description:
    "Opens a dispute as the buyer or the provider. The money is held until the arbiter decides or the deadlines pass. The arbiter and the other party read the reason. If this program holds no wallet, it returns data to sign.",
  scopes: ["orders:read", "orders:write"],
  does: "ends",
  input: z.strictObject({ ...signedInput, reason: z.string().min(1).max(2000) }),
  output: signedOutput,
  run: (context, { reason, ...input }, call) =>
    act(
      context,
      input,
      {
        tool: "open_dispute",
        name: "dispute",
        does: "This opens a dispute.",
        whoSigns: "either",
        reason,
        send: (body, options) => context.earnest.disputes.open(input.order_id, { ...body, reason }, options),
      },
      call,
    ),
});

const refundOrder = defineTool({
  name: "refund_order",
  title: "Refund the buyer",
  description:
    "Refunds the whole escrow to the buyer, which cannot be undone. Only the provider can do it, to decline an order or to settle a complaint. A buyer gets the money back without it if nothing is delivered in time.",
  scopes: ["orders:read", "orders:write"],
  does: "ends",
  input: z.strictObject(signedInput),
  output: signedOutput,
  run: (context, input, call) =>
    act(
      context,
      input,
      {
        tool: "refund_order",
        name: "refund",
        does: "This refunds the buyer.",
        whoSigns: "provider",
        send: (body, options) => context.earnest.orders.refund(input.order_id, body, options),
      },
      call,
    ),
});

const recordDelivery = defineTool({
  name: "record_delivery",
  title: "Record a delivery on the chain",
  description:
    "Records the delivery of a received order on the chain, so that the money is released automatically after the review period. The payout wallet has to sign. If this program holds no wallet, it returns data to sign.",
  scopes: ["orders:read", "orders:write"],
  does: "ends",
  input: z.strictObject({
    order_id: schemas.orderId,
    signature: schemas.signature,
    idempotency_key: schemas.optionalKey,
  }),
  output: signedOutput,
  async run(context, { order_id, signature, idempotency_key }, { signal }) {
    const read = await readOrder(context, order_id, signal);
    const { provider } = read.agreed.terms;
    const signer = await openSigner(context, read);
    const { earnest } = context;
    let submitted = signature;
    if (submitted === undefined) {
      const { typed_data } = await earnest.orders.getDeliveryRecordToSign(order_id, { signal });
      const to_sign = deliveryRecordOf(read.agreed, read.order, typed_data);
      if (!signer) {
        return {
          sentence: `Nothing was done: this program holds no wallet. Have the wallet ${provider} sign \`to_sign\`, then call record_delivery again with \`signature\`.`,
          facts: { status: "unsigned" as const, ...commonFacts(read, provider), to_sign },
        };
      }
      if (signer.address !== provider) {
        throw new RefusedCall(
          "wrong_wallet",
          `${provider} has to sign this, but this program holds ${signer.address}.`,
        );
      }
      submitted = await signer.sign(to_sign);
    }
    const options = { signal, ...schemas.keyOf("record_delivery", idempotency_key) };
    const { relay } = await earnest.orders.recordDelivery(order_id, { signature: submitted }, options);
    return {
      sentence: "The record was sent to the chain. Check with get_order.",
      facts: {
        status: "sent" as const,
        ...commonFacts(read, provider),
        relay_status: relay.status as string,
      },
    };
  },
});

export const settlingTools = [acceptDelivery, openDispute];
export const providerTools = [recordDelivery, refundOrder];
