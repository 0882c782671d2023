import { eq, sql } from "drizzle-orm";
import type { Config } from "../../config/config.ts";
import { nowOf, selectClock } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { agent, service } from "../../db/schema.ts";
import {
  askParties,
  type Parties,
  type PartiesFound,
  requireParties,
  selectParties,
  type WantedParties,
} from "./parties.ts";
import { settlementChainOf } from "./settlement-chain.ts";
import { prepareForCaps, refuseCrowd, selectUnpaid, type UnpaidCaps, type UnpaidFound } from "./unpaid.ts";

/** Who orders what, as far as it says what to read. */
export type Ordering = WantedParties & { serviceId: string; buyerAccountId: string };

/** What stands at one moment and an order depends on, besides the service: one round trip reads all of it. */
export type Standing = {
  parties: PartiesFound;
  /** null where nothing is capped */
  unpaid: UnpaidFound | null;
  /** of the chain, as far as it is indexed */
  clock: string | null;
};

type OrderingConfig = Pick<Config, "defaultChain" | "unpaidOrders">;

/** What stands of a service that was read before. */
export async function readStanding(
  db: Database | Transaction,
  config: OrderingConfig,
  ordering: Ordering,
): Promise<Standing> {
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
export function requireStanding(
  { unpaid, parties, clock }: Standing,
  config: Pick<Config, "defaultChain" | "unpaidOrders" | "windows">,
  wanted: WantedParties,
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
