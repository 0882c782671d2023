import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { PaymentDirection } from "earnest-client";
import { claimText } from "../orders/order-words.ts";
import { Button } from "../parts/button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { saveText } from "../parts/save-file.ts";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { MonthChart } from "./month-chart.tsx";
import { monthsByToken } from "./monthly-sums.ts";
import { PaymentFilters } from "./payment-filters.tsx";
import { type Filters, paymentListQuery, readTable, sumsQuery } from "./payment-queries.ts";

const directions: Record<PaymentDirection, string> = {
  in: "In",
  out: "Out",
  none: "Counterparty",
};

/** All confirmed payments of the account's orders: monthly, as a list, and as a CSV file. */
export function PaymentsPage() {
  const client = useClient();
  const navigate = useNavigate();
  const filters = useSearch({ from: "/payments" });
  const payments = useInfiniteQuery(paymentListQuery(client, filters));
  const saving = useMutation({
    mutationFn: async () => saveText("payments.csv", await readTable(client, filters), "text/csv"),
  });
  return (
    <Page title="Payments">
      <PaymentFilters
        value={filters}
        onChange={(search) => void navigate({ to: "/payments", search, replace: true })}
      />
      <Chart filters={filters} />
      <h2>Transactions</h2>
      <div className="buttons">
        <Button isPending={saving.isPending} onPress={() => saving.mutate()}>
          Export CSV
        </Button>
      </div>
      {saving.error && <ProblemNote error={saving.error} />}
      <LongList
        label="Payments"
        query={payments}
        counted={(total) => `${total} ${total === 1 ? "payment" : "payments"}`}
      >
        {(payment) => (
          <>
            <Link to="/receipts/$receiptId/checks" params={{ receiptId: payment.receipt_id }}>
              {claimText(payment.claim)}
            </Link>
            <Link to="/orders/$orderId" params={{ orderId: payment.order_id }}>
              {payment.order_reference}
            </Link>
            <span>{directions[payment.direction]}</span>
            <Money amount={payment.amount} currency={payment.currency} />
            <Time at={payment.occurred_at} />
          </>
        )}
      </LongList>
    </Page>
  );
}

function Chart({ filters }: { filters: Filters }) {
  const client = useClient();
  const sums = useQuery(sumsQuery(client, filters));
  return (
    <section aria-labelledby="by-month">
      <h2 id="by-month">Monthly</h2>
      <Loaded query={sums}>
        {(items) =>
          items.length === 0 ? (
            <p>No payments yet.</p>
          ) : (
            monthsByToken(items).map((token) => <MonthChart key={token.key} of={token} />)
          )
        }
      </Loaded>
    </section>
  );
}
