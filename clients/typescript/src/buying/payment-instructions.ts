import { type Address, getAddress, type Hex } from "viem";
import {
  accountPaymentCalls,
  approveCall,
  authorizationData,
  createEscrowCall,
  digestOf,
  passkeyExecuteHash,
  paymentNonceOf,
  receiveAuthorizationData,
  type Call as SettlementCall,
  type TypedData,
} from "../../../../protocol/settlement/index.ts";
import type { Call, Order, PaymentInstructions } from "../generated/types.ts";
import { type AgreedOrder, createComparison } from "./agreement-check.ts";
import { PaymentFailedError } from "./errors.ts";
import { nowOf } from "./escrow-on-chain.ts";
import { readPayable } from "./payable.ts";
import type { Signer } from "./wallet.ts";

/**
 * Compares the service's payment instructions with the agreement.
 *
 * @throws UntrustedOrderError for the first field that differs
 */
export function compareInstructions(
  shown: PaymentInstructions,
  { agreed, decimals, rail }: { agreed: AgreedOrder; decimals: number; rail: Order["settlement_rail"] },
): void {
  const { orderId, terms } = agreed;
  const compare = createComparison(orderId, "payment_instructions");
  const expected: Record<string, unknown> = {
    order_id: orderId,
    settlement_rail: rail,
    chain_id: agreed.chainId,
    escrow_contract: agreed.escrowContract,
    token_address: terms.token,
    token_decimals: decimals,
    amount_base_units: String(terms.amount),
    escrow_id: agreed.escrowId,
    deposit_address: agreed.depositAddress,
    buyer_address: terms.buyer,
    provider_address: terms.provider,
  };
  for (const [name, value] of Object.entries(expected)) {
    compare(name, value, shown[name as keyof PaymentInstructions]);
  }
  for (const [name, value] of Object.entries(terms)) {
    compare(`terms.${name}`, String(value), String(shown.terms[name]));
  }
}

/**
 * Builds the calls that pay, `approve` and `createEscrow`, and compares the service's calls with them.
 *
 * @throws UntrustedOrderError for the first field that differs
 */
export function payingCalls(
  agreed: AgreedOrder,
  shown: PaymentInstructions,
): [SettlementCall, SettlementCall] {
  const compare = createComparison(agreed.orderId, "payment_instructions");
  const calls: [SettlementCall, SettlementCall] = [approveCall(agreed), createEscrowCall(agreed)];
  compare("calls.length", calls.length, shown.calls?.length);
  for (const [at, call] of calls.entries()) {
    const found = shown.calls?.[at] as Call;
    for (const name of ["function", "to", "data", "value"] as const) {
      compare(`calls[${at}].${name}`, call[name], found[name]);
    }
    compare(`calls[${at}].args`, digestOf(call.args), digestOf(found.args));
  }
  return calls;
}

/** The calls of a passkey account that pay an order, with what its passkey signs. */
export interface AccountPayment {
  calls: { to: string; value: "0"; data: Hex }[];
  nonce: string;
  /** Unix seconds */
  deadline: string;
  challenge: Hex;
}

/**
 * Builds the calls by which the buyer's passkey account pays, and the challenge that its passkey signs. Both are computed
 * from the agreement and compared with the service's. Send the signature to `orders.pay` as `{signature, accountCalls}`.
 *
 * @returns null if the service offers no payment by calls
 * @throws UntrustedOrderError for the first field that differs
 */
export function accountPayment(agreed: AgreedOrder, shown: PaymentInstructions): AccountPayment | null {
  const offered = shown.account_payment;
  if (!offered) return null;
  const { orderId, chainId, terms } = agreed;
  const compare = createComparison(orderId, "payment_instructions.account_payment");
  compare("account", terms.buyer, offered.account);
  // With a third call, the account first takes back what it allowed before.
  const calls = accountPaymentCalls(agreed, offered.calls.length > 2 ? 1n : 0n);
  compare("calls.length", calls.length, offered.calls.length);
  for (const [at, { to, data }] of calls.entries()) {
    const found = offered.calls[at];
    compare(`calls[${at}].to`, getAddress(to), found?.to);
    compare(`calls[${at}].value`, "0", found?.value);
    compare(`calls[${at}].data`, data, found?.data);
  }
  const { nonce, deadline } = offered;
  const challenge = passkeyExecuteHash(
    { account: terms.buyer as Address, chainId },
    { calls, nonce: BigInt(nonce), deadline: BigInt(deadline) },
  );
  compare("challenge", challenge, offered.challenge);
  return {
    calls: calls.map(({ to, data }) => ({ to, value: "0", data })),
    nonce,
    deadline,
    challenge,
  };
}

type Payer = { agreed: AgreedOrder; signer: Pick<Signer, "address" | "node"> };

/** Builds the authorization to the deposit address. */
export async function authorize(payer: Payer, shown: PaymentInstructions): Promise<TypedData> {
  return (await authorizations(payer, shown)).transfer;
}

/**
 * Builds the possible EIP-3009 authorizations: to the deposit address, and to the escrow contract if the service offers it,
 * which costs a third less gas. The data is computed from the agreement and compared with the service's.
 *
 * @throws UntrustedOrderError for the first field that differs; PaymentFailedError if the token has no EIP-3009
 */
export async function authorizations(
  { agreed, signer }: Payer,
  shown: PaymentInstructions,
): Promise<{ transfer: TypedData; receive: TypedData | null }> {
  const { orderId, escrowId } = agreed;
  const at = shown.payment_required?.accepts.findIndex(
    ({ extra }) => extra.assetTransferMethod === undefined,
  );
  const accepted = shown.payment_required?.accepts[at ?? -1];
  if (!accepted) {
    throw new PaymentFailedError(orderId, "its token has no EIP-3009; place the order on the rail escrow");
  }
  const payable = readPayable(agreed, accepted, `payment_instructions.payment_required.accepts[${at}]`);
  const now = await nowOf(signer);
  const transfer = authorizationData(payable, signer.address, paymentNonceOf(escrowId), now);
  compareData(orderId, "typed_data", transfer, shown.typed_data, ["to", "value"]);
  const { receive_authorization: offered } = shown;
  if (!offered) return { transfer, receive: null };
  const receive = receiveAuthorizationData(payable, agreed, signer.address, now);
  compareData(orderId, "receive_authorization", receive, offered, ["to", "value", "nonce"]);
  return { transfer, receive };
}

/** Compares the service's typed data with the data to sign, without the times, which the wallet chooses. */
function compareData(
  orderId: string,
  field: "typed_data" | "receive_authorization",
  data: TypedData,
  found: PaymentInstructions["typed_data"],
  members: string[],
): void {
  const compare = createComparison(orderId, `payment_instructions.${field}`);
  compare("primaryType", data.primaryType, found?.primaryType);
  for (const name of ["name", "version", "chainId", "verifyingContract"] as const) {
    compare(`domain.${name}`, data.domain[name], found?.domain[name]);
  }
  compare("types", digestOf(data.types), digestOf(found?.types));
  for (const name of members) compare(`message.${name}`, data.message[name], found?.message[name]);
}
