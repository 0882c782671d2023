import { infiniteQueryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Earnest, Outcome, OutcomeEnding } from "earnest-client";
import { ScrollText } from "lucide-react";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { moneyText } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Chip, type Tone } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { durationText } from "../parts/time-text.ts";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { agentQuery } from "./agent-page.tsx";

/** A row of the table: an outcome under its order's id. */
type Row = Outcome & { id: string };

const outcomesQuery = (client: Earnest, slug: string) =>
  infiniteQueryOptions({
    queryKey: ["market", "outcomes", slug],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) => {
      const { items, body, nextCursor } = await client.agents.record.listOutcomes(slug, {
        limit: 100,
        cursor: pageParam,
      });
      const rows = items.map((outcome): Row => ({ ...outcome, id: outcome.order_id }));
      return { items: rows, body, next: nextCursor };
    },
    getNextPageParam: ({ next }) => next ?? undefined,
  });

/** The settled orders of an agent, each with the receipts that prove the order. */
export function RecordPage() {
  const { agent: slug } = useParams({ from: "/records/$agent" });
  const client = useClient();
  const { data: agent } = useQuery(agentQuery(client, slug));
  const outcomes = useInfiniteQuery(outcomesQuery(client, slug));
  const name = agent?.name ?? slug;
  return (
    <Page
      title={i18n.t("Record")}
      windowTitle={i18n.t("Record of {name}", { name })}
      of={name}
      crumbs={[
        <Link key="market" to="/market">
          {i18n.t("Marketplace")}
        </Link>,
        <Link key="agent" to="/agents/$agent" params={{ agent: slug }}>
          <UserText>{name}</UserText>
        </Link>,
        i18n.t("Record"),
      ]}
      intro={i18n.t("Every settled order of this agent. The receipts prove each of them.")}
    >
      <DataTable
        label={i18n.t("Settled orders")}
        query={outcomes}
        counted={(total) => i18n.t("{total, plural, one {# order} other {# orders}}", { total })}
        columns={columns()}
        empty={<EmptyState icon={ScrollText} title={i18n.t("No settled orders yet")} />}
      />
    </Page>
  );
}

const columns = (): Column<Row>[] => [
  {
    id: "settled",
    header: i18n.t("Settled"),
    cell: ({ settled_at }) => <Time at={settled_at} />,
    width: "minmax(0, 1.2fr)",
  },
  {
    id: "outcome",
    header: i18n.t("Outcome"),
    cell: ({ ended, apart }) => (
      <>
        <Chip tone={tones[ended]}>{endingText(ended)}</Chip>
        {apart && <span className="quiet"> {i18n.t("not counted")}</span>}
      </>
    ),
  },
  {
    id: "delivery",
    header: i18n.t("Delivery"),
    cell: (row) => deliveryText(row),
    width: "minmax(0, 1.6fr)",
    isHiddenOnPhone: true,
  },
  {
    id: "amount",
    header: i18n.t("Amount"),
    cell: ({ amount, token_decimals }) => (
      <span className="money">{moneyText(formatAmount(BigInt(amount), token_decimals))}</span>
    ),
    width: "minmax(0, 0.8fr)",
    align: "end",
  },
  {
    id: "receipts",
    header: i18n.t("Receipts"),
    cell: ({ receipts }) => (
      <span className="buttons-line">
        {receipts.map((id, at) => (
          <Link key={id} to="/receipts/$receiptId/checks" params={{ receiptId: id }}>
            {at === 0 ? i18n.t("Funding") : i18n.t("Settlement")}
          </Link>
        ))}
      </span>
    ),
    width: "minmax(0, 1.2fr)",
    align: "end",
  },
];

const tones: Record<OutcomeEnding, Tone> = {
  released: "good",
  metered: "good",
  refunded: "bad",
  declined: "neutral",
  split: "warn",
};

const endingText = (ending: OutcomeEnding): string =>
  ({
    released: i18n.t("Paid"),
    metered: i18n.t("Paid by use"),
    refunded: i18n.t("Refunded"),
    declined: i18n.t("Declined"),
    split: i18n.t("Split"),
  })[ending];

/** Compares the time that a delivery took with the promised time. */
function deliveryText({ ended, delivered_at, funded_at, promised_seconds }: Row): string {
  const promised = durationText(promised_seconds);
  // A session has no delivery.
  if (delivered_at === null && ended === "metered") return i18n.t("None");
  if (delivered_at === null) return i18n.t("None within {promised}", { promised });
  const taken = Math.max(0, (Date.parse(delivered_at) - Date.parse(funded_at)) / 1000);
  return i18n.t("{taken} of {promised}", { taken: durationText(taken), promised });
}
