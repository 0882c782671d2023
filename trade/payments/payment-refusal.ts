import { permit2Address } from "../../protocol/settlement/x402.ts";
import { Refusal } from "../refusal.ts";

/** Refuses a payment, which was not sent or used. `reason` is x402's code if x402 has one. */
export class PaymentRefusal extends Refusal {
  readonly reason: string;

  constructor(reason: string, path: string, message: string) {
    super("payment_required", message, [{ path, keyword: reason, message }]);
    this.reason = reason;
  }
}

/** Creates the refusal for a reason of x402's verification or of this service. */
export function refusePayment(reason: string): PaymentRefusal {
  const [path, message] = refusals[reason] ?? ["/payload", `The payment is not valid: ${reason}.`];
  return new PaymentRefusal(reason, path, message);
}

const refusals: Record<string, [path: string, message: string]> = {
  invalid_exact_evm_signature: [
    "/payload/signature",
    "This is not the payer's signature of this authorization for this token and chain. A contract wallet must be deployed, or send its deployment with the signature (ERC-6492).",
  ],
  invalid_exact_evm_recipient_mismatch: [
    "/payload/authorization/to",
    "The authorization must pay this order's deposit address.",
  ],
  invalid_exact_evm_payload_authorization_valid_before: [
    "/payload/authorization/validBefore",
    "The authorization has expired or expires within seconds. Sign a new one.",
  ],
  invalid_exact_evm_payload_authorization_valid_after: [
    "/payload/authorization/validAfter",
    "The authorization is not valid yet: its validAfter lies in the future.",
  ],
  invalid_exact_evm_payload_authorization_value_mismatch: [
    "/payload/authorization/value",
    "The authorization must be for exactly this order's amount.",
  ],
  invalid_exact_evm_insufficient_balance: [
    "/payload/authorization/from",
    "The payer holds less of the token than the order's amount.",
  ],
  invalid_exact_evm_nonce_already_used: [
    "/payload/authorization/nonce",
    "This authorization was used or cancelled. Sign a new one.",
  ],
  invalid_exact_evm_transaction_simulation_failed: [
    "/payload",
    "The token refuses this transfer. The payer may hold too little, or the authorization may be used or cancelled.",
  ],
  wallet_gas_too_high: [
    "/payload/signature",
    "The payer is a contract whose deployment or signature needs more gas than the service pays for. Pay from another wallet, or order on the rail escrow.",
  ],
  eip6492_factory_not_allowed: [
    "/payload/signature",
    "The payer's wallet is not deployed, and this service does not call its factory. Deploy the wallet first.",
  ],
  token_moves_less: [
    "/payload",
    "The token moves less than the amount: it keeps a fee or changes balances. Nothing was sent. Pay with another token.",
  ],
  asset_not_deployed_contract: ["/accepted/asset", "There is no contract at the token's address."],
  invalid_permit2_spender: [
    "/payload/permit2Authorization/spender",
    "The spender must be x402's Permit2 proxy for payments of this scheme.",
  ],
  invalid_permit2_recipient_mismatch: [
    "/payload/permit2Authorization/witness/to",
    "The permit must pay this order's deposit address.",
  ],
  upto_facilitator_mismatch: [
    "/payload/permit2Authorization/witness/facilitator",
    "The permit must name the facilitator that the 402 response names. Read it again.",
  ],
  permit2_deadline_expired: [
    "/payload/permit2Authorization/deadline",
    "The permit has expired or expires within seconds. Sign a new one.",
  ],
  permit2_not_yet_valid: [
    "/payload/permit2Authorization/witness/validAfter",
    "The permit is not valid yet: its validAfter lies in the future.",
  ],
  permit2_amount_mismatch: [
    "/payload/permit2Authorization/permitted/amount",
    "The permit must be for exactly this order's amount.",
  ],
  permit2_token_mismatch: [
    "/payload/permit2Authorization/permitted/token",
    "The permit must be for this order's token.",
  ],
  invalid_permit2_signature: [
    "/payload/signature",
    "This is not the payer's signature of this permit for this chain. A contract wallet must be deployed.",
  ],
  permit2_allowance_required: [
    "/payload/permit2Authorization/from",
    `The payer's allowance for Permit2 is too small. Approve ${permit2Address} for the token once, then send the permit again.`,
  ],
  permit2_insufficient_balance: [
    "/payload/permit2Authorization/from",
    "The payer holds less of the token than the order's amount.",
  ],
  permit2_invalid_nonce: [
    "/payload/permit2Authorization/nonce",
    "This permit was used or cancelled. Sign a new one.",
  ],
  permit2_simulation_failed: [
    "/payload",
    "The transfer by Permit2 would fail. The payer may hold too little, or the permit may be used or cancelled.",
  ],
};
