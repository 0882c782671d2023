import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Store } from "lucide-react";
import { balancesByToken, balancesQuery } from "../balances/balance-queries.ts";
import { TokenBalances } from "../balances/balance-table.tsx";
import { newestQuery } from "../notifications/notification-queries.ts";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { Attention } from "./attention.tsx";
import { useAttention } from "./attention-queries.ts";
import { DaysChart, daysQuery } from "./days-chart.tsx";
import { RecentActivity } from "./recent-activity.tsx";
import { SetupChecklists } from "./setup-checklists.tsx";
import { firstAgentsQuery } from "./setup-steps.ts";

/** The overview: what needs the user's attention, the first steps, the money, and what happened. */
export function HomePage() {
  const client = useClient();
  const balances = useQuery(balancesQuery(client));
  const others = useQueries({
    queries: [daysQuery(client), newestQuery(client), firstAgentsQuery(client)],
  });
  const { isLoading } = useAttention();
  // The parts appear together, so that no late part moves an earlier one.
  const isReady = !isLoading && [balances, ...others].every(({ isPending }) => !isPending);
  return (
    <Page
      title={i18n.t("Overview")}
      actions={
        <Link to="/market" className="button">
          <Store size={16} aria-hidden />
          {i18n.t("Browse services")}
        </Link>
      }
    >
      <div className="stack">
        <Attention />
        {isReady && (
          <>
            <SetupChecklists />
            <section aria-label={i18n.t("Balances")}>
              <Loaded query={balances}>{(data) => <TokenBalances of={balancesByToken(data)} />}</Loaded>
            </section>
            <div className="split wide-side">
              <DaysChart />
              <RecentActivity />
            </div>
          </>
        )}
      </div>
    </Page>
  );
}
