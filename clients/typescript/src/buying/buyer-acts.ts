// The acts of the buyer that end or dispute an escrow, signed or sent. All data is computed from the agreement.

import type { Hex } from "viem";
import {
  plainCall,
  signatureDeadline,
  signedActData,
  voucherCall,
  voucherData,
} from "../../../../protocol/settlement/index.ts";
import type { Order } from "../generated/types.ts";
import type { AgreedOrder } from "./agreement-check.ts";
import { releaseVoucherOf } from "./delivered-work.ts";
import { isOver, nowOf } from "./escrow-on-chain.ts";
import type { Signer } from "./wallet.ts";

type Buyer = { signer: Signer; agreed: AgreedOrder };

/** Signs an act of the buyer. A release of a metered order or of a stage is a voucher. */
export async function signAct(
  act: "release" | "dispute",
  { signer, agreed }: Buyer,
  order: Order,
  reasonHash?: Hex,
): Promise<{ signature: string; deadline: string }> {
  const deadline = signatureDeadline(await nowOf(signer));
  const voucher = act === "release" ? releaseVoucherOf(agreed, order) : null;
  const data = voucher ? voucherData(agreed, voucher) : signedActData(act, agreed, { deadline, reasonHash });
  const signature = await signer.sign(data);
  return { signature, deadline: String(deadline) };
}

/** Sends a call that ends the escrow. An equal call of a run before a crash may already be mined. */
export async function endEscrow(
  name: "release" | "refund",
  { signer, agreed }: Buyer,
  order: Order,
): Promise<void> {
  try {
    const voucher = name === "release" ? releaseVoucherOf(agreed, order) : null;
    await signer.send(voucher ? voucherCall(agreed, voucher) : plainCall(agreed, name));
  } catch (error) {
    if (!(await isOver(agreed, signer))) throw error;
  }
}
