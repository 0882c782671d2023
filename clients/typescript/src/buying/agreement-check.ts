import { type Address, getAddress, type PublicClient, parseAbi, zeroAddress } from "viem";
import { isContractAnswer } from "../../../../protocol/settlement/contract-answers.ts";
import {
  type DerivedDeposit,
  deriveDeposit,
  digestOrNull,
  findNetwork,
  formatAmount,
  parseAmount,
  vouchersOnly,
} from "../../../../protocol/settlement/index.ts";
import type { Agreement, Order, QuotedStage, Service } from "../generated/types.ts";
import { UntrustedOrderError } from "./errors.ts";
import { findAccepted, type HeldToken, type KnownToken, namesOf, priceIn } from "./tokens.ts";

/** The requested order, with the service as the buyer saw it. */
export interface RequestedOrder {
  service: Service;
  /** The payout wallet of the service's agent. */
  payoutWallet: string;
  input: Record<string, unknown> | null;
  quantity: number;
  /** The price and the currency of a quote, in place of the service's. */
  quoted?: { price: string; currency: string };
}

/** Facts that the caller knows without the service. */
export interface Known {
  /** The settlement chain. Default: the node's chain. */
  chainId?: number;
  /** The escrow contract. Without it, the contract's code is compared with the escrow's. */
  escrowContract?: string;
  /** The payment token. Default: the known token of a known chain. */
  token?: { address: string; decimals: number };
  /** The payment tokens, on one chain or several, in place of `token`. */
  tokens?: readonly KnownToken[];
  /** The provider's wallet. */
  provider?: string;
}

/** An order with its agreement, and the recomputed addresses that its money goes to. */
export type AgreedOrder = DerivedDeposit & { orderId: string; agreement: Agreement };

/**
 * Returns a function that compares one field, and throws an UntrustedOrderError if it differs.
 *
 * @param place the object of the fields, such as `payment_instructions`; without it, each field is named with its object
 */
export function createComparison(orderId: string | null, place?: string) {
  return (field: string, expected: unknown, found: unknown): void => {
    if (expected === found) return;
    throw new UntrustedOrderError(orderId, place ? `${place}.${field}` : field, expected, found);
  };
}

/**
 * Recomputes an order from its agreement, and compares the order that the service shows with it.
 *
 * @throws UntrustedOrderError for the first field that differs
 */
export function readAgreed(orderId: string, order: Order, agreement: Agreement): AgreedOrder {
  const compare = createComparison(orderId);
  let derived: DerivedDeposit;
  try {
    derived = deriveDeposit(agreement);
  } catch (error) {
    throw new UntrustedOrderError(orderId, "agreement", "an agreement", (error as Error).message);
  }
  const { terms, chainId, escrowContract, escrowId, depositAddress } = derived;
  compare("order.id", orderId, order.id);
  compare("agreement.order_id", orderId, agreement.order_id);
  compare("order.service_id", agreement.service_id, order.service_id);
  compare("order.agent_id", agreement.agent_id, order.agent_id);
  compare("order.quantity", agreement.quantity, order.quantity);
  compare("order.buyer_address", terms.buyer, order.buyer_address);
  compare("order.provider_address", terms.provider, order.provider_address);
  compare("order.arbiter", terms.arbiter, order.arbiter);
  compare("order.total_amount_base_units", String(terms.amount), order.total_amount_base_units);
  compare("order.funding_deadline", terms.fundBy * 1000, Date.parse(order.funding_deadline));
  compare("order.escrow.chain_id", chainId, order.escrow.chain_id);
  compare("order.escrow.contract_address", escrowContract, order.escrow.contract_address);
  compare("order.escrow.escrow_id", escrowId, order.escrow.escrow_id);
  compare("order.escrow.deposit_address", depositAddress, order.escrow.deposit_address);
  return { ...derived, orderId, agreement };
}

/**
 * Compares the agreement with the requested order: service, schemas, input, token, price, provider, arbiter, windows.
 *
 * @param known.decimals the decimals of the order's token, as `compareKnown` returns them
 * @throws UntrustedOrderError for the first field that differs
 */
export function compareRequest(
  agreed: AgreedOrder,
  request: RequestedOrder,
  { decimals, arbiter }: { decimals: number; arbiter?: string | undefined },
): void {
  const { orderId, agreement, terms } = agreed;
  const { service, input, quantity, quoted } = request;
  const isSession = service.pricing_model === "per_call";
  const compare = createComparison(orderId);
  if (quoted) compare("quote.currency", service.price_currency, quoted.currency);
  // The windows and arbiters are those of the token's chain.
  const accepted = findAccepted(agreed, service);
  const unitPrice = priceIn(agreed, service, decimals, quoted?.price);
  const expected: Record<string, unknown> = {
    agent_id: service.agent.id,
    agent_slug: service.agent.slug,
    service_id: service.id,
    service_slug: service.slug,
    service_title: service.title,
    pricing_model: service.pricing_model,
    input_schema_digest: digestOrNull(service.input_schema),
    output_schema_digest: digestOrNull(service.output_schema),
    input_digest: digestOrNull(input),
    quantity,
    unit_price_base_units: String(unitPrice),
    amount_base_units: String(unitPrice * BigInt(quantity)),
    provider: request.payoutWallet,
    ...(service.session && {
      endpoint_url: service.session.endpoint_url,
      session_key: service.session.session_key,
    }),
    delivery_window_seconds: service.delivery_time_hours * 3600,
    acceptance_window_seconds: isSession ? vouchersOnly : accepted.acceptance_hours * 3600,
  };
  for (const [name, value] of Object.entries(expected)) compare(`agreement.${name}`, value, agreement[name]);
  compareStages(agreed, service.stages, decimals);
  if (isSession || arbiter !== undefined) {
    // A session has no disputes.
    compare("agreement.arbiter", getAddress(isSession ? zeroAddress : String(arbiter)), terms.arbiter);
  } else if (terms.arbiter === zeroAddress || !accepted.arbiters.includes(terms.arbiter)) {
    // An order without an arbiter needs the caller's explicit choice.
    const arbiters = accepted.arbiters.filter((address) => address !== zeroAddress);
    throw new UntrustedOrderError(orderId, "agreement.arbiter", arbiters.join(" or "), terms.arbiter);
  }
}

/**
 * Compares the stages of the agreement with those of the service or the quote.
 *
 * @param stages null for an order without stages
 */
function compareStages(
  { orderId, agreement }: AgreedOrder,
  stages: readonly QuotedStage[] | null,
  decimals: number,
): void {
  const compare = createComparison(orderId);
  const found = agreement.stages as Record<string, unknown>[] | undefined;
  if (!stages || !Array.isArray(found)) {
    compare("agreement.stages", stages, found ?? null);
    return;
  }
  compare("agreement.stages", stages.length, found.length);
  for (const [index, { title, amount, hours, output_schema }] of stages.entries()) {
    const expected = {
      title,
      amount_base_units: String(parseAmount(amount, decimals)),
      hours,
      output_schema_digest: digestOrNull(output_schema),
    };
    for (const [name, value] of Object.entries(expected)) {
      compare(`agreement.stages[${index}].${name}`, value, found[index]?.[name]);
    }
  }
}

/** The most seconds that a dispute and its appeal may hold the money: 90 days. */
const longestDispute = 90 * 86_400;

/**
 * Compares the agreement with the caller's facts and limits, and with the chain: buyer, provider, maximum amount, token and
 * contract.
 *
 * @returns the token's decimals
 * @throws UntrustedOrderError for the first field that differs, TypeError if the caller has to pass a fact
 */
export async function compareKnown(
  agreed: AgreedOrder,
  node: PublicClient | null,
  known: Known & { tokens?: readonly HeldToken[]; maxAmount?: string | undefined; buyer?: string },
): Promise<number> {
  const { orderId, agreement, terms, escrowContract } = agreed;
  const compare = createComparison(orderId);
  if (known.buyer !== undefined) compare("agreement.buyer", getAddress(known.buyer), terms.buyer);
  if (known.provider !== undefined) compare("agreement.provider", getAddress(known.provider), terms.provider);
  if (node) compare("agreement.chain", `eip155:${await node.getChainId()}`, agreement.chain);
  if (known.chainId !== undefined) compare("agreement.chain", `eip155:${known.chainId}`, agreement.chain);
  if (known.escrowContract !== undefined) {
    compare("agreement.escrow_contract", getAddress(known.escrowContract), escrowContract);
  } else if (node) {
    await compareCode(orderId, node, escrowContract);
  }
  const named = known.tokens && findNamed(agreed, known.tokens);
  const token = known.token ?? (await findToken(agreed, node, named));
  compare("agreement.token.address", getAddress(token.address), terms.token);
  compare("agreement.token.decimals", token.decimals, (agreement.token as { decimals: number }).decimals);
  const limit = named?.maxAmount ?? known.maxAmount;
  if (limit !== undefined) {
    const most = parseAmount(limit, token.decimals);
    if (most === null)
      throw new TypeError(`maxAmount has to be an amount with at most ${token.decimals} decimals.`);
    if (terms.amount > most) {
      const amount = formatAmount(terms.amount, token.decimals);
      throw new UntrustedOrderError(orderId, "agreement.amount_base_units", `at most ${limit}`, amount);
    }
  }
  if (terms.disputeWindow + terms.appealWindow > longestDispute) {
    const found = `${terms.disputeWindow + terms.appealWindow} seconds of dispute and appeal`;
    throw new UntrustedOrderError(
      orderId,
      "agreement.dispute_window_seconds",
      `at most ${longestDispute}`,
      found,
    );
  }
  return token.decimals;
}

/** The contracts whose code was verified, for each node. Code does not change. */
const verifiedContracts = new WeakMap<PublicClient, Set<Address>>();

/** Compares the contract's code, because anyone can deploy a contract with the same interface. */
async function compareCode(orderId: string, node: PublicClient, escrowContract: Address): Promise<void> {
  const known = verifiedContracts.get(node) ?? new Set();
  verifiedContracts.set(node, known);
  if (known.has(escrowContract)) return;
  // Loaded on demand, because it holds the contract's whole code.
  const { compareEscrow } = await import("../../../../protocol/settlement/escrow-code.ts");
  const [difference] = await compareEscrow(node, escrowContract);
  if (difference !== undefined) {
    throw new UntrustedOrderError(orderId, "agreement.escrow_contract", "the escrow contract", difference);
  }
  known.add(escrowContract);
}

/** Finds an order's token among the caller's. @throws UntrustedOrderError if it is another token or on another chain */
function findNamed({ orderId, chainId, terms }: AgreedOrder, tokens: readonly HeldToken[]): HeldToken {
  const there = tokens.filter((one) => one.chainId === chainId);
  const compare = createComparison(orderId);
  if (there.length === 0) {
    const chains = new Set(tokens.map((one) => `eip155:${one.chainId}`));
    compare("agreement.chain", [...chains].join(" or "), `eip155:${chainId}`);
  }
  const named = there.find(({ token }) => getAddress(token) === terms.token);
  if (named) return named;
  const expected = namesOf(there).map(({ token }) => token);
  throw new UntrustedOrderError(orderId, "agreement.token.address", expected.join(" or "), terms.token);
}

async function findToken(
  { orderId, chainId, terms }: AgreedOrder,
  node: PublicClient | null,
  named: HeldToken | undefined,
) {
  const { token: address } = terms;
  if (named?.decimals !== undefined) return { address, decimals: named.decimals };
  const network = findNetwork(chainId);
  if (network?.token && (!named || network.token.address === address)) return network.token;
  if (!node || !(named || network)) {
    throw new TypeError(
      named
        ? `The decimals of ${address} are unknown. Pass the token's decimals, or a node of chain ${chainId}.`
        : `The payment token of chain ${chainId} is unknown. Name the tokens that you trust.`,
    );
  }
  // A local chain has only test tokens, so any token is accepted there.
  const abi = parseAbi(["function decimals() view returns (uint8)"]);
  const reading = node.readContract({ address, abi, functionName: "decimals" });
  const decimals = await reading.catch((error: Error) => {
    if (!isContractAnswer(error)) throw error;
    throw new UntrustedOrderError(
      orderId,
      "agreement.token.address",
      "a token",
      `${address}: ${error.message}`,
    );
  });
  return { address, decimals };
}
