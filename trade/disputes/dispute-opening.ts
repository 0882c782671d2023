import type { Hex } from "viem";
import type { Caller, Context } from "../context.ts";
import { readAsSigner, sendSignedAct } from "../orders/send-signed-act.ts";
import type { RelayRow } from "../relay/relay-queue.ts";
import { readTextHash, textRecorder } from "./dispute-statements.ts";

/** A signed dispute; the deadline is unix seconds. */
export type SignedDispute = {
  reason?: string | undefined;
  reasonHash?: Hex | undefined;
  deadline: bigint;
  signature: Hex;
};

/**
 * Disputes an escrow by a party's signature.
 *
 * @returns the relay
 * @throws Refusal `invalid_request` if the hash is not the reason's, or as `readAsSigner` and `sendSignedAct`
 */
export async function openDispute(
  context: Context,
  caller: Caller,
  orderId: string,
  { reason, reasonHash, deadline, signature }: SignedDispute,
): Promise<RelayRow> {
  const own = await readAsSigner(context.db, caller, "dispute", orderId);
  const content = { reasonHash: readTextHash("reason", reason, reasonHash), deadline };
  const act = { name: "dispute", own, content, signature } as const;
  return sendSignedAct(context, caller, act, textRecorder(reason));
}
