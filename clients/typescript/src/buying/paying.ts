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
import { ApiError } from "../core/errors.ts";
import type { OrdersResource } from "../generated/resources/orders.ts";
import type { Call, Order, PaymentInstructions } from "../generated/types.ts";
import type { AgreedOrder } from "./agreed.ts";
import { PaymentFailedError, UntrustedOrderError } from "./errors.ts";
import { hasAllowed, hasEscrow, isNonceUsed, nowOf } from "./escrow-on-chain.ts";
import { readPayable } from "./payable.ts";
import type { OnProgress } from "./progress.ts";
import { runSequentially } from "./sequential.ts";
import type { Signer } from "./wallet.ts";

/** The payment of an order that was checked. */
export interface Paying {
  orders: OrdersResource;
  agreed: AgreedOrder;
  decimals: number;
  /** The rail of the order. It is fixed here, so the service cannot switch it and cause a second payment. */
  rail: Order["settlement_rail"];
  signer: Signer;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

/**
 * Pays an order once: by calls of the wallet, or by one signature that the service sends. Does nothing if the service or
 * the chain knows of a payment.
 *
 * @throws UntrustedOrderError if the instructions differ from the agreement; PaymentFailedError
 */
export async function payOrder(paying: Paying): Promise<void> {
  if (await isPaid(paying)) return;
  const { orders, agreed, signal } = paying;
  let shown: PaymentInstructions;
  try {
    shown = await orders.getPaymentInstructions(agreed.orderId, { signal });
  } catch (error) {
    // The order is paid or expired. The caller reads its status.
    if (error instanceof ApiError && error.code === "invalid_state") return;
    throw error;
  }
  compareInstructions(shown, paying);
  if (paying.rail === "x402") await payBySignature(paying, shown);
  else await payByCalls(paying, shown);
}

/** Tells whether the service or the chain knows of a payment of this order. */
async function isPaid({ orders, agreed, signer, signal }: Paying): Promise<boolean> {
  const { payment } = await orders.getPayment(agreed.orderId, { signal });
  if (payment && payment.status !== "failed") return true;
  return (await hasEscrow(agreed, signer)) || (await hasAuthorized(agreed, signer));
}

/** Tells whether the order's authorization was used: the money is or was at the deposit address. */
async function hasAuthorized(agreed: AgreedOrder, signer: Signer): Promise<boolean> {
  return await isNonceUsed(agreed, paymentNonceOf(agreed.escrowId), signer);
}

/**
 * Compares the service's payment instructions with the agreement.
 *
 * @throws UntrustedOrderError for the first field that differs
 */
export function compareInstructions(
  shown: PaymentInstructions,
  { agreed, decimals, rail }: Pick<Paying, "agreed" | "decimals" | "rail">,
): void {
  const { orderId, terms } = agreed;
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
    compare(orderId, name, value, shown[name as keyof PaymentInstructions]);
  }
  for (const [name, value] of Object.entries(terms)) {
    compare(orderId, `terms.${name}`, String(value), String(shown.terms[name]));
  }
}

function compare(orderId: string, field: string, expected: unknown, found: unknown): void {
  if (expected !== found) {
    throw new UntrustedOrderError(orderId, `payment_instructions.${field}`, expected, found);
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
  const { orderId } = agreed;
  const calls: [SettlementCall, SettlementCall] = [approveCall(agreed), createEscrowCall(agreed)];
  compare(orderId, "calls.length", calls.length, shown.calls?.length);
  for (const [at, call] of calls.entries()) {
    const found = shown.calls?.[at] as Call;
    for (const name of ["function", "to", "data", "value"] as const) {
      compare(orderId, `calls[${at}].${name}`, call[name], found[name]);
    }
    compare(orderId, `calls[${at}].args`, digestOf(call.args), digestOf(found.args));
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
  const fields = (name: string, expected: unknown, found: unknown) =>
    compare(orderId, `account_payment.${name}`, expected, found);
  fields("account", terms.buyer, offered.account);
  // With a third call, the account first takes back what it allowed before.
  const calls = accountPaymentCalls(agreed, offered.calls.length > 2 ? 1n : 0n);
  fields("calls.length", calls.length, offered.calls.length);
  for (const [at, { to, data }] of calls.entries()) {
    const found = offered.calls[at];
    fields(`calls[${at}].to`, getAddress(to), found?.to);
    fields(`calls[${at}].value`, "0", found?.value);
    fields(`calls[${at}].data`, data, found?.data);
  }
  const { nonce, deadline } = offered;
  const challenge = passkeyExecuteHash(
    { account: terms.buyer as Address, chainId },
    { calls, nonce: BigInt(nonce), deadline: BigInt(deadline) },
  );
  fields("challenge", challenge, offered.challenge);
  return {
    calls: calls.map(({ to, data }) => ({ to, value: "0", data })),
    ...{ nonce, deadline, challenge },
  };
}

/** The most times that a purchase approves its amount, because another process may use up the allowance. */
const maxApprovals = 3;

async function payByCalls({ agreed, signer, signal }: Paying, shown: PaymentInstructions): Promise<void> {
  const [approve, create] = payingCalls(agreed, shown);
  const { node } = signer;
  if (!node || !signer.sends) {
    throw new TypeError("The rail escrow needs a viem wallet client with an account and a transport.");
  }
  const { chainId, escrowContract, terms } = agreed;
  const allowance = [chainId, escrowContract, terms.token, signer.address].join();
  const send = async () => {
    // Another purchase may have paid the same order while this one waited.
    if (await hasEscrow(agreed, signer)) return;
    for (let left = maxApprovals - 1; ; left--) {
      try {
        if (!(await hasAllowed(agreed, signer))) await signer.send(approve);
        await signer.send(create);
        return;
      } catch (error) {
        // A call of a run before a crash may be mined now. The contract accepts only one.
        if (await hasEscrow(agreed, signer)) return;
        // Another process of this wallet may have used the allowance.
        if (left === 0 || (await hasAllowed(agreed, signer))) throw error;
      }
    }
  };
  await runSequentially(allowance, send, signal);
}

/** Pays by one EIP-3009 signature that the service sends (x402). */
async function payBySignature(paying: Paying, shown: PaymentInstructions): Promise<void> {
  const { agreed, signer, orders, signal, onProgress } = paying;
  const { receive, transfer } = await authorizations(paying, shown);
  // The cheaper authorization is first. Both have the same nonce, so the token accepts at most one.
  const candidates: { name: string; data: TypedData }[] = [{ name: "authorization", data: transfer }];
  if (receive) candidates.unshift({ name: "receiveAuthorization", data: receive });
  for (const [at, { name, data }] of candidates.entries()) {
    const signature = await signer.sign(data);
    try {
      const { payment } = await orders.pay(agreed.orderId, { signature, [name]: data.message }, { signal });
      await onProgress?.({ step: "signed", payment });
      return;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The order is being paid or cannot be paid. The caller reads its status.
      if (error.code === "conflict" || error.code === "invalid_state") return;
      if (error.status !== 402) throw error;
      const reason = error.details[0]?.keyword ?? error.message;
      if (reason === "invalid_exact_evm_nonce_already_used") return;
      if (at === candidates.length - 1) throw new PaymentFailedError(agreed.orderId, reason);
    }
  }
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
  const fields = (name: string, expected: unknown, value: unknown) =>
    compare(orderId, `${field}.${name}`, expected, value);
  fields("primaryType", data.primaryType, found?.primaryType);
  for (const name of ["name", "version", "chainId", "verifyingContract"] as const) {
    fields(`domain.${name}`, data.domain[name], found?.domain[name]);
  }
  fields("types", digestOf(data.types), digestOf(found?.types));
  for (const name of members) fields(`message.${name}`, data.message[name], found?.message[name]);
}
