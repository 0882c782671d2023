import type { PaymentPayload } from "@x402/core/types";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import {
  type Address,
  erc20Abi,
  getAddress,
  type Hex,
  isAddress,
  isAddressEqual,
  type PublicClient,
  parseErc6492Signature,
} from "viem";
import type { OrderRow } from "../db/ledger.ts";
import type { PaymentCall } from "../db/schema.ts";
import { createEscrowFromDepositCall } from "../settlement/calls.ts";
import { termsOf } from "../settlement/terms.ts";
import {
  identify,
  type PaymentRequirements,
  paymentCalls,
  type SignedPayment,
  standardSignature,
} from "../settlement/x402.ts";
import type { Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { chainSilent, findOutage, isContractAnswer } from "./outages.ts";

/** What a client says that it accepted; compared with what was offered, since x402's verification does not. */
export type Accepted = { scheme: string; network: string; amount: string; asset: string; payTo: string };

/** Refuses a payment: nothing was sent, and nothing of it was used. `reason` is x402's word where it has one. */
export class PaymentRefusal extends ApiError {
  readonly reason: string;

  constructor(reason: string, path: string, message: string) {
    super("payment_required", message, [{ path, keyword: reason, message }]);
    this.reason = reason;
  }
}

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
  const differing: [keyof Accepted, reason: string, boolean][] = [
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
 * Verifies a payment as x402's facilitator does (`exact`, EIP-3009 or Permit2; keys, ERC-1271 wallets, ERC-6492 where
 * the factory is allowed), against what we ask and not what the payer says that we asked.
 *
 * @returns the calls that bring it into the escrow
 * @throws PaymentRefusal, or ApiError `dependency_unavailable` when the chain could not be asked
 */
export async function checkPayment(
  context: Context,
  row: OrderRow,
  requirements: PaymentRequirements,
  signed: SignedPayment,
): Promise<PaymentCall[]> {
  const client = context.chain(row.chainId)?.client;
  if (!client) throw new ApiError("dependency_unavailable", `Chain ${row.chainId} is not served here.`);
  const place = { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) };
  const { payer, method } = identify(signed);
  if (!isReadable(signed.signature)) {
    throw refusalOf(method === "eip3009" ? "invalid_exact_evm_signature" : "invalid_permit2_signature");
  }
  const chain = createReader(client);
  const scheme = new ExactEvmScheme(chain.signer, {
    eip6492AllowedFactories: context.config.walletFactories,
  });
  const standard = { ...signed, signature: standardSignature(signed.signature) };
  const payload: PaymentPayload = { x402Version: 2, accepted: requirements, payload: standard };
  const verdict = await scheme.verify(payload, requirements);
  // What x402 reads as "invalid", or as a wallet without code, may only mean that a node did not answer.
  if (chain.outage()) throw chain.outage();
  if (verdict.isValid) return paymentCalls(standard, place, { deployed: chain.hasCode(payer) });
  const reason = verdict.invalidReason ?? "invalid_payment";
  // Somebody else may have sent the authorization first. It can lead nowhere but here, so its money has come.
  if (simulationReasons.has(reason) && (await hasArrived(client, row))) {
    const { to, data } = createEscrowFromDepositCall(place);
    return [{ to, data }];
  }
  throw refusalOf(reason);
}

function refusalOf(reason: string): PaymentRefusal {
  const [path, message] = refusals[reason] ?? ["/payload", `The payment is not good: ${reason}.`];
  return new PaymentRefusal(reason, path, message);
}

/** Whether a signature that ends as ERC-6492 has it holds what that says: x402's verification throws otherwise. */
function isReadable(signature: Hex): boolean {
  try {
    parseErc6492Signature(signature);
    return true;
  } catch {
    return false;
  }
}

async function hasArrived(client: PublicClient, row: OrderRow): Promise<boolean> {
  const balance = await client.readContract({
    abi: erc20Abi,
    address: row.token,
    functionName: "balanceOf",
    args: [row.depositAddress],
  });
  return balance >= row.amount;
}

/** What x402's verification says when the signature is good and the transfer would fail nevertheless. */
const simulationReasons = new Set([
  "invalid_exact_evm_nonce_already_used",
  "invalid_exact_evm_transaction_simulation_failed",
  "permit2_simulation_failed",
  "permit2_invalid_nonce",
]);

const refusals: Record<string, [path: string, message: string]> = {
  invalid_exact_evm_signature: [
    "/payload/signature",
    "This is not the payer's signature of this authorization for this token and chain. A contract wallet must stand on the chain, or send its deployment along (ERC-6492).",
  ],
  invalid_exact_evm_recipient_mismatch: [
    "/payload/authorization/to",
    "The authorization pays another address than this order's deposit address.",
  ],
  invalid_exact_evm_payload_authorization_valid_before: [
    "/payload/authorization/validBefore",
    "The authorization has expired, or will within seconds: sign a new one.",
  ],
  invalid_exact_evm_payload_authorization_valid_after: [
    "/payload/authorization/validAfter",
    "The authorization is not good yet: its validAfter lies in the future.",
  ],
  invalid_exact_evm_payload_authorization_value_mismatch: [
    "/payload/authorization/value",
    "The authorization is for another amount than this order asks for, which must be exact.",
  ],
  invalid_exact_evm_insufficient_balance: [
    "/payload/authorization/from",
    "The payer holds less of the token than the order's amount.",
  ],
  invalid_exact_evm_nonce_already_used: [
    "/payload/authorization/nonce",
    "This authorization was used or cancelled: sign a new one.",
  ],
  invalid_exact_evm_transaction_simulation_failed: [
    "/payload",
    "The token refuses this transfer: the payer may hold too little, or the authorization be used or cancelled.",
  ],
  eip6492_factory_not_allowed: [
    "/payload/signature",
    "The payer's wallet is not deployed, and its factory is none that is deployed through here: deploy the wallet first.",
  ],
  asset_not_deployed_contract: ["/accepted/asset", "There is no contract at the token's address."],
  invalid_permit2_spender: [
    "/payload/permit2Authorization/spender",
    "The spender must be x402's Permit2 proxy for exact payments.",
  ],
  invalid_permit2_recipient_mismatch: [
    "/payload/permit2Authorization/witness/to",
    "The permit pays another address than this order's deposit address.",
  ],
  permit2_deadline_expired: [
    "/payload/permit2Authorization/deadline",
    "The permit has expired, or will within seconds: sign a new one.",
  ],
  permit2_not_yet_valid: [
    "/payload/permit2Authorization/witness/validAfter",
    "The permit is not good yet: its validAfter lies in the future.",
  ],
  permit2_amount_mismatch: [
    "/payload/permit2Authorization/permitted/amount",
    "The permit is for another amount than this order asks for, which must be exact.",
  ],
  permit2_token_mismatch: [
    "/payload/permit2Authorization/permitted/token",
    "The permit is for another token than this order asks for.",
  ],
  invalid_permit2_signature: [
    "/payload/signature",
    "This is not the payer's signature of this permit for this chain.",
  ],
  permit2_allowance_required: [
    "/payload/permit2Authorization/from",
    "The payer has not let Permit2 spend this token: approve it once, then sign again.",
  ],
  permit2_insufficient_balance: [
    "/payload/permit2Authorization/from",
    "The payer holds less of the token than the order's amount.",
  ],
  permit2_invalid_nonce: [
    "/payload/permit2Authorization/nonce",
    "This permit was used or cancelled: sign a new one.",
  ],
  permit2_simulation_failed: [
    "/payload",
    "The transfer by Permit2 would fail: the payer may hold too little, or the permit be used or cancelled.",
  ],
};

/** The chain as x402's verification reads it. It swallows errors, so those that are outages are kept aside. */
function createReader(client: PublicClient) {
  let outage: ApiError | null = null;
  const codes = new Map<string, boolean>();
  const sendsNothing = () => Promise.reject(new Error("A verification sends nothing."));
  const signer: ConstructorParameters<typeof ExactEvmScheme>[0] = {
    getAddresses: () => [],
    readContract: async (call) => {
      try {
        return await client.readContract(call);
      } catch (error) {
        if (!isContractAnswer(error)) outage ??= findOutage(error) ?? chainSilent();
        throw error;
      }
    },
    // Never rejects: x402 may leave a check of the token's code unawaited, and that would end the process.
    getCode: async ({ address }) => {
      try {
        const code = await client.getCode({ address });
        codes.set(address.toLowerCase(), code !== undefined && code !== "0x");
        return code;
      } catch (error) {
        outage ??= findOutage(error) ?? chainSilent();
        return undefined;
      }
    },
    verifyTypedData: () => Promise.resolve(false),
    writeContract: sendsNothing,
    sendTransaction: sendsNothing,
    waitForTransactionReceipt: sendsNothing,
  };
  return {
    signer,
    outage: () => outage as ApiError | null,
    /** Whether code was seen at an address that the verification looked at. */
    hasCode: (address: Hex) => codes.get(address.toLowerCase()) ?? false,
  };
}
