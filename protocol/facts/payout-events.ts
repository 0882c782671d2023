import { z } from "zod";
import { addressPattern } from "../settlement/shapes.ts";
import { apiPath } from "../settlement/vocabulary.ts";
import { amount, baseUnits, id, linksOf, test, text, type Unlinked } from "./event-fields.ts";

const exampleAddress = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";

export const payoutDataSchema = z.object({
  test,
  order_id: id("ord"),
  chain_id: z.int().min(1),
  token: text(addressPattern, exampleAddress),
  currency: z.string(),
  amount,
  amount_base_units: baseUnits,
  recipient: text(addressPattern, exampleAddress).describe("the wallet that the money belongs to"),
  links: linksOf("PayoutEventLinks", "order", "payouts"),
});

/** Builds the data of an event about a refused payout, for the payee's account. */
export function payoutEventData(
  payout: Unlinked<typeof payoutDataSchema>,
): z.output<typeof payoutDataSchema> {
  const links = { order: `${apiPath}/orders/${payout.order_id}`, payouts: `${apiPath}/balances/payouts` };
  return { ...payout, links };
}
