import { type Address, getAddress, type Hex } from "viem";
import { digestOrNull } from "./digest.ts";
import type { Stage } from "./stages.ts";

/** The content of the agreement between buyer and provider when an order is placed. */
export type AgreementFields = AgreedTerms & {
  inputSchema: unknown;
  outputSchema: unknown;
  inputPayload: unknown;
};

/** Digests of both schemas and of the input; null if there is none. */
export type AgreedDigests = { inputSchema: Hex | null; outputSchema: Hex | null; input: Hex | null };

type AgreedTerms = {
  orderId: string;
  agent: { id: string; slug: string };
  service: {
    id: string;
    slug: string;
    title: string;
    pricingModel: string;
    /** the endpoint of its sessions, and the key that signs the answers; null without sessions */
    sessionUrl?: string | null;
    sessionKey?: string | null;
  };
  quantity: number;
  /** base units of the token, as `amount` */
  unitPrice: bigint;
  amount: bigint;
  /** the stages of the work, whose amounts and hours add up to the whole; an agreement without stages has no such member */
  stages?: readonly (Stage & { schemaDigest: Hex | null })[] | null;
  token: { address: Address; symbol: string; decimals: number };
  chainId: number;
  escrowContract: Address;
  buyer: Address;
  provider: Address;
  arbiter: Address;
  /** unix seconds */
  fundBy: number;
  /** seconds, like the next three */
  deliveryWindow: number;
  acceptanceWindow: number;
  disputeWindow: number;
  appealWindow: number;
};

/**
 * Writes the agreement of an order. Its SHA-256 over canonical JSON is the escrow's `orderHash`, so it must never
 * change. It contains schemas and input as digests only, so it can be shown to a third party without the work.
 */
export function createAgreement(fields: AgreementFields) {
  return writeAgreement(fields, {
    inputSchema: digestOrNull(fields.inputSchema),
    outputSchema: digestOrNull(fields.outputSchema),
    input: digestOrNull(fields.inputPayload),
  });
}

/** Writes the agreement from given digests, for callers that must not block on large documents. */
export function writeAgreement(fields: AgreedTerms, digests: AgreedDigests) {
  const { service } = fields;
  return {
    version: 1,
    order_id: fields.orderId,
    agent_id: fields.agent.id,
    agent_slug: fields.agent.slug,
    service_id: fields.service.id,
    service_slug: fields.service.slug,
    service_title: fields.service.title,
    pricing_model: fields.service.pricingModel,
    input_schema_digest: digests.inputSchema,
    output_schema_digest: digests.outputSchema,
    input_digest: digests.input,
    quantity: fields.quantity,
    unit_price_base_units: fields.unitPrice.toString(),
    amount_base_units: fields.amount.toString(),
    ...(fields.stages
      ? {
          stages: fields.stages.map(({ title, amount, hours, schemaDigest }) => ({
            title,
            amount_base_units: amount,
            hours,
            output_schema_digest: schemaDigest,
          })),
        }
      : {}),
    token: {
      address: getAddress(fields.token.address),
      symbol: fields.token.symbol,
      decimals: fields.token.decimals,
    },
    /** CAIP-2 */
    chain: `eip155:${fields.chainId}`,
    escrow_contract: getAddress(fields.escrowContract),
    buyer: getAddress(fields.buyer),
    provider: getAddress(fields.provider),
    arbiter: getAddress(fields.arbiter),
    fund_by: fields.fundBy,
    delivery_window_seconds: fields.deliveryWindow,
    acceptance_window_seconds: fields.acceptanceWindow,
    dispute_window_seconds: fields.disputeWindow,
    appeal_window_seconds: fields.appealWindow,
    ...(service.sessionUrl ? { endpoint_url: service.sessionUrl, session_key: service.sessionKey } : {}),
  };
}
