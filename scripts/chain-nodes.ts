import { createPublicClient, http, type PublicClient } from "viem";

/** A node that a verifier asks, with its chain. */
export type ChainNode = { chainId: number; url: string; client: PublicClient };

/** Thrown for `--rpc` options that name no node of a known chain. */
export class NodeError extends Error {}

/** Thrown if a node does not tell its chain. */
export class NodeUnreachable extends Error {}

/**
 * Reads the options `--rpc [<chain id>=]<url>`: one node of each chain. A node without a chain id is asked for it.
 *
 * @throws NodeError; NodeUnreachable
 */
export async function readNodes(options: readonly string[]): Promise<ChainNode[]> {
  const nodes = await Promise.all(options.map(readNode));
  for (const [at, { chainId, url }] of nodes.entries()) {
    const first = nodes.findIndex((one) => one.chainId === chainId);
    if (first !== at)
      throw new NodeError(
        `--rpc: ${nodes[first]?.url} and ${url} are nodes of chain ${chainId}. Give one of them.`,
      );
  }
  return nodes;
}

async function readNode(option: string): Promise<ChainNode> {
  const [, id, url = ""] = /^(?:([1-9]\d{0,15})=)?(https?:\/\/.+)$/.exec(option) ?? [];
  if (!URL.canParse(url))
    throw new NodeError("--rpc must be an http(s) URL, or one after its chain, as in 8453=<url>.");
  const client = createPublicClient({ transport: http(url, { retryCount: 3, timeout: 20_000 }) });
  if (id) return { chainId: Number(id), url, client };
  const chainId = await client.getChainId().catch(() => {
    throw new NodeUnreachable(
      `The node ${url} does not answer, so its chain is not known. Write --rpc <chain id>=${url} to check the other chains meanwhile.`,
    );
  });
  return { chainId, url, client };
}

/**
 * Reads options `[<chain id>=]<block>`, the first block on each chain. The chain may be left out if there is one node.
 *
 * @throws NodeError
 */
export function readFirstBlocks(
  options: readonly string[],
  nodes: readonly Pick<ChainNode, "chainId">[],
): Map<number, bigint> {
  return new Map(
    options.map((option) => {
      const [, id, block] = /^(?:([1-9]\d{0,15})=)?(\d{1,12})$/.exec(option) ?? [];
      if (block === undefined)
        throw new NodeError("--from-block must be a whole number, or <chain id>=<block>.");
      const [only, ...others] = nodes;
      if (!id && (!only || others.length > 0))
        throw new NodeError(`--from-block: name the chain of the block, as in 8453=${block}.`);
      return [id ? Number(id) : (only?.chainId ?? 0), BigInt(block)];
    }),
  );
}
