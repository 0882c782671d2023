import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { getAddress } from "viem";
import type { Chain } from "../../config/config.ts";
import { readIndexedBlocks, selectIndex } from "../../db/chain-index.ts";
import { chainWatch, indexAudit, relayer } from "../../db/schema.ts";
import type { Context } from "../context.ts";
import { chainIdField, orNull, shownAddress, timeField } from "../http/fields.ts";
import { answer } from "../http/openapi.ts";
import { logStateSchema, readLogState } from "../tlog/log-state.ts";
import type { App } from "../variables.ts";
import { answerOrNull } from "./served-chain.ts";

const indexStateField = z.enum(["ok", "behind", "off_chain", "incomplete"]).openapi("IndexState");

const statusSchema = z
  .object({
    chain_id: chainIdField.nullable(),
    network_name: z.string().nullable(),
    escrow_configured: z.boolean(),
    escrow_contract: shownAddress.nullable(),
    token_address: shownAddress.nullable(),
    token_symbol: z.string().nullable(),
    token_decimals: z.int().nullable(),
    confirmations_required: z.int().nullable(),
    min_acceptance_hours: z.int().nullable().openapi({
      description: "the shortest acceptance time, from the delivery record to the automatic release",
    }),
    erc8004: orNull(
      z
        .object({ identity_registry: shownAddress, reputation_registry: shownAddress })
        .openapi("Erc8004Registries"),
    ).openapi({ description: "the registries of agents' on-chain identities and of their feedback" }),
    passkey_factory: shownAddress.nullable().openapi({
      description: "the factory of passkey accounts; null if passkeys cannot sign in and pay on this chain",
    }),
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
    log: orNull(logStateSchema).openapi({
      description: "the log of receipts; null until a worker with a log key has run",
    }),
  })
  .openapi("ChainStatus");

/** Adds the route that describes the settlement chain and the state of this deployment. */
export function addChain(app: App, context: Context): void {
  const { db, config } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/chain/status",
      operationId: "readChainStatus",
      tags: ["chain"],
      summary: "Read the state of the chain and its index",
      description: "A value that cannot be determined now is null.",
      responses: { 200: answer("The status", statusSchema) },
    }),
    async (c) => {
      const chain = config.defaultChain;
      const client = chain && context.chain(chain.chain_id)?.client;
      const chainId = chain?.chain_id ?? 0;
      const [head, indexed, [wallet], [watch], log, [lacking]] = await Promise.all([
        client ? answerOrNull(client.getBlockNumber({ cacheTime: 0 })) : null,
        readIndexedBlocks(db).catch(() => new Map<number, { block: bigint }>()),
        db
          .select()
          .from(relayer)
          .where(eq(relayer.chainId, chainId))
          .catch(() => []),
        db
          .select({ state: chainWatch.indexState, reason: chainWatch.reason, fresh: isFresh })
          .from(chainWatch)
          .where(eq(chainWatch.chainId, chainId))
          .catch(() => []),
        readLogState(db).catch(() => null),
        db
          .select({ reason: indexAudit.reason })
          .from(indexAudit)
          .where(
            and(
              eq(indexAudit.chainId, chainId),
              eq(indexAudit.index, selectIndex()),
              isNotNull(indexAudit.reason),
            ),
          )
          .catch(() => []),
      ]);
      const indexedBlock = indexed.get(chainId)?.block;
      // An index that left the chain stays so, even if no worker has checked it recently.
      const watched = watch?.fresh || watch?.state === "off_chain" ? watch : null;
      const known =
        lacking && watched?.state !== "off_chain"
          ? { state: "incomplete" as const, reason: lacking.reason }
          : watched;
      return c.json(
        {
          chain_id: chain?.chain_id ?? null,
          network_name: chain?.network_name ?? null,
          escrow_configured: chain !== undefined,
          escrow_contract: chain?.escrow_contract ?? null,
          token_address: chain?.token.address ?? null,
          token_symbol: chain?.token.symbol ?? null,
          token_decimals: chain?.token.decimals ?? null,
          confirmations_required: chain?.confirmations ?? null,
          min_acceptance_hours: chain?.min_acceptance_hours ?? null,
          erc8004: chain?.erc8004 ?? null,
          passkey_factory: chain?.passkey_factory ?? null,
          rpc_reachable: head !== null,
          head_block: head === null ? null : Number(head),
          indexed_block: indexedBlock === undefined ? null : Number(indexedBlock),
          index_state: known?.state ?? null,
          index_reason: known?.reason ?? null,
          relayer: wallet && chain ? presentRelayer(wallet, chain) : null,
          log,
        },
        200,
      );
    },
  );
}

/** A worker checks the index every few seconds. */
const isFresh = sql<boolean>`${chainWatch.checkedAt} > now() - interval '2 minutes'`;

function presentRelayer(wallet: typeof relayer.$inferSelect, chain: Chain) {
  return {
    address: getAddress(wallet.address),
    funded: wallet.balance > 0n,
    balance_low: wallet.balance < chain.relayer_low_balance,
    waiting_for: wallet.waiting,
    waiting_since: wallet.waitingSince?.toISOString() ?? null,
  };
}
