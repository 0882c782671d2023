import { Link } from "@tanstack/react-router";
import type { PaymentRecord } from "earnest-client";
import { ArrowDownLeft, ArrowUpRight, Minus } from "lucide-react";
import { claimText } from "../orders/order-words.ts";
import type { Column } from "../parts/data-table.tsx";
import { Money } from "../parts/money.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";
import { directionText } from "./payment-words.ts";

/** A payment with the id of its receipt as the id of its row. */
export type PaymentRow = PaymentRecord & { id: string };

/**
 * The columns of a list of payments.
 *
 * @param leadsTo the page that a row opens; the other one has a link of its own
 */
export function paymentColumns(leadsTo: "order" | "receipt"): Column<PaymentRow>[] {
  return [
    {
      id: "service",
      header: i18n.t("Service"),
      width: "minmax(0, 2fr)",
      cell: ({ receipt_id: receiptId, order_id: orderId, order_reference, service, agent }) => (
        <span className="two-lines">
          {leadsTo === "order" ? (
            <Link to="/orders/$orderId" params={{ orderId }} className="row-link">
              <UserText>{service.title}</UserText>
            </Link>
          ) : (
            <Link to="/receipts/$receiptId/checks" params={{ receiptId }} className="row-link">
              <UserText>{service.title}</UserText>
            </Link>
          )}
          <span className="quiet">
            {order_reference} · <UserText>{agent.name}</UserText>
          </span>
        </span>
      ),
    },
    {
      id: "amount",
      header: i18n.t("Amount"),
      width: "minmax(7rem, 0.7fr)",
      align: "end",
      cell: ({ amount, currency, direction }) => (
        <span className="signed" data-direction={direction}>
          <DirectionIcon direction={direction} />
          <span className="hidden-text">{directionText(direction)} </span>
          <Money amount={amount} currency={currency} />
        </span>
      ),
    },
    {
      id: "event",
      header: i18n.t("Event"),
      width: "minmax(0, 1.3fr)",
      cell: ({ claim }) => claimText(claim),
    },
    {
      id: "time",
      header: i18n.t("Date"),
      cell: ({ occurred_at: at }) => <Time at={at} />,
    },
    {
      id: "other",
      header: leadsTo === "order" ? i18n.t("Receipt") : i18n.t("Order"),
      width: "5rem",
      align: "end",
      isHiddenOnPhone: true,
      cell: ({ receipt_id: receiptId, order_id: orderId, order_reference: reference }) =>
        leadsTo === "order" ? (
          <Link
            to="/receipts/$receiptId/checks"
            params={{ receiptId }}
            aria-label={i18n.t("Receipt of {reference}", { reference })}
          >
            {i18n.t("Receipt")}
          </Link>
        ) : (
          <Link
            to="/orders/$orderId"
            params={{ orderId }}
            aria-label={i18n.t("Order {reference}", { reference })}
          >
            {i18n.t("Order")}
          </Link>
        ),
    },
  ];
}

function DirectionIcon({ direction }: Pick<PaymentRecord, "direction">) {
  const Icon = { in: ArrowDownLeft, out: ArrowUpRight, none: Minus }[direction];
  return <Icon size={14} aria-hidden />;
}
