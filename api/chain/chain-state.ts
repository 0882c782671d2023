import { z } from "@hono/zod-openapi";
import type { Chain } from "../../config/config.ts";
import { readIndexedBlocks } from "../../db/chain-index.ts";
import type { Context } from "../context.ts";
import { orNull, shownAddress, timeField } from "../http/fields.ts";
import { readChainHead } from "./chain-head.ts";
import {
  indexStateField,
  indexStateOf,
  readIncompleteIndexes,
  readIndexes,
  readRelayers,
} from "./watched-chains.ts";

/** The members that describe the state of a chain and of its index. */
export const chainStateShape = {
  rpc_reachable: z.boolean(),
  head_block: z.int().nullable(),
  indexed_block: z.int().nullable(),
  index_state: orNull(indexStateField).openapi({
    description:
      "`behind`: the index does not keep up with the chain. `off_chain`: a reorganisation removed blocks that the index treated as final, and the operator must act. `incomplete`: events of the index differ from those of the chain, and a new index is needed. null if no worker has checked recently",
  }),
  index_reason: z.string().nullable().openapi({ description: "why the state is not `ok`" }),
  relayer: orNull(
    z
      .object({
        address: shownAddress,
        funded: z.boolean().openapi({ description: "whether the wallet has any balance for gas" }),
        balance_low: z.boolean().openapi({ description: "whether the operator must add native coin" }),
        waiting_for: orNull(z.enum(["balance", "gas_price"]).openapi("RelayerNeed")).openapi({
          description:
            "why queued transactions are not sent: the balance is too low, or the gas price is above the operator's limit",
        }),
        waiting_since: timeField.nullable(),
      })
      .openapi("RelayerState"),
  ).openapi({ description: "null until a worker with a relayer's key has run" }),
};

/**
 * Reads the state of chains. A value that cannot be determined now is null.
 *
 * @returns the states in the order of the chains
 */
export async function readChainStates(
  { db, chain: serve }: Pick<Context, "db" | "chain">,
  chains: readonly Chain[],
) {
  const chainIds = chains.map(({ chain_id }) => chain_id);
  const [heads, indexed, wallets, watches, lacking] = await Promise.all([
    Promise.all(
      chains.map(({ chain_id }) => {
        const client = serve(chain_id)?.client;
        return client ? readChainHead(client) : null;
      }),
    ),
    readIndexedBlocks(db).catch(() => new Map<number, { block: bigint }>()),
    readRelayers(db, chainIds).catch(() => []),
    readIndexes(db, chainIds).catch(() => []),
    readIncompleteIndexes(db).catch(() => []),
  ]);
  return chains.map((chain, at) => {
    const isOfChain = ({ chainId }: { chainId: number }) => chainId === chain.chain_id;
    const head = heads[at] ?? null;
    const indexedBlock = indexed.get(chain.chain_id)?.block;
    const watch = watches.find(isOfChain);
    // An index that left the chain stays so, even if no worker has checked it recently.
    const watched = watch?.isFresh || watch?.indexState === "off_chain" ? watch : null;
    const known = indexStateOf(watched, lacking.find(isOfChain));
    const wallet = wallets.find(isOfChain);
    return {
      rpc_reachable: head !== null,
      head_block: head === null ? null : Number(head),
      indexed_block: indexedBlock === undefined ? null : Number(indexedBlock),
      index_state: known?.indexState ?? null,
      index_reason: known?.reason ?? null,
      relayer: wallet ? presentRelayer(wallet, chain) : null,
    };
  });
}

/** The state of a chain that is not configured. */
export const noState = {
  rpc_reachable: false,
  head_block: null,
  indexed_block: null,
  index_state: null,
  index_reason: null,
  relayer: null,
};

function presentRelayer(wallet: Awaited<ReturnType<typeof readRelayers>>[number], chain: Chain) {
  return {
    address: wallet.address,
    funded: wallet.balance > 0n,
    balance_low: wallet.balance < chain.relayer_low_balance,
    waiting_for: wallet.waiting,
    waiting_since: wallet.waitingSince?.toISOString() ?? null,
  };
}
