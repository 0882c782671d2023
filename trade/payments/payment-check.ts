import type { PaymentPayload } from "@x402/core/types";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { type Address, getAddress, type Hex, isAddress, isAddressEqual, type PublicClient } from "viem";
import type { Chain } from "../../config/config.ts";
import type { PaymentCall } from "../../db/schema.ts";
import { createEscrowFromDepositCall } from "../../protocol/settlement/calls.ts";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import type { PaymentRequirements } from "../../protocol/settlement/x402.ts";
import { identify, type SignedPayment } from "../../protocol/settlement/x402-payload.ts";
import { chainUnreachable } from "../chain-answers.ts";
import type { Context } from "../context.ts";
import { withCappedGas } from "../erc1271.ts";
import { Refusal } from "../refusal.ts";
import { gasBounds } from "../relay/gas-bounds.ts";
import { isAuthorizationUsed } from "./authorization.ts";
import { readDepositBalance } from "./deposits.ts";
import { readPayerSignature, simulate } from "./payer-signature.ts";
import { paymentCalls } from "./payment-calls.ts";
import { PaymentRefusal, refuse } from "./payment-refusal.ts";
import type { PaidEscrow } from "./payment-requirements.ts";
import { secondsToMine } from "./time-left.ts";

/** The requirements that a client says it accepted. They are compared with the offer, since x402's verification does not. */
export type Accepted = Record<"scheme" | "network" | "amount" | "asset" | "payTo", string> & {
  extra?: Record<string, unknown> | undefined;
};

/**
 * Finds the requirements that a payment means to satisfy.
 *
 * @throws PaymentRefusal naming the member that differs from what was offered
 */
export function matchRequirements(
  offered: readonly PaymentRequirements[],
  signed: SignedPayment,
  accepted: Accepted | null,
): PaymentRequirements {
  const { method } = identify(signed);
  const requirements = offered.find(
    ({ extra }) => (extra.assetTransferMethod === "permit2") === (method === "permit2"),
  );
  if (!requirements) {
    throw new PaymentRefusal(
      "unsupported_payload_type",
      "/payload",
      `A payment by ${method} is not offered for this order; its 402 answer lists what is.`,
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
      `The payment accepts the ${member} ${accepted[member].slice(0, 100)}, and this order asks for ${requirements[member]}.`,
    );
  }
  return requirements;
}

function isSameAddress(text: string, address: Address): boolean {
  return isAddress(text, { strict: false }) && isAddressEqual(getAddress(text), address);
}

/**
 * Verifies a payment as x402's facilitator does: `exact` by EIP-3009 or Permit2, of keys, of ERC-1271 wallets, and of
 * ERC-6492 wallets with an allowed factory. It is checked against the order, not against the payer's copy of the requirements.
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
  const { method, payer } = identify(submitted);
  const chain = createReader(client);
  const payerSignature = await readPayerSignature(chain.getCode, payer, submitted.signature);
  if (!payerSignature)
    throw refuse(method === "eip3009" ? "invalid_exact_evm_signature" : "invalid_permit2_signature");
  const signed = { ...submitted, signature: payerSignature.signature };
  const scheme = new ExactEvmScheme(chain.facilitator, {
    eip6492AllowedFactories: context.config.walletFactories,
  });
  const payload: PaymentPayload = { x402Version: 2, accepted: requirements, payload: signed };
  const verdict = await scheme.verify(payload, requirements);
  // x402 may report a payment as invalid, or a wallet as without code, only because a node did not answer.
  if (chain.outage()) throw chain.outage();
  const reason = verdict.isValid ? null : (verdict.invalidReason ?? "invalid_payment");

  const deploys = payerSignature.kind === "foreseen";
  if (reason === null) {
    const calls = paymentCalls(signed, escrow, { deploys, asBytes: deploys && payerSignature.looksLikeKey });
    return payerSignature.kind === "key" ? calls : requireSimulated(calls);
  }
  if (!simulationReasons.has(reason)) throw refuse(reason);
  // Somebody else may have sent it first. It can lead nowhere but here, so its money has come.
  const used =
    method === "permit2"
      ? await requireAnswer(isAuthorizationUsed(client, row.token, identify(submitted)))
      : null;
  if (used !== false && (await requireAnswer(readDepositBalance(client, row))) >= row.amount) {
    const { to, data } = createEscrowFromDepositCall(escrow);
    return [{ to, data, gasBound: gasBounds.deposit }];
  }
  if (used) throw refuse("permit2_invalid_nonce");
  // x402 tried it as a key's signature; the token may take it as the wallet's.
  if (
    payerSignature.kind === "wallet" &&
    payerSignature.looksLikeKey &&
    reason === simulationFailed.eip3009
  ) {
    return requireSimulated(paymentCalls(signed, escrow, { asBytes: true }));
  }
  throw refuse(reason);

  async function requireSimulated(calls: PaymentCall[]): Promise<PaymentCall[]> {
    const obstacle = await simulate(client, calls);
    if (obstacle === null) return calls;
    throw refuse(obstacle === "too_much_gas" ? "wallet_gas_too_high" : simulationFailed[method]);
  }
}

/** @throws PaymentRefusal for a payment that is over before it can be mined */
function refuseTooLate(chain: Chain, signed: SignedPayment): void {
  const until = BigInt(Math.floor(Date.now() / 1000)) + secondsToMine(chain);
  if ("authorization" in signed) {
    if (BigInt(signed.authorization.validBefore) < until)
      throw refuse("invalid_exact_evm_payload_authorization_valid_before");
  } else if (BigInt(signed.permit2Authorization.deadline) < until) throw refuse("permit2_deadline_expired");
}

/** The answer to a question that no contract refuses: without one, it is the node that failed. */
function requireAnswer<Value>(answer: Promise<Value>): Promise<Value> {
  return answer.catch(() => {
    throw chainUnreachable();
  });
}

/** The reason of x402's verification for a transfer that would fail for an unknown reason. */
const simulationFailed = {
  eip3009: "invalid_exact_evm_transaction_simulation_failed",
  permit2: "permit2_simulation_failed",
} as const;

/** The reasons of x402's verification for a valid signature whose transfer would fail. */
const simulationReasons = new Set([
  ...Object.values(simulationFailed),
  "invalid_exact_evm_nonce_already_used",
  // A permit that was sent has used money and allowance too, and x402 looks at no nonce of Permit2.
  "permit2_insufficient_balance",
  "permit2_allowance_required",
] as string[]);

/** The chain as x402's verification reads it. It swallows errors, so those that are outages are kept aside. */
function createReader(client: PublicClient) {
  let outage: Refusal | null = null;
  const capped = withCappedGas(client);
  const codes = new Map<Address, Promise<Hex | undefined>>();
  const readCode = async (address: Address): Promise<Hex | undefined> => {
    // A node that did not answer is not waited for again.
    if (outage) return undefined;
    try {
      return await client.getCode({ address });
    } catch {
      outage ??= chainUnreachable();
      return undefined;
    }
  };
  /** Asks once for each. Never rejects: x402 may leave a check of the token's code unawaited, and that would end the process. */
  const getCode = ({ address }: { address: Address }): Promise<Hex | undefined> => {
    const code = codes.get(address) ?? readCode(address);
    codes.set(address, code);
    return code;
  };
  const sendsNothing = () => Promise.reject(new Error("A verification sends nothing."));
  const facilitator: ConstructorParameters<typeof ExactEvmScheme>[0] = {
    getAddresses: () => [],
    readContract: async (call) => {
      if (outage) throw outage;
      try {
        return await capped.readContract(call);
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
