import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Store } from "lucide-react";
import { balancesByToken, balancesQuery } from "../balances/balance-queries.ts";
import { BalanceStats } from "../balances/balance-stats.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { Attention } from "./attention.tsx";
import { DaysChart } from "./days-chart.tsx";
import { RecentActivity } from "./recent-activity.tsx";
import { SetupChecklists } from "./setup-checklists.tsx";

/** The overview: what needs the user's attention, the first steps, the money, and what happened. */
export function HomePage() {
  const balances = useQuery(balancesQuery(useClient()));
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
        <SetupChecklists />
        <section aria-label={i18n.t("Balances")}>
          <Loaded query={balances}>
            {(data) => balancesByToken(data).map((token) => <BalanceStats key={token.key} of={token} />)}
          </Loaded>
        </section>
        <div className="split wide-side">
          <DaysChart />
          <RecentActivity />
        </div>
      </div>
    </Page>
  );
}
