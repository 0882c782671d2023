import { z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import { anchorEvent, readIndexedBlocks } from "../../db/chain-index.ts";
import { type AnchorRow, readAnchors, readPublishers } from "../../db/log-anchors.ts";
import { isConfirmed } from "../../protocol/facts/confirmations.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { afterPosition, type Ordering, orderBy, positionOf, readCursor } from "../http/list-order.ts";
import { limitField, pageQuery, takePage } from "../http/listing.ts";
import type { App } from "../variables.ts";

const query = z.strictObject({ limit: limitField(20), cursor: pageQuery.shape.cursor });

/** The order of anchors by their place on the chain, which all publishers share and which has an index. */
const newest: Ordering = {
  name: "anchors",
  direction: "desc",
  keys: [
    { by: anchorEvent.blockNumber, type: "number" },
    { by: anchorEvent.logIndex, type: "number" },
  ],
};

/** Adds the list of the log's trees that the service's wallets anchored on the chain, newest first, from the index. */
export function addLogAnchors(root: App, { db, config }: Context): void {
  root.get("/log/anchors", async (c) => {
    const { limit, cursor } = parseQuery(c.req.query());
    const after = cursor === undefined ? undefined : afterPosition(newest, readCursor(newest, cursor));
    const chain = config.defaultChain;
    const contract = chain?.anchors?.contract;
    if (!chain || !contract) return c.json({ items: [], next_cursor: null });
    const chainId = chain.chain_id;
    const [publishers, blocks] = await Promise.all([readPublishers(db, chainId), readIndexedBlocks(db)]);
    const slice = { position: positionOf(newest), after, order: orderBy(newest), limit: limit + 1 };
    const result = await Promise.all(
      publishers.map((publisher) => readAnchors(db, { chainId, contract, publisher }, slice)),
    );
    const { rows, next } = takePage(result.flat().sort(later), { limit, offset: 0 }, newest);
    // `confirmed` changes with each block.
    c.header("Cache-Control", "public, max-age=5");
    const head = blocks.get(chainId)?.block ?? 0n;
    const items = rows.map((row) => present(row, isConfirmed(row.blockNumber, head, chain)));
    return c.json({ items, next_cursor: next });
  });
}

function parseQuery(given: Record<string, string>): z.output<typeof query> {
  const parsed = query.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ApiError(
    "invalid_request",
    "The query is invalid. `details` lists the faults.",
    parsed.error.issues.map(({ path, code = "invalid", message }) => ({
      path: `/${path.join("/")}`,
      keyword: code,
      message,
    })),
  );
}

function later(a: AnchorRow, b: AnchorRow): number {
  return Number(b.blockNumber - a.blockNumber) || b.logIndex - a.logIndex;
}

/** Presents an anchor. `root` is the root hash of the checkpoint, which has it in base64. */
function present(row: AnchorRow, isConfirmed: boolean) {
  return {
    chain_id: row.chainId,
    contract: getAddress(row.contract),
    publisher: getAddress(row.publisher),
    // The sizes of our own trees are safe integers.
    size: Number(row.size),
    root: row.root,
    transaction_hash: row.transactionHash,
    block_number: Number(row.blockNumber),
    block_hash: row.blockHash,
    log_index: row.logIndex,
    anchored_at: new Date(Number(row.timestamp) * 1000).toISOString(),
    confirmed: isConfirmed,
  };
}
