import { type Address, getAddress } from "viem";
import { and, asc, eq, gte, inArray, isNull, lt, or, type SQL, sql } from "../../db/drizzle.ts";
import { accountSettlement, fact, invoice, order, receipt } from "../../db/schema.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { splitTax } from "../../trade/invoices/included-tax.ts";
import type { Context } from "../context.ts";
import type { Caller } from "../http/caller.ts";
import { afterCursor, type Ordering, positionOf } from "../http/list-order.ts";
import { type PageQuery, takePage } from "../http/listing.ts";
import { exportBatch, type ReadBatch } from "../http/table-export.ts";

/** `sold`: the seller, which is you, was paid. `bought`: you paid the seller. `returned`: the escrow paid you back. */
type Side = "sold" | "bought" | "returned";

/** A row of a statement: the settlement of one order, or a sum of the rows above it. */
export type StatementRow = {
  row: "settlement" | "sum";
  side: Side;
  /** of a sum: the number of its rows */
  settlements: number;
  recordedAt: Date | null;
  settledAt: Date | null;
  orderReference: string;
  orderId: string;
  serviceTitle: string;
  agentName: string;
  counterparty: Address | null;
  invoiceNumber: number | null;
  isTaxed: boolean;
  amount: bigint;
  tax: bigint;
  chainId: number;
  token: Address;
  tokenSymbol: string;
  tokenDecimals: number;
  transaction: string;
  receiptId: string;
};

/** The rate that an issued invoice states; null without an invoice or a rate. */
const taxRateOf = sql<string | null>`${invoice.seller} ->> 'tax_rate'`;

/** Oldest first, in the order of `account_settlement_list`. */
const ordering: Ordering = {
  name: "oldest",
  direction: "asc",
  keys: [
    { by: accountSettlement.createdAt, type: "time" },
    { by: accountSettlement.receiptId, type: "id" },
  ],
};

/** The first moments of a month and of the next one, in UTC. */
export function boundsOf(month: string): { since: Date; until: Date } {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return { since: new Date(Date.UTC(year, number - 1)), until: new Date(Date.UTC(year, number)) };
}

/** Reads the settlements of a month that an account sold or bought, oldest first, and then their sums. */
export function readStatement({ db }: Context, caller: Caller, month: string): ReadBatch<StatementRow> {
  const sums = new Map<string, StatementRow>();
  return async (cursor) => {
    const query: PageQuery = { limit: exportBatch, offset: 0, cursor };
    const found = await db
      .select({
        settlement: accountSettlement,
        fact: { data: fact.data, occurredAt: fact.occurredAt, transactionHash: fact.transactionHash },
        order: {
          id: order.id,
          reference: order.reference,
          serviceTitle: order.serviceTitle,
          agentName: order.agentName,
          buyerAddress: order.buyerAddress,
          providerAddress: order.providerAddress,
          chainId: order.chainId,
          token: order.token,
          tokenSymbol: order.tokenSymbol,
          tokenDecimals: order.tokenDecimals,
        },
        invoice: { number: invoice.number, taxRate: taxRateOf },
        position: positionOf(ordering),
      })
      .from(accountSettlement)
      .innerJoin(receipt, eq(receipt.id, accountSettlement.receiptId))
      .innerJoin(fact, eq(fact.id, receipt.factId))
      .innerJoin(order, eq(order.id, receipt.orderId))
      .leftJoin(invoice, and(eq(invoice.orderId, receipt.orderId), eq(invoice.factId, receipt.factId)))
      .where(and(settledIn(caller, month), isNull(receipt.revokedAt), afterCursor(ordering, query)))
      .orderBy(asc(accountSettlement.createdAt), asc(accountSettlement.receiptId))
      .limit(exportBatch + 1);
    const { rows, next } = takePage(found, query, ordering);
    const settlements = rows.map(present);
    for (const row of settlements) addTo(sums, row);
    return { rows: next === null ? [...settlements, ...sums.values()] : settlements, next };
  };
}

/** A buyer's payment into the escrow is no settlement. To a provider, a refund of the buyer is none. */
function settledIn({ accountId }: Caller, month: string): SQL | undefined {
  const { since, until } = boundsOf(month);
  const { role, claim, createdAt } = accountSettlement;
  return and(
    eq(accountSettlement.accountId, accountId),
    gte(createdAt, since),
    lt(createdAt, until),
    or(
      and(eq(role, "provider"), eq(claim, "released")),
      and(eq(role, "buyer"), inArray(claim, ["released", "refunded"])),
    ),
  );
}

type Found = {
  settlement: typeof accountSettlement.$inferSelect;
  fact: Pick<typeof fact.$inferSelect, "data" | "occurredAt" | "transactionHash">;
  order: Pick<
    typeof order.$inferSelect,
    | "id"
    | "reference"
    | "serviceTitle"
    | "agentName"
    | "buyerAddress"
    | "providerAddress"
    | "chainId"
    | "token"
    | "tokenSymbol"
    | "tokenDecimals"
  >;
  invoice: { number: number | null; taxRate: string | null } | null;
};

function present({ settlement, fact: step, order: of, invoice: issued }: Found): StatementRow {
  const { role, claim } = settlement;
  const amount = BigInt(String(step.data.amount_base_units));
  const rate = claim === "released" ? (issued?.taxRate ?? null) : null;
  return {
    row: "settlement",
    side: role === "provider" ? "sold" : claim === "released" ? "bought" : "returned",
    settlements: 1,
    recordedAt: settlement.createdAt,
    settledAt: step.occurredAt,
    orderReference: of.reference,
    orderId: of.id,
    serviceTitle: of.serviceTitle,
    agentName: of.agentName,
    counterparty: getAddress(role === "buyer" ? of.providerAddress : of.buyerAddress),
    invoiceNumber: issued?.number ?? null,
    isTaxed: rate !== null,
    amount,
    tax: rate === null ? 0n : splitTax(amount, rate).tax,
    chainId: of.chainId,
    token: getAddress(of.token),
    tokenSymbol: of.tokenSymbol,
    tokenDecimals: of.tokenDecimals,
    transaction: step.transactionHash ?? "",
    receiptId: settlement.receiptId,
  };
}

/** Adds a settlement to the sum of its side, chain and token. */
function addTo(sums: Map<string, StatementRow>, row: StatementRow): void {
  const key = [row.side, row.chainId, row.token, row.tokenSymbol, row.tokenDecimals].join(" ");
  const sum = sums.get(key) ?? {
    ...row,
    row: "sum" as const,
    settlements: 0,
    amount: 0n,
    tax: 0n,
    isTaxed: false,
    recordedAt: null,
    settledAt: null,
    counterparty: null,
    invoiceNumber: null,
    orderReference: "",
    orderId: "",
    serviceTitle: "",
    agentName: "",
    transaction: "",
    receiptId: "",
  };
  sums.set(key, {
    ...sum,
    settlements: sum.settlements + 1,
    amount: sum.amount + row.amount,
    tax: sum.tax + row.tax,
    isTaxed: sum.isTaxed || row.isTaxed,
  });
}

/** The amounts of a row as exact decimals. The tax is null if no invoice states one. */
export function amountsOf({ amount, tax, isTaxed, tokenDecimals }: StatementRow) {
  return {
    amount: formatAmount(amount, tokenDecimals),
    tax: isTaxed ? formatAmount(tax, tokenDecimals) : null,
  };
}
