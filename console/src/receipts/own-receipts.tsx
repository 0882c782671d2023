import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { FileCheck2 } from "lucide-react";
import { useMemo } from "react";
import { Button } from "../parts/button.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { paymentColumns } from "../payments/payment-columns.tsx";
import { PaymentFilters } from "../payments/payment-filters.tsx";
import { type Filters, paymentListQuery } from "../payments/payment-queries.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";

/** The receipts of the account's orders: one for each confirmed payment. */
export function OwnReceipts() {
  const client = useClient();
  const navigate = useNavigate();
  const filters = useSearch({ from: "/receipts" });
  const payments = useInfiniteQuery(paymentListQuery(client, filters));
  const columns = useMemo(() => paymentColumns("receipt"), []);
  const change = (search: Filters) => void navigate({ to: "/receipts", search, replace: true });
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <>
      <PaymentFilters value={filters} onChange={change} />
      <DataTable
        label={i18n.t("Your receipts")}
        query={payments}
        columns={columns}
        counted={(total) => i18n.t("{total, plural, one {# receipt} other {# receipts}}", { total })}
        empty={
          isFiltered ? (
            <EmptyState
              icon={FileCheck2}
              title={i18n.t("No receipts match")}
              action={<Button onPress={() => change({})}>{i18n.t("Clear filters")}</Button>}
            />
          ) : (
            <EmptyState
              icon={FileCheck2}
              title={i18n.t("No receipts yet")}
              action={
                <Link to="/market" className="button primary">
                  {i18n.t("Browse services")}
                </Link>
              }
            >
              {i18n.t("Each confirmed payment has a signed receipt, which anyone can verify.")}
            </EmptyState>
          )
        }
      />
    </>
  );
}
