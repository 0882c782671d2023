import { getAddress } from "viem";
import type { OrderRow } from "../../db/order-rows.ts";
import type { BillingDetails } from "../../db/schema.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import type { OrderInvoice } from "../../trade/invoices/invoice.ts";
import type { TableColumns } from "../http/table-export.ts";
import { type PdfDocument, type Table, timeText } from "./pdf-document.ts";

const stepNames: Record<string, string> = {
  "order.funded": "Paid into the escrow",
  "order.part_released": "Part paid to the seller",
  "order.released": "Paid to the seller, all parts counted",
  "order.refunded": "Returned to the buyer",
};

const amountOf = ({ tokenDecimals, tokenSymbol }: OrderRow, value: bigint) =>
  `${formatAmount(value, tokenDecimals)} ${tokenSymbol}`;

/** The name of an invoice or a payment record for people, as in `Invoice 17`. */
export function titleOf({ issued }: OrderInvoice): string {
  return issued ? `Invoice ${issued.number}` : "Payment record";
}

/** Lays out the invoice of an order, or its payment record. */
export function layOutInvoice(invoice: OrderInvoice, publicUrl: string): PdfDocument {
  const { issued, order, settlement, tax } = invoice;
  const amount = (value: bigint) => amountOf(order, value);
  return {
    title: `${titleOf(invoice)} for order ${order.reference}`,
    notice: noticeOf(invoice),
    dated: (issued?.at ?? settlement.fact.occurredAt).toISOString(),
    isWide: false,
    blocks: [
      {
        kind: "parties",
        columns: [
          { heading: "Seller", lines: linesOf(invoice.seller, order.providerAddress) },
          { heading: "Buyer", lines: linesOf(invoice.buyer, order.buyerAddress) },
        ],
      },
      {
        kind: "fields",
        heading: "Order",
        rows: [
          ...(issued
            ? ([
                ["Invoice number", String(issued.number)],
                ["Issued", timeText(issued.at)],
              ] satisfies [string, string][])
            : []),
          ["Settled", timeText(settlement.fact.occurredAt)],
          ["Order", `${order.reference} (${order.id})`],
          ["Service", order.serviceTitle],
          ["Agent", order.agentName],
        ],
      },
      workOf(order),
      {
        kind: "fields",
        heading: "Amounts",
        rows: [
          ...(tax
            ? ([
                ["Net amount", amount(tax.net)],
                [`Tax ${tax.rate} %`, amount(tax.tax)],
              ] satisfies [string, string][])
            : []),
          ["Paid to the seller", amount(settlement.paid)],
          ["Returned to the buyer", amount(settlement.refunded)],
          ["Marketplace fee", amount(0n)],
          ["Tax", tax ? "The paid amount includes the tax." : "The seller states no tax."],
        ],
      },
      movementsOf(invoice, publicUrl),
      {
        kind: "fields",
        heading: "Chain",
        rows: [
          ["Chain", `eip155:${order.chainId}`],
          ["Token", `${order.tokenSymbol} ${getAddress(order.token)}`],
          ["Escrow contract", getAddress(order.escrowContract)],
          ["Escrow", order.escrowId],
        ],
      },
    ],
    foot: `${order.reference}. The receipts prove each payment. All times are UTC.`,
  };
}

function noticeOf({ issued }: OrderInvoice): string | null {
  if (!issued)
    return "The seller has no billing details, so this document is a payment record and no invoice.";
  if (issued.isVoid) return "VOID: the payment left the chain.";
  return issued.replaces === null ? null : `Replaces invoice ${issued.replaces}, which is void.`;
}

function linesOf(details: BillingDetails | null, wallet: OrderRow["buyerAddress"]): string[] {
  const own = details
    ? [
        details.name,
        ...details.address_lines,
        details.country,
        ...(details.tax_id === null ? [] : [`Tax id: ${details.tax_id}`]),
      ]
    : ["No billing details"];
  return [...own, `Wallet ${getAddress(wallet)}`];
}

function workOf(order: OrderRow): Table {
  const amount = (value: bigint) => amountOf(order, value);
  // The quantity of these orders is a bound, and the payments say what was used of it.
  const of = ["metered", "per_call"].includes(order.pricingModel) ? "at most" : "";
  return {
    kind: "table",
    heading: "What was agreed",
    columns: [
      { name: "Work", width: 0.46 },
      { name: "Quantity", width: 0.14, isNumber: true },
      { name: "Price of a unit", width: 0.2, isNumber: true },
      { name: "Amount", width: 0.2, isNumber: true },
    ],
    rows: [
      [order.serviceTitle, `${of} ${order.quantity}`.trim(), amount(order.unitPrice), amount(order.amount)],
      ...(order.deliveredUnits === null
        ? []
        : [
            [
              "Delivered units",
              String(order.deliveredUnits),
              amount(order.unitPrice),
              order.charge === null ? "" : amount(order.charge),
            ],
          ]),
      ...(order.stages ?? []).map(({ title, amount: price }, at) => [
        `Stage ${at + 1}: ${title}`,
        "",
        "",
        amount(BigInt(price)),
      ]),
    ],
    sums: [],
  };
}

function movementsOf({ order, settlement, receipts }: OrderInvoice, publicUrl: string): Table {
  return {
    kind: "table",
    heading: "Payments",
    columns: [
      { name: "Time", width: 0.15 },
      { name: "Payment", width: 0.2 },
      { name: "Amount", width: 0.19, isNumber: true },
      { name: "Transaction and receipt", width: 0.46 },
    ],
    rows: settlement.movements.map(({ id, type, data, occurredAt, transactionHash }) => {
      const receipt = receipts.get(id);
      return [
        timeText(occurredAt),
        stepNames[type] ?? type,
        amountOf(order, BigInt(String(data.amount_base_units))),
        `${transactionHash ?? ""}${receipt ? ` ${publicUrl}/receipts/${receipt}` : ""}`,
      ];
    }),
    sums: [],
  };
}

/** The columns of an invoice as a table of one row. */
export const invoiceColumns = (publicUrl: string): TableColumns<OrderInvoice> => ({
  document: ({ issued }) => (issued ? "invoice" : "payment_record"),
  number: ({ issued }) => issued?.number ?? null,
  issued_at: ({ issued }) => issued?.at.toISOString() ?? null,
  is_void: ({ issued }) => String(issued?.isVoid ?? false),
  replaces_number: ({ issued }) => issued?.replaces ?? null,
  ...partyColumns("seller", ({ order }) => order.providerAddress),
  ...partyColumns("buyer", ({ order }) => order.buyerAddress),
  order_id: ({ order }) => order.id,
  order_reference: ({ order }) => order.reference,
  service_title: ({ order }) => order.serviceTitle,
  agent_name: ({ order }) => order.agentName,
  pricing_model: ({ order }) => order.pricingModel,
  quantity: ({ order }) => order.quantity,
  units: ({ order }) => order.deliveredUnits,
  stages: ({ order }) => order.stages?.length ?? null,
  settled_at: ({ settlement }) => settlement.fact.occurredAt.toISOString(),
  currency: ({ order }) => order.tokenSymbol,
  net_amount: ({ order, tax }) => tax && formatAmount(tax.net, order.tokenDecimals),
  tax_rate: ({ tax }) => tax?.rate ?? null,
  tax_amount: ({ order, tax }) => tax && formatAmount(tax.tax, order.tokenDecimals),
  paid_amount: ({ order, settlement }) => formatAmount(settlement.paid, order.tokenDecimals),
  refunded_amount: ({ order, settlement }) => formatAmount(settlement.refunded, order.tokenDecimals),
  platform_fee: ({ order }) => formatAmount(0n, order.tokenDecimals),
  chain_id: ({ order }) => order.chainId,
  token_address: ({ order }) => getAddress(order.token),
  escrow_contract: ({ order }) => getAddress(order.escrowContract),
  escrow_id: ({ order }) => order.escrowId,
  transactions: ({ settlement }) =>
    [...new Set(settlement.movements.map(({ transactionHash }) => transactionHash))].join(" "),
  receipts: ({ settlement, receipts }) =>
    settlement.movements
      .flatMap(({ id }) => receipts.get(id) ?? [])
      .map((id) => `${publicUrl}/receipts/${id}`)
      .join(" "),
});

function partyColumns(
  side: "seller" | "buyer",
  wallet: (invoice: OrderInvoice) => OrderRow["buyerAddress"],
): TableColumns<OrderInvoice> {
  return {
    [`${side}_name`]: (invoice) => invoice[side]?.name ?? null,
    [`${side}_address`]: (invoice) => invoice[side]?.address_lines.join(", ") ?? null,
    [`${side}_country`]: (invoice) => invoice[side]?.country ?? null,
    [`${side}_tax_id`]: (invoice) => invoice[side]?.tax_id ?? null,
    [`${side}_wallet`]: (invoice) => getAddress(wallet(invoice)),
  };
}
