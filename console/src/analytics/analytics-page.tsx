import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { showHidden } from "../../../protocol/json/text.ts";
import { ownAgentsQuery } from "../agents/agent-queries.ts";
import { ChoiceField } from "../parts/choice-field.tsx";
import { DateField } from "../parts/date-field.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import {
  type AnalyticsSearch,
  analyticsQuery,
  customPeriod,
  type Days,
  daysOf,
  fixedDays,
  lastDays,
  usualDays,
} from "./period.ts";
import { ProgramFigures } from "./program-figures.tsx";
import { SalesFigures } from "./sales-figures.tsx";
import { SpendingFigures } from "./spending-figures.tsx";

/** The account's figures over a period: sales, purchases and programs. */
export function AnalyticsPage() {
  const navigate = useNavigate();
  const search: AnalyticsSearch = useSearch({ from: "/analytics" });
  const days = daysOf(search);
  const fault = typeof days === "string" ? days : null;
  return (
    <Page
      title={i18n.t("Analytics")}
      intro={i18n.t("Revenue, spending, orders and deliveries. Days are in UTC.")}
    >
      <PeriodFilters
        search={search}
        fault={fault}
        onChange={(next) => void navigate({ to: "/analytics", search: next, replace: true })}
      />
      {typeof days !== "string" && <Figures days={days} agent={search.agent} />}
    </Page>
  );
}

function Figures({ days, agent }: { days: Days; agent: string | undefined }) {
  const client = useClient();
  const analytics = useQuery({ ...analyticsQuery(client, days, agent), placeholderData: keepPreviousData });
  return (
    <Loaded query={analytics}>
      {({ since, until, seller, buyer, webhooks, keys }) => (
        <Tabs
          label={i18n.t("Figures")}
          tabs={[
            {
              id: "sales",
              title: i18n.t("Sales"),
              content: <SalesFigures figures={seller} days={{ since, until }} />,
            },
            {
              id: "purchases",
              title: i18n.t("Purchases"),
              content: <SpendingFigures figures={buyer} days={{ since, until }} />,
            },
            {
              id: "programs",
              title: i18n.t("Webhooks and keys"),
              content: <ProgramFigures webhooks={webhooks} keys={keys} />,
            },
          ]}
        />
      )}
    </Loaded>
  );
}

function PeriodFilters({
  search,
  fault,
  onChange,
}: {
  search: AnalyticsSearch;
  fault: string | null;
  onChange: (search: AnalyticsSearch) => void;
}) {
  const agents = useInfiniteQuery(ownAgentsQuery(useClient(), undefined)).data?.pages[0]?.items ?? [];
  const { days = usualDays, since = "", until = "", agent = "" } = search;
  const period = (chosen: string) =>
    onChange({
      days: chosen,
      agent: search.agent,
      ...(chosen === customPeriod ? lastDays(Number(days) || Number(usualDays)) : {}),
    });
  return (
    <div className="filters">
      <ChoiceField
        label={i18n.t("Period")}
        value={days}
        onChange={period}
        choices={[
          ...fixedDays.map((each) => [each, i18n.t("Last {days} days", { days: each })] as const),
          [customPeriod, i18n.t("Custom")],
        ]}
      />
      {days === customPeriod && (
        <>
          <DateField
            label={i18n.t("From")}
            error={fault}
            value={since}
            onChange={(day) => onChange({ ...search, since: day || undefined })}
          />
          <DateField
            label={i18n.t("To")}
            value={until}
            onChange={(day) => onChange({ ...search, until: day || undefined })}
          />
        </>
      )}
      {(agents.length > 1 || agent !== "") && (
        <ChoiceField
          label={i18n.t("Agent")}
          value={agent}
          onChange={(slug) => onChange({ ...search, agent: slug || undefined })}
          choices={[
            ["", i18n.t("All agents")],
            ...agents.map(({ slug, name }) => [slug, showHidden(name)] as const),
          ]}
        />
      )}
    </div>
  );
}
