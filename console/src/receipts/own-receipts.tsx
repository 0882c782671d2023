import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { claimText } from "../orders/order-words.ts";
import { LongList } from "../parts/long-list.tsx";
import { Money } from "../parts/money.tsx";
import { Time } from "../parts/time.tsx";
import { PaymentFilters } from "../payments/payment-filters.tsx";
import { paymentListQuery } from "../payments/payment-queries.ts";
import { useClient } from "../session/client.ts";

/** The receipts of the account's orders: one for each confirmed payment. */
export function OwnReceipts() {
  const client = useClient();
  const navigate = useNavigate();
  const filters = useSearch({ from: "/receipts" });
  const payments = useInfiniteQuery(paymentListQuery(client, filters));
  return (
    <section aria-labelledby="own-receipts">
      <h2 id="own-receipts">Your receipts</h2>
      <PaymentFilters
        value={filters}
        onChange={(search) => void navigate({ to: "/receipts", search, replace: true })}
      />
      <LongList
        label="Your receipts"
        query={payments}
        counted={(total) => `${total} ${total === 1 ? "receipt" : "receipts"}`}
      >
        {({ receipt_id: receiptId, claim, amount, currency, order_reference, occurred_at }) => (
          <>
            <Link to="/receipts/$receiptId/checks" params={{ receiptId }}>
              {claimText(claim)}, <span className="whole">{order_reference}</span>
            </Link>
            <Money amount={amount} currency={currency} />
            <Time at={occurred_at} />
          </>
        )}
      </LongList>
    </section>
  );
}
