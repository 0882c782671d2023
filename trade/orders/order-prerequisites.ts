import { eq, sql } from "drizzle-orm";
import type { Config } from "../../config/config.ts";
import { nowOf, selectClock } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { agent, service } from "../../db/schema.ts";
import {
  askParties,
  type Parties,
  type PartiesFound,
  type RequestedParties,
  requireParties,
  selectParties,
} from "./parties.ts";
import { settlementChainOf } from "./settlement-chain.ts";
import { prepareForCaps, refuseCrowd, selectUnpaid, type UnpaidCaps, type UnpaidFound } from "./unpaid.ts";

/** The parties and the service that an order's prerequisites are read for. */
export type Ordering = RequestedParties & { serviceId: string; buyerAccountId: string };

/** The state that an order depends on besides the service. One statement reads all of it. */
export type OrderPrerequisites = {
  parties: PartiesFound;
  /** null where nothing is capped */
  unpaid: UnpaidFound | null;
  /** of the chain, as far as it is indexed */
  clock: string | null;
};

type OrderingConfig = Pick<Config, "defaultChain" | "unpaidOrders">;

/** Reads the prerequisites of an order of a service. */
export async function readPrerequisites(
  db: Database | Transaction,
  config: OrderingConfig,
  ordering: Ordering,
): Promise<OrderPrerequisites> {
  const [row] = await findStanding(db, config.unpaidOrders).execute(valuesOf(config, ordering));
  if (!row) throw new Error(`There is no service ${ordering.serviceId}.`);
  return row;
}

/**
 * Says between whom an order can be now, and until when it can be funded.
 *
 * @returns fundBy in unix seconds
 * @throws Refusal `too_many_unpaid_orders`; PartiesRefused
 */
export function requirePrerequisites(
  { unpaid, parties, clock }: OrderPrerequisites,
  config: Pick<Config, "defaultChain" | "unpaidOrders" | "windows">,
  wanted: RequestedParties,
): { parties: Parties; fundBy: number } {
  if (config.unpaidOrders && unpaid) refuseCrowd(unpaid, config.unpaidOrders);
  return {
    parties: requireParties(parties, settlementChainOf(config), wanted),
    fundBy: nowOf(clock) + config.windows.fundingSeconds,
  };
}

/** Without a chain nothing is sold; who sees the service is told so after what is wrong with it. */
function valuesOf({ defaultChain }: OrderingConfig, { serviceId, ...wanted }: Ordering) {
  const chain = defaultChain ?? { chain_id: 0, arbiter: null };
  return { serviceId, ...askParties(chain, wanted) };
}

function selectStanding(caps: UnpaidCaps | null) {
  return {
    parties: selectParties(),
    unpaid: selectUnpaid(sql`${agent.accountId}`, caps).as("unpaid"),
    clock: selectClock().as("clock"),
  };
}

const findStanding = prepareForCaps("find_standing", (db, caps) =>
  db
    .select(selectStanding(caps))
    .from(service)
    .innerJoin(agent, eq(agent.id, service.agentId))
    .where(eq(service.id, sql.placeholder("serviceId"))),
);
