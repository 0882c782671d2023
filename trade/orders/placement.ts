import { typeid } from "typeid-js";
import type { Config } from "../../config/config.ts";
import { insertEvents } from "../../db/account-events.ts";
import { nowOf, readNow, selectClock } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { eq, sql } from "../../db/drizzle.ts";
import { recordFacts } from "../../db/ledger.ts";
import { BuyerBanned, OfferChanged, PartyErasing, type Placing, recordOrder } from "../../db/new-order.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { agent, service } from "../../db/schema.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { refuseBannedAccount } from "../accounts/active-account.ts";
import { mostPayloadFiles, referencesIn } from "../files/file-reference.ts";
import { lockNamedFiles, recordUses } from "../files/file-use.ts";
import { Refusal } from "../refusal.ts";
import type { PaymentToken } from "../services/payment-token.ts";
import type { ServiceWithAgent } from "../services/service-on-sale.ts";
import { requireWithinLimitsToPlace } from "../spending/key-limit-checks.ts";
import { approvalRequest } from "../spending/spend-approval.ts";
import { type Draft, draftOrder } from "./order-draft.ts";
import { createOrderReference } from "./order-reference.ts";
import type { AgreedTerms } from "./order-terms.ts";
import {
  type Parties,
  PartiesRefused,
  type PartyChecks,
  partyValues,
  type RequestedParties,
  refuseErasing,
  requireParties,
  selectParties,
} from "./parties.ts";
import {
  prepareForCaps,
  refuseTooManyUnpaid,
  selectUnpaid,
  type UnpaidCaps,
  type UnpaidCounts,
} from "./unpaid-check.ts";

/** Returns the funding deadline of an order placed on a chain now, in unix seconds. */
export async function readFundBy(
  db: Database | Transaction,
  { chain }: Pick<PaymentToken, "chain">,
  seconds: number,
): Promise<number> {
  // The contract uses the chain's clock, which may be ahead on a local chain.
  return Number(await readNow(db, chain.chain_id)) + seconds;
}

/**
 * Writes an order with its first fact: checks its parties, freezes its terms and computes its escrow. The order
 * counts against the limits of its key, and may have to wait for approval. No money moves. A refusal writes nothing.
 *
 * @param terms with service and agent as they were read, which must be unchanged; see `retryChanged`
 * @throws SpendRefusal; Refusal `too_many_unpaid_orders`, or as `draftOrder`, `referencesIn` and `lockNamedFiles`; PartiesRefused; OfferChanged
 */
export async function writeOrder(
  tx: Transaction,
  config: PlacementConfig,
  terms: AgreedTerms,
): Promise<OrderRow> {
  const { keyId } = terms;
  const draft = draftChecked(config, terms, await readPrerequisites(tx, config, orderingOf(terms)));
  const { needsApproval, warnings } = await requireWithinLimitsToPlace(tx, keyId, {
    agentId: draft.agentId,
    serviceId: draft.serviceId,
    token: { ...terms.paidIn.token, chainId: draft.chainId },
    amount: draft.amount,
  });
  const refs = referencesIn(draft.inputPayload, "input_payload");
  const buyer = { accountId: terms.buyerAccountId };
  const named = await lockNamedFiles(tx, buyer, draft.id, "input", refs, mostPayloadFiles);
  const row = await recordDraft(tx, draft, terms.buyerAccountId, {
    origin: terms.origin,
    placing: { keyId, offer: offerOf(terms) },
  });
  await recordUses(tx, named);
  await insertEvents(tx, warnings);
  if (!needsApproval) return row;
  const { state } = await recordFacts(tx, row, [approvalRequest(row.id, row.createdAt)]);
  const { revisionRequested: _, ...columns } = state;
  return { ...row, ...columns };
}

type PlacementConfig = Pick<Config, "defaultChain" | "unpaidOrders" | "windows">;

function orderingOf({ service, ...terms }: AgreedTerms): Ordering {
  const { buyerAccountId, buyer, arbiter, paidIn } = terms;
  return { serviceId: service.id, buyerAccountId, buyer, arbiter, chain: paidIn.chain };
}

function draftChecked(config: PlacementConfig, terms: AgreedTerms, prerequisites: OrderPrerequisites): Draft {
  const { parties, fundBy } = requirePrerequisites(prerequisites, config, orderingOf(terms));
  const id = terms.orderId ?? typeid("ord").toString();
  return draftOrder(config, { id, fundBy, terms, parties });
}

/** The most attempts while the service or its agent keeps changing. */
const tries = 5;

/** Places an order again while the service or its agent changed between its reading and the order. */
export async function retryChanged<Placed>(place: () => Promise<Placed>): Promise<Placed> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    try {
      return await place();
    } catch (error) {
      if (!(error instanceof OfferChanged)) throw error;
    }
  }
  throw new Refusal("conflict", "The service keeps changing. Read it again, then order.");
}

/** The versions of a service and its agent, which an order must find unchanged. */
export function offerOf({ service, agent }: ServiceWithAgent): Placing["offer"] {
  return { service: service.version, agent: agent.version };
}

/**
 * Writes a checked draft as an order of a buyer, with its first fact.
 *
 * @throws OfferChanged; PartiesRefused for a banned account
 */
export async function recordDraft(
  tx: Transaction,
  draft: Draft,
  buyerAccountId: string,
  { origin, placing }: { origin?: AgreedTerms["origin"]; placing: Placing },
): Promise<OrderRow> {
  const placedAt = new Date();
  const created = {
    type: "order.created",
    actor: "buyer",
    key: `${draft.id}:created`,
    occurredAt: placedAt,
    data: {
      amount: formatAmount(draft.amount, draft.tokenDecimals),
      amount_base_units: draft.amount.toString(),
      currency: draft.tokenSymbol,
      settlement_rail: draft.settlementRail,
      funding_deadline: new Date(draft.fundBy * 1000).toISOString(),
      order_hash: draft.orderHash,
      ...(draft.stages === null
        ? {}
        : {
            stages: draft.stages.map(({ title, amount }) => ({
              title,
              amount: formatAmount(BigInt(amount), draft.tokenDecimals),
              amount_base_units: amount,
            })),
          }),
      ...origin,
    },
  } as const;
  const placed = { ...draft, buyerAccountId, createdAt: placedAt };
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const named = { ...placed, reference: createOrderReference() };
    const row = await recordOrder(tx, named, created, placing).catch((error: unknown) => {
      if (error instanceof BuyerBanned)
        throw new PartiesRefused("buyer_banned", refuseBannedAccount().message);
      throw error instanceof PartyErasing ? refuseErasing(error.party) : error;
    });
    if (row) return row;
  }
  throw new Error("No free order reference was found in five tries.");
}

/** The parties, the service and the chain that an order's prerequisites are read for. */
type Ordering = RequestedParties &
  Pick<PaymentToken, "chain"> & { serviceId: string; buyerAccountId: string };

/** The state that an order depends on besides the service. One statement reads all of it. */
type OrderPrerequisites = {
  parties: PartyChecks;
  /** null without caps */
  unpaid: UnpaidCounts | null;
  /** the chain's time as indexed */
  clock: string | null;
};

/** Reads the prerequisites of an order of a service. */
async function readPrerequisites(
  db: Database | Transaction,
  config: PlacementConfig,
  ordering: Ordering,
): Promise<OrderPrerequisites> {
  const [row] = await findPrerequisites(db, config.unpaidOrders).execute(valuesOf(ordering));
  if (!row) throw new Error(`There is no service ${ordering.serviceId}.`);
  return row;
}

/**
 * Returns the parties and the funding deadline of an order that is placed now.
 *
 * @returns fundBy in unix seconds
 * @throws Refusal `too_many_unpaid_orders`; PartiesRefused
 */
function requirePrerequisites(
  { unpaid, parties, clock }: OrderPrerequisites,
  config: PlacementConfig,
  { chain, ...requested }: Ordering,
): { parties: Parties; fundBy: number } {
  if (config.unpaidOrders && unpaid) refuseTooManyUnpaid(unpaid, config.unpaidOrders);
  return {
    parties: requireParties(parties, chain, requested),
    fundBy: nowOf(clock) + config.windows.fundingSeconds,
  };
}

function valuesOf({ serviceId, chain, ...requested }: Ordering) {
  return { serviceId, ...partyValues(chain, requested) };
}

function selectPrerequisites(caps: UnpaidCaps | null) {
  return {
    parties: selectParties(),
    unpaid: selectUnpaid(sql`${agent.accountId}`, caps).as("unpaid"),
    clock: selectClock().as("clock"),
  };
}

const findPrerequisites = prepareForCaps("find_order_prerequisites", (db, caps) =>
  db
    .select(selectPrerequisites(caps))
    .from(service)
    .innerJoin(agent, eq(agent.id, service.agentId))
    .where(eq(service.id, sql.placeholder("serviceId"))),
);
