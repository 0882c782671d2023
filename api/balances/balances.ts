import { createRoute, z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import type { Chain } from "../../config/config.ts";
import type { WalletRow } from "../../db/wallets.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { originOf } from "../http/client-address.ts";
import { chainIdField, shownAddress } from "../http/fields.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { createBalanceReader } from "./balance-reader.ts";
import { escrowBalanceSchema, readEscrowBalances } from "./escrow-balances.ts";
import type { NodeReading } from "./node-amounts.ts";
import {
  type DepositOrder,
  mostOrders,
  presentDeposit,
  readDays,
  readDepositOrders,
  waitingDepositSchema,
} from "./waiting-deposits.ts";
import {
  figuresOf,
  mostWallets,
  presentWallet,
  readOwnWallets,
  unknownField,
  walletBalanceSchema,
} from "./wallet-balances.ts";

const unknownDepositsSchema = z
  .object({ chain_id: chainIdField, token_address: shownAddress, unknown_reason: unknownField })
  .openapi("UnknownDeposits");
type UnknownDeposits = z.output<typeof unknownDepositsSchema>;

/** Adds the route of the money that an account has in its wallets, in escrow and at deposit addresses. */
export function addBalances(app: App, context: Context): void {
  const { db, config } = context;
  const readBalances = createBalanceReader(context);
  const isDefault = ({ chain_id }: Chain) => chain_id === config.defaultChain?.chain_id;
  const chains = config.chains.toSorted((one, other) => Number(isDefault(other)) - Number(isDefault(one)));

  app.openapi(
    createRoute({
      method: "get",
      path: "/balances",
      operationId: "readBalances",
      tags: ["payments"],
      summary: "Read the money in your wallets and in escrow",
      description: `The balances of the primary wallet and of the oldest other wallets, at most ${mostWallets}: an entry for each wallet, served chain and token of the chain. The default chain is the first. Balances come from the chain's node and are at most a second old. A chain that does not answer delays no other chain. The amounts in escrow follow the confirmed events of the chain. Deposits are those of your newest ${mostOrders} orders of ${readDays} days.`,
      ...accessRule(context, "subscriptions:read"),
      responses: {
        200: jsonResponse(
          "The balances",
          z
            .object({
              wallets: z.array(walletBalanceSchema),
              more_wallets: z.boolean().openapi({ description: "whether the account has further wallets" }),
              escrow: z.array(escrowBalanceSchema).openapi({
                description: "an entry for each token of each chain that has money of yours in escrow",
              }),
              deposits: z.array(waitingDepositSchema).openapi({
                description: "the money at deposit addresses of your purchases that waits to be returned",
              }),
              unknown_deposits: z.array(unknownDepositsSchema).openapi({
                description:
                  "the tokens whose deposits could not be read, with the reason as `unknown_reason` of a wallet",
              }),
            })
            .openapi("Balances"),
        ),
      },
    }),
    async (c) => {
      const { accountId } = callerOf(c);
      const requester = { accountId, ...originOf(c) };
      const [wallets, escrow, orders] = await Promise.all([
        readOwnWallets(db, accountId),
        readEscrowBalances(db, config, accountId),
        readDepositOrders(db, accountId, chains),
      ]);
      const found = await Promise.all(
        chains.map((chain) => readChain(chain, wallets.slice(0, mostWallets), orders, requester)),
      );
      return c.json(
        {
          // By wallet, then by chain.
          wallets: wallets.flatMap(({ id }) =>
            found.flatMap((chain) => chain.wallets.filter(({ wallet_id }) => wallet_id === id)),
          ),
          more_wallets: wallets.length > mostWallets,
          escrow,
          deposits: found.flatMap(({ deposits }) => deposits),
          unknown_deposits: found.flatMap(({ unknown }) => unknown),
        },
        200,
      );
    },
  );

  /** Reads and presents what an account has on a chain. */
  async function readChain(
    chain: Chain,
    wallets: readonly WalletRow[],
    orders: readonly DepositOrder[],
    requester: Parameters<typeof readBalances>[2],
  ) {
    const { chain_id } = chain;
    const ofChain = wallets.filter(({ chainId }) => chainId === null || chainId === chain_id);
    const held = orders.filter(({ row }) => row.chainId === chain_id);
    const figures = ofChain.map((row) => figuresOf(row, chain));
    const readings = await readBalances(
      chain_id,
      {
        wallets: figures.flat(),
        deposits: held.map(({ row }) => ({ kind: "balance", holder: row.depositAddress, token: row.token })),
      },
      requester,
    );
    // Each wallet has equally many figures.
    const ofWallets = figures.map(({ length }, at) => readings.wallets.slice(at * length, (at + 1) * length));
    return {
      wallets: ofChain.flatMap((row, at) => presentWallet(row, chain, ofWallets[at] ?? [])),
      deposits: held.flatMap((each, at) => {
        const reading = readings.deposits[at];
        return typeof reading === "bigint" ? presentDeposit(each, reading, chain) : [];
      }),
      unknown: presentUnknown(chain_id, held, readings.deposits),
    };
  }
}

/** Presents the tokens of which a deposit could not be read, each once. */
function presentUnknown(
  chain_id: number,
  held: readonly DepositOrder[],
  readings: readonly NodeReading[],
): UnknownDeposits[] {
  const reasons = new Map<string, UnknownDeposits>();
  for (const [at, { row }] of held.entries()) {
    const reading = readings[at];
    if (typeof reading === "bigint" || reading === undefined) continue;
    const token_address = getAddress(row.token);
    reasons.set(token_address, { chain_id, token_address, unknown_reason: reading });
  }
  return [...reasons.values()];
}
