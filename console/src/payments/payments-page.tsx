import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Download, Receipt } from "lucide-react";
import { useMemo } from "react";
import { Button } from "../parts/button.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Stats } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { saveFile } from "../parts/save-file.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { MonthChart } from "./month-chart.tsx";
import { MonthlyStatements } from "./monthly-statements.tsx";
import { monthsByToken, type TokenMonths } from "./monthly-sums.ts";
import { paymentColumns } from "./payment-columns.tsx";
import { PaymentFilters } from "./payment-filters.tsx";
import { type Filters, paymentListQuery, readTable, sumsQuery } from "./payment-queries.ts";

/** All confirmed payments of the account's orders: sums, by month, as a list, and as a CSV file. */
export function PaymentsPage() {
  const client = useClient();
  const navigate = useNavigate();
  const filters = useSearch({ from: "/payments" });
  const payments = useInfiniteQuery(paymentListQuery(client, filters));
  const columns = useMemo(() => paymentColumns("order"), []);
  const saving = useMutation({
    mutationFn: async () => saveFile("payments.csv", await readTable(client, filters), "text/csv"),
  });
  const change = (search: Filters) => void navigate({ to: "/payments", search, replace: true });
  return (
    <Page
      title={i18n.t("Payments")}
      actions={
        <Button icon={Download} isPending={saving.isPending} onPress={() => saving.mutate()}>
          {i18n.t("Export CSV")}
        </Button>
      }
    >
      {saving.error && <ProblemNote error={saving.error} />}
      <PaymentFilters value={filters} onChange={change} />
      <Sums filters={filters} />
      <MonthlyStatements />
      <h2>{i18n.t("Transactions")}</h2>
      <DataTable
        label={i18n.t("Payments")}
        query={payments}
        columns={columns}
        counted={(total) => i18n.t("{total, plural, one {# payment} other {# payments}}", { total })}
        empty={<NoPayments isFiltered={Object.values(filters).some(Boolean)} onClear={() => change({})} />}
      />
    </Page>
  );
}

function NoPayments({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState
        icon={Receipt}
        title={i18n.t("No payments match")}
        action={<Button onPress={onClear}>{i18n.t("Clear filters")}</Button>}
      />
    );
  }
  return (
    <EmptyState
      icon={Receipt}
      title={i18n.t("No payments yet")}
      action={
        <Link to="/market" className="button primary">
          {i18n.t("Browse services")}
        </Link>
      }
    >
      {i18n.t("Payments of your orders appear here once the chain has confirmed them.")}
    </EmptyState>
  );
}

/** The months that a chart without a first day has at least. */
const fewestMonths = 6;

/** The sums of the filtered payments by token, and a chart of their months. */
function Sums({ filters }: { filters: Filters }) {
  const client = useClient();
  const sums = useQuery(sumsQuery(client, filters));
  return (
    <Loaded query={sums}>
      {(items) => (
        <div className="stack">
          {monthsByToken(items, filters.since ? 1 : fewestMonths).map((token) => (
            <section key={token.key} aria-label={token.name} className="stack">
              <Totals of={token} />
              <div className="card">
                <MonthChart of={token} />
              </div>
            </section>
          ))}
        </div>
      )}
    </Loaded>
  );
}

function Totals({ of: { name, received, paid } }: { of: TokenMonths }) {
  return (
    <Stats
      figures={[
        [i18n.t("Received"), <Money key="received" amount={received} currency={name} />],
        [i18n.t("Paid"), <Money key="paid" amount={paid} currency={name} />],
      ]}
    />
  );
}
