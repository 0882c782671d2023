import type { PaymentInstructions } from "earnest-client";
import { UntrustedOrderError } from "earnest-client";
import { nowOf } from "earnest-client/buying/escrow-on-chain";
import { type Address, erc20Abi } from "viem";
import { approveCall, digestOf, type TypedData } from "../../../protocol/settlement/index.ts";
import { paymentNonceOf, permit2Address, permitData } from "../../../protocol/settlement/x402.ts";
import { WalletProblem } from "../problems/problem.ts";
import { i18n } from "../text/i18n.ts";
import { amountOf, type CheckedOrder } from "./checked-order.ts";
import type { SigningStep } from "./signing.ts";

/** The payment of an order by Permit2, for a token without signed authorizations. */
export type PermitPayment = {
  data: TypedData;
  /** the approval of Permit2, unless the wallet has allowed the amount before; then the signature */
  steps: SigningStep[];
};

/** Tells whether the service takes a permit for an order, and no authorization of the token. */
export function needsPermit({ payment_required: required }: PaymentInstructions): boolean {
  const accepts = required?.accepts ?? [];
  return accepts.length > 0 && accepts.every(({ extra }) => extra.assetTransferMethod === "permit2");
}

/**
 * Builds the permit that pays an order, and compares the service's with it. The permit moves the amount to the order's deposit
 * address only, and its nonce is the escrow's id, so it pays at most once.
 *
 * @throws UntrustedOrderError if anything differs; WalletProblem for a wallet that cannot approve Permit2
 */
export async function preparePermit(
  checked: CheckedOrder,
  shown: PaymentInstructions,
): Promise<PermitPayment> {
  const { agreed, signer } = checked;
  const { orderId, terms, chainId, depositAddress, escrowId } = agreed;
  const compare = (field: string, expected: unknown, found: unknown) => {
    if (expected !== found)
      throw new UntrustedOrderError(orderId, `payment_instructions.${field}`, expected, found);
  };
  const accepted = shown.payment_required?.accepts[0];
  compare("payment_required.accepts[0].scheme", "exact", accepted?.scheme);
  compare("payment_required.accepts[0].network", `eip155:${chainId}`, accepted?.network);
  compare("payment_required.accepts[0].amount", String(terms.amount), accepted?.amount);
  compare("payment_required.accepts[0].asset", terms.token, accepted?.asset);
  compare("payment_required.accepts[0].payTo", depositAddress, accepted?.payTo);
  const { node } = signer;
  if (!node) throw new WalletProblem("no_transactions");
  const token = { address: terms.token as Address, name: "", version: "" };
  const payable = { chainId, token, amount: terms.amount, depositAddress, fundBy: terms.fundBy };
  const data = permitData(payable, BigInt(paymentNonceOf(escrowId)), await nowOf(signer));
  const found = shown.typed_data;
  compare("typed_data.primaryType", data.primaryType, found?.primaryType);
  for (const part of ["domain", "types"] as const)
    compare(`typed_data.${part}`, digestOf(data[part]), digestOf(found?.[part]));
  for (const member of ["permitted", "spender", "witness"])
    compare(`typed_data.message.${member}`, digestOf(data.message[member]), digestOf(found?.message[member]));
  const amount = amountOf(checked);
  const steps: SigningStep[] = [
    { kind: "signature", name: i18n.t("Sign the payment of {amount}", { amount }), data },
  ];
  const args = [signer.address, permit2Address] as const;
  const call = { address: terms.token, abi: erc20Abi, functionName: "allowance", args } as const;
  if ((await node.readContract(call)) < terms.amount) {
    steps.unshift({
      kind: "call",
      name: i18n.t("Allow Permit2 to take {amount} (approve)", { amount }),
      call: approveCall({ escrowContract: permit2Address, terms }),
    });
  }
  return { data, steps };
}
