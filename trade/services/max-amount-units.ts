import type { Config } from "../../config/config.ts";
import { parseAmount } from "../../protocol/settlement/money.ts";
import { refuseField } from "../refusal.ts";
import { chooseToken, requireAmountIn, type TokenName } from "./payment-token.ts";
import { isMeasured, largestQuantity } from "./pricing.ts";
import type { ServiceWithAgent } from "./service-on-sale.ts";

/** The part of a request for an order that limits what is charged. Members have the API's names. */
type Requested = {
  quantity?: number | undefined;
  /** a decimal amount of the paying token */
  max_amount?: string | undefined;
  pay_with?: TokenName | undefined;
};

/**
 * Returns the units of a metered order, or the calls of a session, that a `max_amount` pays; undefined without one.
 *
 * @throws Refusal `invalid_request` if the amount pays no unit, is no amount of the token, or stands beside a quantity
 */
export function unitsWithin(
  config: Pick<Config, "chains" | "defaultChain">,
  service: ServiceWithAgent["service"],
  { max_amount, quantity, pay_with }: Requested,
): number | undefined {
  if (max_amount === undefined) return undefined;
  const refuse = (keyword: string, message: string) => refuseField("max_amount", keyword, message);
  if (!isMeasured(service.pricingModel)) {
    throw refuse(
      "model",
      "Field max_amount: omit it, because this service is not metered and has no sessions. Use quantity.",
    );
  }
  if (quantity !== undefined) {
    throw refuse("model", "Field max_amount: send either max_amount or quantity, not both.");
  }
  const paidIn = chooseToken(config, service, pay_with);
  const { decimals, symbol } = paidIn.token;
  const most = parseAmount(max_amount, decimals);
  if (most === null) {
    throw refuse("amount", `Field max_amount: use a decimal with at most ${decimals} decimals (${symbol}).`);
  }
  const units = most / requireAmountIn(config, service.price, paidIn);
  if (units === 0n) throw refuse("minimum", "Field max_amount: the amount is below the price of one unit.");
  return Number(units < BigInt(largestQuantity) ? units : BigInt(largestQuantity));
}
