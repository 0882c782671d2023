// Acts that a party of an order signs, and the service sends.

import { z } from "zod";
import { signatureDeadline, type TypedData } from "../../../protocol/settlement/index.ts";
import { waitingStageOf } from "../src/buying/delivered-work.ts";
import { nowOf } from "../src/buying/escrow-on-chain.ts";
import type { Relay } from "../src/index.ts";
import { openSigner, readOrder } from "./agreed-order.ts";
import type { Call } from "./tool.ts";
import { type ReadOrder, RefusedCall, type ToolContext } from "./tool-context.ts";
import * as schemas from "./tool-schemas.ts";

/** The output of an action that a party signs and the service sends. */
export const signedOutput = z.object({
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

export const signedInput = {
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

export function commonFields({ order, agreed }: ReadOrder, signer: string) {
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
export async function signAndSubmit(
  context: ToolContext,
  input: SignedInput,
  parts: {
    tool: string;
    /** Builds the data to sign. */
    data(read: ReadOrder, deadline: bigint): TypedData;
    /** A sentence that describes the effect. */
    does: string;
    /** Refuses the action for the order as it was read. */
    check?: (read: ReadOrder) => void;
    whoSigns: "buyer" | "provider" | "arbiter" | "either";
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
  const expected = parts.whoSigns === "either" ? null : agreed.terms[parts.whoSigns];
  const wallet = expected ?? signer?.address ?? `${buyer} or ${provider}`;
  const send = async (signature: string, deadline: string) => {
    const options = { signal, ...schemas.keyOf(parts.tool, input.idempotency_key) };
    const { relay } = await parts.send({ signature, deadline }, options);
    return {
      sentence: `${parts.does} The service sends it to the chain. Check with wait_for_order or get_order.`,
      fields: {
        status: "sent" as const,
        ...commonFields(read, wallet),
        relay_status: relay.status as string,
      },
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
  const data = parts.data(read, deadline);
  if (!signer) {
    return {
      sentence: `Nothing was done: this program holds no wallet. ${parts.does} Have the wallet ${wallet} sign \`to_sign\`, then call ${parts.tool} again with the same arguments, \`signature\` and \`deadline\`.`,
      fields: {
        status: "unsigned" as const,
        ...commonFields(read, wallet),
        to_sign: data,
        deadline: String(deadline),
      },
    };
  }
  if (expected !== null && signer.address !== expected) {
    throw new RefusedCall(
      "wrong_wallet",
      `${expected} has to sign this, but this program holds ${signer.address}.`,
    );
  }
  return await send(await signer.sign(data), String(deadline));
}
