import { type Address, getAddress, zeroAddress } from "viem";
import { type Database, prepareOnce, type Transaction } from "../../db/client.ts";
import { eq, sql } from "../../db/drizzle.ts";
import { account, agent, organisationMember, service, type subscription, wallet } from "../../db/schema.ts";
import type { Party } from "../../protocol/settlement/vocabulary.ts";
import { refuseBannedAccount, refuseErasingAccount } from "../accounts/active-account.ts";
import { Refusal, refuseField } from "../refusal.ts";

/** The reasons for which the service ends a subscription. */
export type SubscriptionEnd = NonNullable<(typeof subscription.$inferSelect)["endedReason"]>;

/** The addresses of an order's parties. With the zero address as arbiter, only time decides disputes. */
export type Parties = { buyer: Address; provider: Address; arbiter: Address };

/**
 * The rules for parties. `ends` is set if only a new subscription can satisfy the rule: breaking it ends a
 * subscription for this reason.
 */
const rules = {
  buyer_wallet: { refuse: inField("buyer_address", "wallet"), ends: "wallet_removed" },
  buyer_banned: { refuse: refuseBannedAccount, ends: null },
  buyer_erasing: { refuse: refuseErasingAccount, ends: null },
  provider_erasing: { refuse: inState("invalid_state"), ends: null },
  payout_wallet: { refuse: inState("invalid_state"), ends: null },
  same_wallet: { refuse: inState("conflict"), ends: null },
  arbiter_listed: { refuse: inField("arbiter", "enum"), ends: "arbiter_refused" },
  arbiter_unnamed: { refuse: inField("arbiter", "required"), ends: null },
  arbiter_party: { refuse: inField("arbiter", "party"), ends: "arbiter_refused" },
  chain_arbiter_party: { refuse: inState("conflict"), ends: null },
} satisfies Record<string, { refuse: (message: string) => Refusal; ends: SubscriptionEnd | null }>;

/** Thrown if parties break a rule. Nothing was written. */
export class PartiesRefused extends Refusal {
  override name = "PartiesRefused";
  /** the reason by which a subscription ends; null if the rule may hold again by the next period */
  readonly ends: SubscriptionEnd | null;

  constructor(rule: keyof typeof rules, message: string) {
    const { refuse, ends } = rules[rule];
    const { code, details } = refuse(message);
    super(code, message, details);
    this.ends = ends;
  }
}

function inField(field: string, keyword: string) {
  return (message: string) => refuseField(field, keyword, message);
}

function inState(code: "invalid_state" | "conflict") {
  return (message: string) => new Refusal(code, message);
}

type ArbiterOfChain = { arbiter: Address | null };

type Sold = Pick<typeof service.$inferSelect, "arbiters" | "pricingModel">;

/**
 * Returns the arbiters that orders of a service may name: the listed ones; without a list, the chain's or none. A session has
 * no disputes and so no arbiter.
 */
export function acceptedArbiters({ arbiters, pricingModel }: Sold, chain: ArbiterOfChain): Address[] {
  if (pricingModel === "per_call") return [zeroAddress];
  return [...new Set((arbiters ?? [arbiterOf(chain), zeroAddress]).map((one) => getAddress(one)))];
}

/** Returns the arbiter if the buyer names none. A provider's choice alone never counts. */
function arbiterOf(chain: ArbiterOfChain): Address {
  return getAddress(chain.arbiter ?? zeroAddress);
}

/** The requested parties of an order. */
export type RequestedParties = {
  /** null before the payment of a buyer without an account */
  buyerAccountId: string | null;
  buyer: Address;
  /** the buyer's wallet may belong to any account; its owner, if known, counts as a party */
  anyWallet?: { buyerOwnerId: string | null };
  /** the chain's unless given */
  arbiter: Address | undefined;
};

/**
 * Checks and returns the parties of an order. The buyer's wallet must belong to the buyer's account. The service must
 * accept the arbiter, who must not be related to a party.
 *
 * @throws PartiesRefused
 */
export async function checkParties(
  db: Database | Transaction,
  chain: ArbiterOfChain & { chain_id: number },
  requested: RequestedParties & { serviceId: string },
): Promise<Parties> {
  const [found] = await findParties(db).execute({
    serviceId: requested.serviceId,
    ...partyValues(chain, requested),
  });
  return requireParties(found, chain, requested);
}

/** @throws PartiesRefused */
export function requireParties(
  found: PartyChecks | undefined,
  chain: ArbiterOfChain,
  requested: Omit<RequestedParties, "buyerAccountId">,
): Parties {
  // In their EIP-55 forms, in which equal addresses are equal texts.
  const buyer = getAddress(requested.buyer);
  const unnamed = found?.pricingModel === "per_call" ? zeroAddress : arbiterOf(chain);
  const arbiter = getAddress(requested.arbiter ?? unnamed);
  const { anyWallet } = requested;
  if (!found?.payoutWallet) {
    throw new PartiesRefused("payout_wallet", "This agent has no payout wallet and takes no orders.");
  }
  if (found.isPayoutElsewhere) {
    throw new PartiesRefused(
      "payout_wallet",
      "This agent's payout wallet is a contract of another chain, and takes no orders on this one. Pay on another chain by `pay_with`.",
    );
  }
  if (found.isBuyerBanned) throw new PartiesRefused("buyer_banned", refuseBannedAccount().message);
  if (found.isBuyerErasing) throw refuseErasing("buyer");
  if (found.isProviderErasing) throw refuseErasing("provider");
  const provider = getAddress(found.payoutWallet);
  if (!anyWallet && !found.ownsBuyer) {
    throw new PartiesRefused(
      "buyer_wallet",
      "Field buyer_address: this is not a verified wallet of yours on the settlement chain. Sign in with it on that chain first.",
    );
  }
  if (buyer === provider) {
    throw new PartiesRefused(
      "same_wallet",
      "The buyer's wallet is the provider's payout wallet. Use another wallet.",
    );
  }
  const accepted = acceptedArbiters(found, chain);
  if (!accepted.includes(arbiter)) {
    throw new PartiesRefused(
      requested.arbiter ? "arbiter_listed" : "arbiter_unnamed",
      `Field arbiter: give an arbiter that this service accepts: ${accepted.join(", ")}.`,
    );
  }
  if (arbiter !== zeroAddress && (found.isArbiterParty || arbiter === provider || arbiter === buyer)) {
    throw requested.arbiter
      ? new PartiesRefused(
          "arbiter_party",
          "Field arbiter: the arbiter is a party of the order. Give another one.",
        )
      : new PartiesRefused(
          "chain_arbiter_party",
          "This chain's arbiter is a party of the order. Give another `arbiter`.",
        );
  }
  return { buyer, provider, arbiter };
}

/** Refuses an order while the erasure of a party's account is requested. */
export function refuseErasing(party: Party): PartiesRefused {
  return party === "buyer"
    ? new PartiesRefused("buyer_erasing", refuseErasingAccount().message)
    : new PartiesRefused("provider_erasing", "This agent takes no orders, because its account is leaving.");
}

/** Selects the columns that decide the parties, in a statement that reads service and agent. */
export function selectParties() {
  const chainId = sql`${sql.placeholder("chainId")}::integer`;
  const sides = sql`(${sql.placeholder("buyerAccountId")}, ${sql.placeholder("buyerOwnerId")}, ${agent.accountId})`;
  const ownsBuyer = sql<boolean>`exists (
    select from ${wallet} as owned
    where owned.address = ${sql.placeholder("buyer")} and owned.account_id = ${sql.placeholder("buyerAccountId")}
      and coalesce(owned.chain_id, ${chainId}) = ${chainId})`;
  const isBuyerBanned = sql<boolean>`exists (
    select from ${account} as buying
    where buying.id in (${sql.placeholder("buyerAccountId")}, ${sql.placeholder("buyerOwnerId")})
      and buying.banned_at is not null)`;
  const isBuyerErasing = sql<boolean>`exists (
    select from ${account} as buying
    where buying.id in (${sql.placeholder("buyerAccountId")}, ${sql.placeholder("buyerOwnerId")})
      and buying.erasing_at is not null)`;
  const isProviderErasing = sql<boolean>`exists (
    select from ${account} as selling where selling.id = ${agent.accountId} and selling.erasing_at is not null)`;
  // A contract's address on another chain does not show who controls it on this chain.
  const isPayoutElsewhere = sql<boolean>`coalesce((
    select bool_and(coalesce(paid.chain_id, ${chainId}) <> ${chainId}) from ${wallet} as paid
    where paid.address = ${agent.payoutWallet} and paid.account_id = ${agent.accountId}), false)`;
  // A person who acts for the arbiter's account must not act for a party.
  const isArbiterParty = sql<boolean>`exists (
    select from ${wallet} as held
    where held.address = ${sql.placeholder("arbiter")} and (
      held.account_id in ${sides}
      or exists (
        select from ${organisationMember} as member
        where (member.account_id in ${sides} and member.member_account_id = held.account_id)
          or (member.account_id = held.account_id and member.member_account_id in ${sides}))))`;
  return {
    arbiters: service.arbiters,
    pricingModel: service.pricingModel,
    payoutWallet: agent.payoutWallet,
    ownsBuyer: ownsBuyer.as("owns_buyer"),
    isBuyerBanned: isBuyerBanned.as("is_buyer_banned"),
    isBuyerErasing: isBuyerErasing.as("is_buyer_erasing"),
    isProviderErasing: isProviderErasing.as("is_provider_erasing"),
    isPayoutElsewhere: isPayoutElsewhere.as("is_payout_elsewhere"),
    isArbiterParty: isArbiterParty.as("is_arbiter_party"),
  };
}
export type PartyChecks = Sold & {
  payoutWallet: Address | null;
  ownsBuyer: boolean;
  isBuyerBanned: boolean;
  isBuyerErasing: boolean;
  isProviderErasing: boolean;
  isPayoutElsewhere: boolean;
  isArbiterParty: boolean;
};

/** The values that `selectParties` takes. */
export function partyValues(
  chain: ArbiterOfChain & { chain_id: number },
  { buyerAccountId, buyer, anyWallet, arbiter }: RequestedParties,
) {
  return {
    chainId: chain.chain_id,
    buyerAccountId,
    buyerOwnerId: anyWallet?.buyerOwnerId ?? null,
    buyer: buyer.toLowerCase(),
    arbiter: (arbiter ?? arbiterOf(chain)).toLowerCase(),
  };
}

const findParties = prepareOnce("find_parties", (db) =>
  db
    .select(selectParties())
    .from(service)
    .innerJoin(agent, eq(agent.id, service.agentId))
    .where(eq(service.id, sql.placeholder("serviceId"))),
);
