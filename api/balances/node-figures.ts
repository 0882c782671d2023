import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBigInt,
  multicall3Abi,
  type PublicClient,
  parseAbi,
  size,
  slice,
} from "viem";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { multicall3Address } from "../../protocol/settlement/x402.ts";

/** The reasons for which a figure is not known. */
export const unknownReasons = ["busy", "slow", "unreachable", "refused"] as const;
export type UnknownReason = (typeof unknownReasons)[number];

/** An amount of an address: its native coin, its balance of a token, or what the escrow contract owes it in a token. */
export type Figure =
  | { kind: "native"; holder: Address }
  | { kind: "balance" | "owed"; holder: Address; token: Address };

/** Base units, or why they are not known. */
export type Reading = bigint | UnknownReason;

/** The most calls that one request to a node makes, so that it stays below nodes' limits of gas and size. */
const mostCalls = 400;
/** Milliseconds after which a chain without Multicall3 is checked again. */
const checkAgainAfter = 600_000;

const abi = parseAbi([
  "function balanceOf(address account) view returns (uint256)",
  "function owed(address payee, address token) view returns (uint256)",
  "function getEthBalance(address account) view returns (uint256)",
]);

/**
 * Returns the reader of a chain's figures. Multicall3 reads them in one call where the chain has it. Other
 * figures are read by a call each, in one JSON-RPC batch. So a token that fails or burns its gas spoils no figure of another
 * token.
 *
 * @param batching a client that sends its requests in batches
 */
export function createFigureReader(escrowContract: Address, batching: PublicClient) {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let isDeployed = false;

  /** @throws the node's error if it does not answer at all */
  return async (figures: readonly Figure[]): Promise<Reading[]> => {
    if (figures.length === 0) return [];
    const found = (await hasMulticall()) ? await readTogether(figures) : figures.map(() => null);
    return Promise.all(figures.map(async (figure, at) => found[at] ?? (await readAlone(figure))));
  };

  async function hasMulticall(): Promise<boolean> {
    if (!isDeployed && Date.now() - checkedAt >= checkAgainAfter) {
      isDeployed = (await batching.getCode({ address: multicall3Address })) !== undefined;
      checkedAt = Date.now();
    }
    return isDeployed;
  }

  /** Reads figures through Multicall3. A figure is null if its call fails. */
  async function readTogether(figures: readonly Figure[]): Promise<(bigint | null)[]> {
    const pages = Array.from({ length: Math.ceil(figures.length / mostCalls) }, (_, page) =>
      figures.slice(page * mostCalls, (page + 1) * mostCalls),
    );
    const results = await Promise.all(
      pages.map(async (page) => {
        const calls = page.map((figure) => {
          const { to, data } = callOf(figure);
          return { target: to, allowFailure: true, callData: data };
        });
        try {
          const answers = await batching.readContract({
            ...{ abi: multicall3Abi, address: multicall3Address, functionName: "aggregate3" },
            args: [calls],
          });
          return answers.map(({ success, returnData }) => (success ? amountOf(returnData) : null));
        } catch (error) {
          // A reorganisation may have removed Multicall3, and a token may burn the gas of the whole call.
          if (isContractAnswer(error)) return page.map(() => null);
          throw error;
        }
      }),
    );
    return results.flat();
  }

  async function readAlone(figure: Figure): Promise<Reading> {
    try {
      if (figure.kind === "native") return await batching.getBalance({ address: figure.holder });
      return amountOf((await batching.call(callOf(figure))).data) ?? "refused";
    } catch (error) {
      return isContractAnswer(error) ? "refused" : "unreachable";
    }
  }

  function callOf(figure: Figure): { to: Address; data: Hex } {
    const holder = getAddress(figure.holder);
    switch (figure.kind) {
      case "native":
        return {
          to: multicall3Address,
          data: encodeFunctionData({ abi, functionName: "getEthBalance", args: [holder] }),
        };
      case "balance":
        return {
          to: getAddress(figure.token),
          data: encodeFunctionData({ abi, functionName: "balanceOf", args: [holder] }),
        };
      case "owed":
        return {
          to: escrowContract,
          data: encodeFunctionData({ abi, functionName: "owed", args: [holder, getAddress(figure.token)] }),
        };
    }
  }
}

/** Returns the first word of an answer; null for an answer without one. */
function amountOf(data: Hex | undefined): bigint | null {
  return data !== undefined && size(data) >= 32 ? hexToBigInt(slice(data, 0, 32)) : null;
}
