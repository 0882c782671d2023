import { type Address, erc20Abi, type Hex, parseAbi } from "viem";
import {
  deriveDeposit,
  findNetwork,
  localNetwork,
  type Payable,
  permit2Address,
} from "../../../../protocol/settlement/index.ts";
import { nonceBit } from "../../../../protocol/settlement/x402-payload.ts";
import type { BaseClient } from "../base-client.ts";
import { PaymentRequiredError } from "../core/errors.ts";
import { path } from "../core/path.ts";
import type { Agreement, PaymentRequirements, PurchaseRequest, Service } from "../generated/types.ts";
import type { AgreedOrder } from "./agreement-check.ts";
import { UntrustedOrderError } from "./errors.ts";
import { hasEscrow, isNonceUsed } from "./escrow-on-chain.ts";
import { readPayable } from "./payable.ts";
import type { Signer } from "./wallet.ts";

/** An entry of x402's `accepts` with the agreement that its address belongs to. */
export interface OfferedTerms {
  agreed: AgreedOrder;
  accepted: PaymentRequirements;
  payable: Payable;
}

/** The answer of a purchase without an account to a request without a payment. */
interface TermsAnswer {
  accepts: PaymentRequirements[];
  agreement: Agreement;
  other_agreements?: Agreement[];
}

/** The path at which a service is bought without an account. */
export const purchasePath = ({ agent, slug }: Pick<Service, "agent" | "slug">) =>
  path`/buy/${agent.slug}/${slug}`;

/**
 * Requests the terms of a purchase, and recomputes where each of them pays. Nothing is stored for the request.
 *
 * @throws UntrustedOrderError for an entry that is not of its agreement; ApiError if the service refuses the request
 */
export async function requestTerms(
  client: BaseClient,
  service: Service,
  body: PurchaseRequest,
  signal: AbortSignal | undefined,
): Promise<OfferedTerms[]> {
  const call = { verb: "POST", path: purchasePath(service), body, open: true, takesKey: false } as const;
  const shown = await client.request(call, { signal }).then(
    () => null,
    (error: unknown) => {
      // A refusal of terms has details. Only an answer without them offers terms.
      if (error instanceof PaymentRequiredError && error.details.length === 0) return error.body;
      throw error;
    },
  );
  const { accepts, agreement, other_agreements = [] } = (shown ?? {}) as Partial<TermsAnswer>;
  if (!Array.isArray(accepts) || accepts.length === 0 || !accepts.every(isRequirement)) {
    throw new UntrustedOrderError(null, "accepts", "payment requirements", accepts);
  }
  if (!Array.isArray(other_agreements)) {
    throw new UntrustedOrderError(null, "other_agreements", "agreements", other_agreements);
  }
  const agreements = [agreement, ...other_agreements].map(readOffered);
  const terms = accepts.flatMap((accepted, at) => {
    // A metered order is funded in full, and its voucher pays the charge. So `upto` adds nothing.
    if (accepted.scheme === "upto") return [];
    const agreed = agreements.find(({ depositAddress }) => depositAddress === accepted.payTo);
    if (!agreed) {
      const expected = agreements.map(({ depositAddress }) => depositAddress).join(" or ");
      throw new UntrustedOrderError(null, `accepts[${at}].payTo`, expected, accepted.payTo);
    }
    return [{ agreed, accepted, payable: readPayable(agreed, accepted, `accepts[${at}]`) }];
  });
  if (terms.length === 0) throw new UntrustedOrderError(null, "accepts", "the scheme exact", accepts);
  return terms;
}

/** Whether a value has the members that are read before it is compared. */
const isRequirement = (one: Partial<PaymentRequirements> | null) =>
  typeof one?.extra === "object" && one.extra !== null;

function readOffered(agreement: Agreement | undefined): AgreedOrder {
  const orderId = agreement?.order_id;
  if (typeof orderId !== "string")
    throw new UntrustedOrderError(null, "agreement.order_id", "an order", orderId);
  try {
    return { ...deriveDeposit(agreement), orderId, agreement: agreement as Agreement };
  } catch (error) {
    throw new UntrustedOrderError(orderId, "agreement", "an agreement", (error as Error).message);
  }
}

export const isPermit = ({ accepted }: OfferedTerms) => accepted.extra.assetTransferMethod === "permit2";

/** Whether two terms are paid by the same method in the same token, so that one nonce excludes a second payment. */
const isSameWay = (one: OfferedTerms, other: OfferedTerms) =>
  isPermit(one) === isPermit(other) &&
  one.agreed.chainId === other.agreed.chainId &&
  one.agreed.terms.token === other.agreed.terms.token;

/**
 * Chooses the terms to pay: the first known token of which the wallet holds the amount. Each token is paid by its first
 * method.
 *
 * @param nonce the nonce of the purchase: a token in which it has been used is chosen
 * @param earlier the terms that were signed for this purchase, whose token and method stay
 * @throws UntrustedOrderError if the way of the earlier terms is not offered any more
 */
export async function chooseTerms(
  offered: readonly OfferedTerms[],
  wallet: Signer,
  nonce: Hex,
  earlier: OfferedTerms | undefined,
): Promise<OfferedTerms> {
  if (earlier) {
    const same = offered.find((one) => isSameWay(one, earlier));
    if (same) return same;
    const { network, asset } = earlier.accepted;
    throw new UntrustedOrderError(
      earlier.agreed.orderId,
      "accepts",
      `${asset} on ${network}`,
      "other tokens",
    );
  }
  const ways = offered.filter(
    (one, at) => !offered.slice(0, at).some(({ accepted }) => accepted.payTo === one.accepted.payTo),
  );
  const known = ways.filter(({ agreed }) => isKnown(agreed));
  const [first = ways[0] as OfferedTerms] = known;
  if (known.length < 2) return first;
  const held: OfferedTerms[] = [];
  for (const terms of known) {
    const { chainId } = terms.agreed;
    const signer = await wallet.on(chainId);
    if (!signer.node || (await signer.node.getChainId()) !== chainId) continue;
    if (await isUsed(terms, nonce, signer)) return terms;
    if (await holdsAmount(terms, signer)) held.push(terms);
  }
  return held[0] ?? first;
}

/** Whether the client itself knows the token: it is its chain's USDC, or on the local chain, which has only test tokens. */
function isKnown({ chainId, terms }: AgreedOrder): boolean {
  return chainId === localNetwork.chain_id || findNetwork(chainId)?.token?.address === terms.token;
}

async function holdsAmount({ agreed: { terms } }: OfferedTerms, signer: Signer): Promise<boolean> {
  return (await readBalance(terms.token, signer.address, signer)) >= terms.amount;
}

async function readBalance(token: Address, holder: Address, { node }: Signer): Promise<bigint> {
  const call = { address: token, abi: erc20Abi, functionName: "balanceOf", args: [holder] } as const;
  return node ? await node.readContract(call) : 0n;
}

const permitAbi = parseAbi(["function nonceBitmap(address owner, uint256 word) view returns (uint256)"]);

/** Tells whether the wallet has used a nonce by the method of terms. It is false without a node. */
export async function isUsed(terms: OfferedTerms, nonce: Hex, signer: Signer): Promise<boolean> {
  const { node, address } = signer;
  if (!isPermit(terms) || !node) return await isNonceUsed(terms.agreed, nonce, signer);
  const { word, mask } = nonceBit(BigInt(nonce));
  const args = [address, word] as const;
  const call = { address: permit2Address, abi: permitAbi, functionName: "nonceBitmap", args } as const;
  return ((await node.readContract(call)) & mask) !== 0n;
}

/**
 * Tells whether signed terms can never be paid, because the nonce of their signature has paid other terms. Without a node it
 * is unknown, and so false.
 */
export async function isSuperseded(terms: OfferedTerms, nonce: Hex, signer: Signer): Promise<boolean> {
  if (!(await isUsed(terms, nonce, signer))) return false;
  // The balance is read first: money that moves into the escrow between the two reads must not count as missing.
  const { agreed } = terms;
  const balance = await readBalance(agreed.terms.token, agreed.depositAddress, signer);
  return balance === 0n && !(await hasEscrow(agreed, signer));
}
