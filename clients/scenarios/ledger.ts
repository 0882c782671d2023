import { type Address, createPublicClient, erc20Abi, getAddress, type Hex, http, isAddressEqual } from "viem";
import { z } from "zod";
import { escrowAbi } from "../../abis/escrow.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import type { End } from "./scenario.ts";
import type { StageToken } from "./tokens.ts";

/** A wallet with a key of its account. */
export const partySchema = z.strictObject({
  address: z.string().transform((text) => getAddress(text)),
  token: z.string(),
});
export type LedgerParty = z.infer<typeof partySchema>;

/** A token with the buyer's initial balance at a block. */
export type Account = StageToken & { minted: bigint; since: bigint };

/** The service, and the tokens of the buyer. */
export type Ledger = { url: string; accounts: Account[] };

/** The decimals in which amounts of several tokens are added: all tokens of a scenario are of the same currency. */
const mostDecimals = 18;
const scale = (units: bigint, decimals: number) => units * 10n ** BigInt(mostDecimals - decimals);

const ordersSchema = z.object({
  total: z.number(),
  items: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      total_amount_base_units: z.string(),
      currency: z.string(),
      escrow: z.object({ chain_id: z.number(), escrow_id: z.string(), deposit_address: z.string() }),
    }),
  ),
});
const paymentSchema = z.object({
  payment: z.object({ status: z.string(), transaction_hash: z.string().nullable() }).nullable(),
});
const recordsSchema = z.object({ items: z.array(z.object({ order_id: z.string() })) });

type Order = z.infer<typeof ordersSchema>["items"][number];

/**
 * Audits the orders and balances of a buyer and a provider, with the service and the chain.
 *
 * @returns a sentence for each difference from the scenario
 */
export async function auditLedger(
  books: Ledger,
  parties: { buyer: LedgerParty; provider: LedgerParty },
  end: End,
): Promise<string[]> {
  const { buyer } = parties;
  const wrong: string[] = [];
  const compare = (what: string, expected: unknown, found: unknown) => {
    const [wanted, got] = [show(expected), show(found)];
    if (wanted !== got) wrong.push(`${what}: ${got}, expected ${wanted}`);
  };
  const accounts = await Promise.all(books.accounts.map((account) => readAccount(account, parties)));
  const spent = accounts.flatMap((account) => account.spent);
  // Two tokens of one chain have the same escrows.
  const made = [
    ...new Map(accounts.flatMap((account) => account.made).map((one) => [one.escrowId, one])).values(),
  ];
  const { items: orders, total } = await ask(books.url, "/orders?limit=100", buyer.token, ordersSchema);
  compare("all orders on one page", total, orders.length);
  compare("the orders' statuses", sortKeys(end.orders), countBy(orders));
  const paid = orders.filter(({ status }) => status !== "created");

  compare("payments of the buyer's wallet", end.payments, spent.length);
  for (const order of paid) {
    const { escrow_id: id, deposit_address: deposit } = order.escrow;
    const amount = BigInt(order.total_amount_base_units);
    const payments = spent.filter(
      ({ to, escrowId }) => isAddressEqual(to, deposit as Address) || escrowId === id,
    );
    compare(
      `${order.id}: payments into its escrow`,
      [amount],
      payments.map(({ value }) => value),
    );
    compare(`${order.id}: its escrow was made`, 1, made.filter(({ escrowId }) => escrowId === id).length);
    const ends = accountOf(order).ended.filter(({ escrowId }) => escrowId === id);
    const ending = { released: "Released", refunded: "Refunded" }[order.status];
    compare(
      `${order.id}: its escrow's end`,
      ending ? [[ending, amount]] : [],
      ends.map((one) => [one.event, one.amount]),
    );
    const { payment } = await ask(books.url, `/orders/${order.id}/payment`, buyer.token, paymentSchema);
    compare(
      `${order.id}: its payment`,
      ["confirmed", payments[0]?.transaction],
      [payment?.status, payment?.transaction_hash],
    );
  }
  compare("escrows of the buyer", paid.length, made.length);
  const funded = await ask(
    books.url,
    "/payments?claim=funded&role=buyer&limit=100",
    buyer.token,
    recordsSchema,
  );
  compare(
    "payments by the service",
    paid.map(({ id }) => id).sort(),
    funded.items.map((one) => one.order_id).sort(),
  );

  const heldIn = (account: ReadAccount) =>
    sum(
      paid
        .filter((order) => isOpen(order) && accountOf(order) === account)
        .map((order) => BigInt(order.total_amount_base_units)),
    );
  const allOf = (unitsOf: (account: ReadAccount) => bigint) =>
    format(sum(accounts.map((account) => scale(unitsOf(account), account.decimals))), mostDecimals);
  compare("what escrows hold", end.held, allOf(heldIn));
  compare(
    "what the provider has",
    end.earned,
    allOf(({ balances }) => balances.provider),
  );
  // Every minted unit is in one of the accounts.
  for (const account of accounts) {
    const { symbol, minted, balances } = account;
    compare(`the buyer's rest of ${symbol}`, minted - balances.provider - heldIn(account), balances.buyer);
  }
  return wrong;

  function accountOf({ currency, escrow }: Order): ReadAccount {
    const found = accounts.find(({ symbol, chainId }) => symbol === currency && chainId === escrow.chain_id);
    if (!found) throw new Error(`An order is in ${currency} on chain ${escrow.chain_id}.`);
    return found;
  }
}

type ReadAccount = Awaited<ReturnType<typeof readAccount>>;

const isOpen = ({ status }: Order) => !["created", "released", "refunded"].includes(status);

/** Reads all transfers of a token between the parties and the escrow contract. */
async function readAccount(account: Account, parties: { buyer: LedgerParty; provider: LedgerParty }) {
  const { address: token, contract } = account;
  const node = createPublicClient({ transport: http(account.rpcUrl) });
  const within = { fromBlock: account.since, toBlock: "latest" } as const;
  const transfers = await node.getContractEvents({
    ...within,
    address: token,
    abi: erc20Abi,
    eventName: "Transfer",
    args: { from: parties.buyer.address },
    strict: true,
  });
  const events = await node.getContractEvents({
    ...within,
    address: contract,
    abi: escrowAbi,
    strict: true,
  });
  const made: { escrowId: Hex; buyer: Address; transaction: Hex; logIndex: number }[] = [];
  const ended: { event: string; escrowId: Hex; amount: bigint }[] = [];
  for (const { eventName, args, transactionHash: transaction, logIndex } of events) {
    if (eventName === "EscrowCreated")
      made.push({ escrowId: args.escrowId, buyer: args.terms.buyer, transaction, logIndex });
    if (eventName === "Released" || eventName === "Refunded") {
      ended.push({ event: eventName, escrowId: args.escrowId, amount: args.amount });
    }
  }
  // A relayer may create several escrows in one transaction. A transfer to the contract belongs to the newest escrow.
  const spent = transfers.map(({ args, transactionHash, logIndex }) => {
    const isDirect = isAddressEqual(args.to, contract);
    const before = made.filter((one) => one.transaction === transactionHash && one.logIndex < logIndex);
    return {
      ...args,
      transaction: transactionHash,
      escrowId: isDirect ? before.at(-1)?.escrowId : undefined,
    };
  });
  const balanceOf = ({ address }: LedgerParty) =>
    node.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [address] });
  return {
    ...account,
    spent,
    made: made.filter(({ buyer }) => isAddressEqual(buyer, parties.buyer.address)),
    ended,
    balances: { buyer: await balanceOf(parties.buyer), provider: await balanceOf(parties.provider) },
  };
}

async function ask<T>(url: string, path: string, token: string, schema: z.ZodType<T>): Promise<T> {
  const answer = await fetch(`${url}${apiPath}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
  return schema.parse(await answer.json());
}

/** Writes an amount with two decimals, as in scenarios. */
function format(units: bigint, decimals: number): string {
  return formatAmount(units, decimals).replace(/(\.\d\d)0*$/, "$1");
}

function countBy(orders: Order[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of orders) counts[status] = (counts[status] ?? 0) + 1;
  return sortKeys(counts);
}

function sortKeys(counts: Record<string, number | undefined>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts)
      .flatMap(([key, value]) => (value ? [[key, value]] : []))
      .sort(),
  );
}

const sum = (values: bigint[]) => values.reduce((all, one) => all + one, 0n);

function show(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === "bigint" ? String(one) : one)) ?? "nothing";
}
