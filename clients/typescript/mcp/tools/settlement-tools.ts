import { z } from "zod";
import { hashOfText, signedActData, voucherData } from "../../../../protocol/settlement/index.ts";
import { mostStages } from "../../../../protocol/settlement/stages.ts";
import { releaseVoucherOf, waitingStageOf } from "../../src/buying/delivered-work.ts";
import { deliveryRecordOf } from "../../src/serving/delivery-record.ts";
import { openSigner, readOrder } from "../agreed-order.ts";
import { commonFields, signAndSubmit, signedInput, signedOutput } from "../signed-act.ts";
import { defineTool } from "../tool.ts";
import { type ReadOrder, RefusedCall } from "../tool-context.ts";
import * as schemas from "../tool-schemas.ts";

const acceptDelivery = defineTool({
  name: "accept_delivery",
  title: "Accept and release payment",
  description:
    "Releases the escrow's money to the provider, which cannot be undone; of an order in stages, the amount of one stage. Read the delivery with get_output first. Without a wallet in this program, it returns data to sign.",
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
    signAndSubmit(
      context,
      input,
      {
        tool: "accept_delivery",
        data: (read, deadline) => {
          const voucher = releaseVoucherOf(read.agreed, read.order);
          return voucher
            ? voucherData(read.agreed, voucher)
            : signedActData("release", read.agreed, { deadline });
        },
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
    "Opens a dispute as the buyer or the provider. The money is held until the arbiter decides or the deadlines pass. The arbiter and the other party read the reason. Without a wallet in this program, it returns data to sign.",
  scopes: ["orders:read", "orders:write"],
  does: "ends",
  input: z.strictObject({ ...signedInput, reason: z.string().min(1).max(2000) }),
  output: signedOutput,
  run: (context, { reason, ...input }, call) =>
    signAndSubmit(
      context,
      input,
      {
        tool: "open_dispute",
        data: ({ agreed }, deadline) =>
          signedActData("dispute", agreed, { deadline, reasonHash: hashOfText(reason) }),
        does: "This opens a dispute.",
        whoSigns: "either",
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
    signAndSubmit(
      context,
      input,
      {
        tool: "refund_order",
        data: ({ agreed }, deadline) => signedActData("refund", agreed, { deadline }),
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
    "Records the delivery of a received order on the chain, so that the money is released automatically after the review period. The payout wallet has to sign. Without a wallet in this program, it returns data to sign.",
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
          fields: { status: "unsigned" as const, ...commonFields(read, provider), to_sign },
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
      fields: {
        status: "sent" as const,
        ...commonFields(read, provider),
        relay_status: relay.status as string,
      },
    };
  },
});

export const settlingTools = [acceptDelivery, openDispute];
export const providerTools = [recordDelivery, refundOrder];
