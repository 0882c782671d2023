import type { PaymentPayload } from "@x402/core/types";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { UptoEvmScheme } from "@x402/evm/upto/facilitator";
import { type Address, getAddress, type Hex, isAddress, isAddressEqual, type PublicClient } from "viem";
import type { Chain } from "../../config/config.ts";
import type { PaymentCall } from "../../db/schema.ts";
import { createEscrowFromDepositCall } from "../../protocol/settlement/calls.ts";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { isPlainDeployment } from "../../protocol/settlement/passkey.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import type { PaymentRequirements } from "../../protocol/settlement/x402.ts";
import { paymentKeyOf, type SignedPayment, schemeOf } from "../../protocol/settlement/x402-payload.ts";
import type { Context } from "../context.ts";
import { withCappedGas } from "../erc1271.ts";
import { chainUnreachable } from "../node-breaker.ts";
import { Refusal } from "../refusal.ts";
import { gasBounds } from "../relay/gas-bounds.ts";
import { isAuthorizationUsed, secondsToMine } from "./authorization.ts";
import { readDepositBalance } from "./deposit-call.ts";
import { movesTooLittle } from "./fee-on-transfer.ts";
import { readPayerSignature, simulatePayment } from "./payer-signature.ts";
import { paymentCalls } from "./payment-calls.ts";
import { PaymentRefusal, refusePayment } from "./payment-refusal.ts";
import type { PaidEscrow } from "./payment-requirements.ts";

/** The requirements that the client accepted. x402's verification does not compare them with the offer. */
export type Accepted = Record<"scheme" | "network" | "amount" | "asset" | "payTo", string> & {
  extra?: Record<string, unknown> | undefined;
};

/**
 * Finds the offered requirements for a payment.
 *
 * @throws PaymentRefusal that names the member that differs from the offer
 */
export function matchRequirements(
  offered: readonly PaymentRequirements[],
  signed: SignedPayment,
  accepted: Accepted | null,
): PaymentRequirements {
  const { method } = paymentKeyOf(signed);
  const requirements = offered.find(
    ({ scheme, extra }) =>
      scheme === schemeOf(signed) && (extra.assetTransferMethod === "permit2") === (method === "permit2"),
  );
  if (!requirements) {
    throw new PaymentRefusal(
      "unsupported_payload_type",
      "/payload",
      `This order does not accept payments by ${method}. Use a method that its 402 response lists.`,
    );
  }
  if (!accepted) return requirements;
  const differing: [Exclude<keyof Accepted, "extra">, reason: string, boolean][] = [
    ["scheme", "invalid_exact_evm_scheme", accepted.scheme === requirements.scheme],
    ["network", "invalid_exact_evm_network_mismatch", accepted.network === requirements.network],
    ["asset", "invalid_exact_evm_asset_mismatch", isSameAddress(accepted.asset, requirements.asset)],
    ["payTo", "invalid_exact_evm_recipient_mismatch", isSameAddress(accepted.payTo, requirements.payTo)],
    ["amount", "invalid_exact_evm_amount_mismatch", accepted.amount === requirements.amount],
  ];
  for (const [member, reason, same] of differing) {
    if (same) continue;
    throw new PaymentRefusal(
      reason,
      `/accepted/${member}`,
      `The payment accepts the ${member} ${accepted[member].slice(0, 100)}, but this order requires ${requirements[member]}.`,
    );
  }
  return requirements;
}

function isSameAddress(text: string, address: Address): boolean {
  return isAddress(text, { strict: false }) && isAddressEqual(getAddress(text), address);
}

/**
 * Verifies a payment as x402's facilitator does: `exact` by EIP-3009 or Permit2 and `upto` by Permit2, of keys, of
 * ERC-1271 wallets, and of ERC-6492 wallets with an allowed factory. It is checked against the order, not against the
 * payer's copy of the requirements.
 *
 * @returns the calls that bring the payment into the escrow
 * @throws PaymentRefusal, or Refusal `dependency_unavailable` if the chain does not answer
 */
export async function checkPayment(
  context: Context,
  row: PaidEscrow,
  requirements: PaymentRequirements,
  submitted: SignedPayment,
): Promise<PaymentCall[]> {
  const served = context.chain(row.chainId);
  if (!served) throw new Refusal("dependency_unavailable", `Chain ${row.chainId} is not served here.`);
  const { client } = served;
  refuseTooLate(served.chain, submitted);
  const escrow = { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) };
  const { method, payer } = paymentKeyOf(submitted);
  const { facilitatorAddress } = requirements.extra;
  const chain = createReader(client, facilitatorAddress);
  const payerSignature = await readPayerSignature(chain.getCode, payer, submitted.signature);
  if (!payerSignature)
    throw refusePayment(method === "eip3009" ? "invalid_exact_evm_signature" : "invalid_permit2_signature");
  const signed = { ...submitted, signature: payerSignature.signature };
  const factory = served.chain.passkey_factory as Address | undefined;
  if (payerSignature.kind === "foreseen" && !isPlainDeployment(factory, signed.signature)) {
    throw refusePayment("eip6492_factory_not_allowed");
  }
  const scheme = facilitatorAddress
    ? new UptoEvmScheme(chain.facilitator)
    : new ExactEvmScheme(chain.facilitator, {
        eip6492AllowedFactories: [...context.config.walletFactories, ...(factory ? [factory] : [])],
      });
  const payload: PaymentPayload = { x402Version: 2, accepted: requirements, payload: signed };
  const verdict = await scheme.verify(payload, requirements);
  // x402 may report an invalid payment, or a wallet without code, when the node does not answer.
  if (chain.outage()) throw chain.outage();
  const reason = verdict.isValid ? null : (verdict.invalidReason ?? "invalid_payment");

  const deploysWallet = payerSignature.kind === "foreseen";
  if (reason === null) {
    const calls = paymentCalls(signed, escrow, {
      deploysWallet,
      callsToken: deploysWallet && payerSignature.looksLikeKey,
    });
    if (payerSignature.kind !== "key") return requireSimulated(calls);
    // If the escrow fails, the transfer by an authorization is undone. The money of a permit stays at the deposit address.
    if (method === "permit2" && (await movesTooLittle(client, calls, facilitatorAddress)))
      throw refusePayment("token_moves_less");
    return calls;
  }
  if (!simulationReasons.has(reason)) throw refusePayment(reason);
  // Another sender may have submitted the authorization first. Its money can only be at the deposit address.
  const used =
    method === "permit2"
      ? await requireAnswer(isAuthorizationUsed(client, row.token, paymentKeyOf(submitted)))
      : null;
  if (used !== false && (await requireAnswer(readDepositBalance(client, row))) >= row.amount) {
    const { to, data } = createEscrowFromDepositCall(escrow);
    return [{ to, data, gasBound: gasBounds.deposit }];
  }
  if (used) throw refusePayment("permit2_invalid_nonce");
  // x402 simulated the bytes as a key's signature. The token may accept them as the signature of a contract wallet.
  if (
    payerSignature.kind === "wallet" &&
    payerSignature.looksLikeKey &&
    reason === simulationFailed.eip3009
  ) {
    return requireSimulated(paymentCalls(signed, escrow, { callsToken: true }));
  }
  throw refusePayment(reason);

  async function requireSimulated(calls: PaymentCall[]): Promise<PaymentCall[]> {
    const obstacle = await simulatePayment(client, calls, facilitatorAddress);
    // The simulation of a payment of scheme `upto` has its first call only.
    if (obstacle === null && !facilitatorAddress) return calls;
    if (await movesTooLittle(client, calls, facilitatorAddress)) throw refusePayment("token_moves_less");
    if (obstacle === null) return calls;
    throw refusePayment(obstacle === "too_much_gas" ? "wallet_gas_too_high" : simulationFailed[method]);
  }
}

/** @throws PaymentRefusal for a payment that expires before it can be mined */
function refuseTooLate(chain: Chain, signed: SignedPayment): void {
  const until = BigInt(Math.floor(Date.now() / 1000)) + secondsToMine(chain);
  if ("authorization" in signed) {
    if (BigInt(signed.authorization.validBefore) < until)
      throw refusePayment("invalid_exact_evm_payload_authorization_valid_before");
  } else if (BigInt(signed.permit2Authorization.deadline) < until)
    throw refusePayment("permit2_deadline_expired");
}

/** Awaits a read that no contract reverts. A failure is the node's. @throws Refusal `dependency_unavailable` */
function requireAnswer<Value>(answer: Promise<Value>): Promise<Value> {
  return answer.catch(() => {
    throw chainUnreachable();
  });
}

/** x402's reasons for a simulated transfer that fails without a known cause. */
const simulationFailed = {
  eip3009: "invalid_exact_evm_transaction_simulation_failed",
  permit2: "permit2_simulation_failed",
} as const;

/** x402's reasons for a valid signature whose transfer would fail. */
const simulationReasons = new Set([
  ...Object.values(simulationFailed),
  "invalid_exact_evm_nonce_already_used",
  // A used permit has also spent balance and allowance, and x402 does not check Permit2's nonces.
  "permit2_insufficient_balance",
  "permit2_allowance_required",
] as string[]);

/** Wraps the client for x402's verification, which swallows errors. `outage` returns the node's failure. */
function createReader(client: PublicClient, sender: Address | undefined) {
  let outage: Refusal | null = null;
  const capped = withCappedGas(client);
  const codes = new Map<Address, Promise<Hex | undefined>>();
  const readCode = async (address: Address): Promise<Hex | undefined> => {
    // After a failure, the node is not called again.
    if (outage) return undefined;
    try {
      return await client.getCode({ address });
    } catch {
      outage ??= chainUnreachable();
      return undefined;
    }
  };
  /** Caches each answer. Never rejects: x402 may leave the promise unawaited, and a rejection would end the process. */
  const getCode = ({ address }: { address: Address }): Promise<Hex | undefined> => {
    const code = codes.get(address) ?? readCode(address);
    codes.set(address, code);
    return code;
  };
  const sendsNothing = () => Promise.reject(new Error("A verification must not send transactions."));
  const facilitator: ConstructorParameters<typeof ExactEvmScheme>[0] = {
    getAddresses: () => (sender ? [sender] : []),
    readContract: async (call) => {
      if (outage) throw outage;
      try {
        return await capped.readContract({ ...call, ...(sender ? { account: sender } : {}) });
      } catch (error) {
        if (!isContractAnswer(error)) outage ??= chainUnreachable();
        throw error;
      }
    },
    getCode,
    verifyTypedData: () => Promise.resolve(false),
    writeContract: sendsNothing,
    sendTransaction: sendsNothing,
    waitForTransactionReceipt: sendsNothing,
  };
  return { facilitator, getCode, outage: () => outage as Refusal | null };
}
