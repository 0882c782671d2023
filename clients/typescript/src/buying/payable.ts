import { findNetwork, type Payable } from "../../../../protocol/settlement/index.ts";
import type { PaymentRequirements } from "../generated/types.ts";
import { type AgreedOrder, createComparison } from "./agreement-check.ts";

/**
 * Compares an entry of x402's `accepts` with the agreement, and returns what a signature pays. The name and version of a known
 * token are the client's own.
 *
 * @param field the place of the entry, for the error
 * @throws UntrustedOrderError for the first field that differs
 */
export function readPayable(agreed: AgreedOrder, accepted: PaymentRequirements, field: string): Payable {
  const { orderId, terms, chainId, depositAddress } = agreed;
  const compare = createComparison(orderId, field);
  compare("scheme", "exact", accepted.scheme);
  compare("network", `eip155:${chainId}`, accepted.network);
  compare("amount", String(terms.amount), accepted.amount);
  compare("asset", terms.token, accepted.asset);
  compare("payTo", depositAddress, accepted.payTo);
  const known = findNetwork(chainId)?.token;
  const { name, version } = known?.address === terms.token ? known : accepted.extra;
  compare("extra.name", name, accepted.extra.name);
  compare("extra.version", version, accepted.extra.version);
  const token = { address: terms.token, name, version };
  return { chainId, token, amount: terms.amount, depositAddress, fundBy: terms.fundBy };
}
