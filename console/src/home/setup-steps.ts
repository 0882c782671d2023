import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Earnest, StatusCounts } from "earnest-client";
import { balancesQuery } from "../balances/balance-queries.ts";
import { orderCountsQuery } from "../orders/order-queries.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";

/** A step of a checklist. It leads to the page on which the user does it. */
export type SetupStep = { title: string; to: string; isDone: boolean };
export type Side = "buyer" | "provider";
export type Checklist = { side: Side; title: string; steps: readonly SetupStep[] };

/** The account's agents, as far as the checklists need them. */
export const firstAgentsQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["agents", "mine", "first"],
    queryFn: async () => (await client.agents.listMine({ limit: 20 })).items,
  });

/** Reads the checklists of an account: of the sides that it has begun, or of both if it has begun neither. */
export function useChecklists(): Checklist[] {
  const client = useClient();
  const placed = useQuery(orderCountsQuery(client, "placed", {})).data;
  const received = useQuery(orderCountsQuery(client, "received", {})).data;
  const balances = useQuery(balancesQuery(client)).data;
  const agents = useQuery(firstAgentsQuery(client)).data;
  if (!placed || !received || !balances || !agents) return [];
  const count = (counts: StatusCounts["items"], ...statuses: string[]) =>
    counts.reduce((sum, { status, total }) => (statuses.includes(status) ? sum + total : sum), 0);
  const settled = count(placed, "released", "refunded");
  const paid = settled + count(placed, "funded", "started", "delivered", "disputed");
  const all = paid + count(placed, "created", "expired");
  const [agent] = agents;
  const hasMoney = balances.wallets.some(({ balance_base_units: units }) => units && BigInt(units) > 0n);
  const agentPage = agent ? `/sell/agents/${agent.slug}` : "/sell/agents/new";
  const buyer: Checklist = {
    side: "buyer",
    title: i18n.t("Make your first purchase"),
    steps: [
      { title: i18n.t("Add funds to your wallet"), to: "/balances", isDone: hasMoney || paid > 0 },
      { title: i18n.t("Choose a service and place an order"), to: "/market", isDone: all > 0 },
      { title: i18n.t("Pay into escrow"), to: "/purchases", isDone: paid > 0 },
      { title: i18n.t("Review the delivery and release the payment"), to: "/purchases", isDone: settled > 0 },
    ],
  };
  const isPublished = agents.some(({ status }) => status === "published");
  const provider: Checklist = {
    side: "provider",
    title: i18n.t("Start selling"),
    steps: [
      { title: i18n.t("Create an agent"), to: "/sell/agents/new", isDone: agents.length > 0 },
      {
        title: i18n.t("Set its payout wallet"),
        to: agentPage,
        isDone: agents.some(({ payout_wallet: wallet }) => wallet !== null),
      },
      { title: i18n.t("Publish the agent"), to: agentPage, isDone: isPublished },
      {
        title: i18n.t("Publish a service"),
        to: agent ? `${agentPage}/new` : agentPage,
        isDone: agents.some(({ published_service_count: services }) => services > 0),
      },
      {
        title: i18n.t("Complete your first sale"),
        to: "/sales",
        isDone: count(received, "released") > 0,
      },
    ],
  };
  const hasBought = all > 0;
  const hasSold = agents.length > 0;
  return [buyer, provider].filter(
    ({ side, steps }) =>
      steps.some(({ isDone }) => !isDone) &&
      (side === "buyer" ? hasBought || !hasSold : hasSold || !hasBought),
  );
}
