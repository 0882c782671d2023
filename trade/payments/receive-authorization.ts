import { LRUCache } from "lru-cache";
import {
  type Address,
  getAbiItem,
  getAddress,
  type Hex,
  isAddressEqual,
  type PublicClient,
  toFunctionSelector,
} from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import type { PaymentCall } from "../../db/schema.ts";
import { createEscrowWithReceiveAuthorizationCall } from "../../protocol/settlement/calls.ts";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { digestToSign, readKeySignature } from "../../protocol/settlement/signatures.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import { receiveAuthorizationToSign } from "../../protocol/settlement/x402.ts";
import { paymentKeyOf, type SignedReceiveAuthorization } from "../../protocol/settlement/x402-payload.ts";
import type { Context } from "../context.ts";
import { chainUnreachable } from "../node-breaker.ts";
import { readMethods } from "../payment-methods.ts";
import { Refusal } from "../refusal.ts";
import { gasBounds } from "../relay/gas-bounds.ts";
import { recoverSigner } from "../signer-recovery.ts";
import { isAuthorizationUsed, secondsToMine } from "./authorization.ts";
import { readPayerSignature, simulatePayment } from "./payer-signature.ts";
import { PaymentRefusal, refusePayment } from "./payment-refusal.ts";
import { type PaidEscrow, payableOf } from "./payment-requirements.ts";

/** Milliseconds for which a contract's answer is cached. The code never changes, but a wrong answer of a node would stay. */
const cachedFor = 600_000;
const mostContracts = 100;
const selector = toFunctionSelector(
  getAbiItem({ abi: escrowAbi, name: "createEscrowWithReceiveAuthorization" }),
).slice(2);
const known = new WeakMap<Pick<Context, "chain">, LRUCache<string, { isTaken: boolean }>>();

/**
 * Whether an order's escrow contract and token support authorizations to the contract. Other orders are paid at their
 * deposit address.
 *
 * @throws Refusal `dependency_unavailable` if the chain does not answer
 */
export async function takesReceiveAuthorizations(
  context: Pick<Context, "chain">,
  { chainId, token, escrowContract }: Pick<PaidEscrow, "chainId" | "token" | "escrowContract">,
): Promise<boolean> {
  const client = context.chain(chainId)?.client;
  if (!client) return false;
  const methods = await readMethods(context, { chain_id: chainId, token });
  if (!methods.includes("eip3009")) return false;
  const contracts = known.get(context) ?? new LRUCache({ max: mostContracts, ttl: cachedFor });
  known.set(context, contracts);
  const key = `${chainId} ${escrowContract.toLowerCase()}`;
  const cached = contracts.get(key);
  if (cached) return cached.isTaken;
  const code = await client.getCode({ address: getAddress(escrowContract) }).catch(() => {
    throw chainUnreachable();
  });
  const isTaken = code?.includes(selector) ?? false;
  contracts.set(key, { isTaken });
  return isTaken;
}

/**
 * Verifies an authorization to the escrow contract against the order: its fields, and the signature of a key. It then
 * simulates the creation of the escrow on the chain: the token checks signature, balance and nonce, and the contract checks
 * terms and time.
 *
 * @param now the chain's time as indexed, in unix seconds
 * @returns the call that brings the payment into the escrow
 * @throws PaymentRefusal, with nothing used; Refusal `dependency_unavailable` if the chain does not answer
 */
export async function checkReceiveAuthorization(
  context: Context,
  row: PaidEscrow,
  signed: SignedReceiveAuthorization,
  now: bigint,
): Promise<PaymentCall[]> {
  if (!(await takesReceiveAuthorizations(context, row))) {
    throw new PaymentRefusal(
      "unsupported_payload_type",
      "/receiveAuthorization",
      "This order's token or escrow contract does not support authorizations to the contract. Use a method that its 402 response lists.",
    );
  }
  const served = context.chain(row.chainId);
  if (!served) throw new Refusal("dependency_unavailable", `Chain ${row.chainId} is not served here.`);
  const { client } = served;
  const { to, value, validBefore, nonce } = signed.receiveAuthorization;
  requireEqual(
    "to",
    "invalid_exact_evm_recipient_mismatch",
    isAddressEqual(to, row.escrowContract),
    row.escrowContract,
  );
  requireEqual(
    "value",
    "invalid_exact_evm_payload_authorization_value_mismatch",
    BigInt(value) === row.amount,
    `${row.amount}`,
  );
  requireEqual("nonce", "invalid_exact_evm_nonce_mismatch", nonce === row.escrowId, row.escrowId);
  if (BigInt(validBefore) < now + secondsToMine(served.chain)) {
    throw refusePayment("invalid_exact_evm_payload_authorization_valid_before");
  }
  const { call, obstacle } = await simulateCreation(client, context, row, signed);
  if (obstacle === null) return [call];
  if (obstacle === "too_much_gas") throw refusePayment("wallet_gas_too_high");
  const used = await isAuthorizationUsed(client, row.token, paymentKeyOf(signed)).catch(() => {
    throw chainUnreachable();
  });
  throw refusePayment(
    used ? "invalid_exact_evm_nonce_already_used" : "invalid_exact_evm_transaction_simulation_failed",
  );
}

/**
 * Builds the call that creates the escrow, and simulates it.
 *
 * @returns the call, and its obstacle if it fails
 * @throws PaymentRefusal for an invalid signature; Refusal `dependency_unavailable` if the chain does not answer
 */
async function simulateCreation(
  client: PublicClient,
  context: Context,
  row: PaidEscrow,
  { receiveAuthorization, signature }: SignedReceiveAuthorization,
): Promise<{ call: PaymentCall; obstacle: "refused" | "too_much_gas" | null }> {
  const { from, validBefore } = receiveAuthorization;
  const callBy = (signature: Hex): PaymentCall => {
    const escrow = { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) };
    const authorization = { from, validBefore: BigInt(validBefore), signature };
    const { to, data } = createEscrowWithReceiveAuthorizationCall(escrow, authorization);
    return { to, data, gasBound: gasBounds.payment };
  };
  const getCode = ({ address }: { address: Address }) =>
    client.getCode({ address }).catch(() => Promise.reject(chainUnreachable()));
  const data = receiveAuthorizationToSign(payableOf(context, row), receiveAuthorization);
  const byKey = await readKeySignature(digestToSign(data), signature, from, recoverSigner);
  if (byKey) {
    const call = callBy(byKey);
    const [code, obstacle] = await Promise.all([getCode({ address: from }), simulateByCall(client, call)]);
    if (!code || code === "0x") return { call, obstacle };
  }
  const payer = await readPayerSignature(getCode, from, signature);
  // Another key's signature, or one of an undeployed wallet, which can only pay the deposit address.
  if (payer?.kind !== "wallet") throw refusePayment("invalid_exact_evm_signature");
  const call = callBy(payer.signature);
  return { call, obstacle: await simulatePayment(client, [call]) };
}

function requireEqual(member: string, reason: string, isEqual: boolean, expected: string): void {
  if (isEqual) return;
  throw new PaymentRefusal(
    reason,
    `/receiveAuthorization/${member}`,
    `The authorization must have the ${member} ${expected} for this order.`,
  );
}

/** Simulates a call by one `eth_call` with the gas of its transaction. */
async function simulateByCall(
  client: PublicClient,
  { to, data }: { to: Address; data: PaymentCall["data"] },
): Promise<"refused" | null> {
  try {
    await client.call({ to, data, gas: BigInt(gasBounds.payment) });
    return null;
  } catch (error) {
    if (isContractAnswer(error)) return "refused";
    throw chainUnreachable();
  }
}
