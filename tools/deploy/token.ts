import {
  type Address,
  BaseError,
  CallExecutionError,
  domainSeparator,
  type Hex,
  type PublicClient,
  parseAbi,
  RpcRequestError,
} from "viem";
import { ConfigError, type DeploymentManifest } from "../../config/config.ts";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { findNetwork } from "../../protocol/settlement/networks.ts";

const tokenAbi = parseAbi([
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
  "function name() view returns (string)",
  "function version() view returns (string)",
  "function eip712Domain() view returns (bytes1, string, string, uint256, address, bytes32, uint256[])",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
]);

type Erc5267Domain = readonly [
  fields: Hex,
  name: string,
  version: string,
  chainId: bigint,
  contract: Address,
  ...unknown[],
];

/** A token as a manifest has it, with the EIP-712 domain that its holders' signatures are made for. */
export type DescribedToken = { token: DeploymentManifest["token"]; separator: Hex };

/**
 * Reads a token's description. The name and version of its EIP-712 domain come from ERC-5267, or else from USDC's functions.
 *
 * @throws ConfigError if there is no such token, the node does not answer, its DOMAIN_SEPARATOR() does not match, or it
 *   differs from the known token of the chain
 */
export async function describeToken(reader: PublicClient, address: Address): Promise<DescribedToken> {
  const fail = (what: string) => (error: unknown) => {
    throw new ConfigError(
      `The node could not say what ${what} of the token ${address} is: ${wordsOf(error)}\nSee that it answers, then try again. If it says the same again, name another node.`,
    );
  };
  if (!(await reader.getCode({ address }).catch(fail("the code")))) {
    throw new ConfigError(
      `There is no contract at ${address} on this chain: name the token's address there.`,
    );
  }
  /** Null where the contract has no such answer. */
  const ask = async (functionName: (typeof tokenAbi)[number]["name"]): Promise<unknown> =>
    reader
      .readContract({ address, abi: tokenAbi, functionName })
      .catch((error) => (isSilence(error) ? null : fail(`${functionName}()`)(error)));
  const [symbol, decimals, ownName, ownVersion, domain, ownSeparator] = (await Promise.all([
    ask("symbol"),
    ask("decimals"),
    ask("name"),
    ask("version"),
    ask("eip712Domain"),
    ask("DOMAIN_SEPARATOR"),
  ])) as [string | null, number | null, string | null, string | null, Erc5267Domain | null, Hex | null];
  const name = domain?.[1] ?? ownName;
  const version = domain?.[2] ?? ownVersion ?? "1";
  const separator =
    ownSeparator ??
    (domain &&
      domainSeparator({
        domain: { name: domain[1], version: domain[2], chainId: domain[3], verifyingContract: domain[4] },
      }));
  if (symbol === null || decimals === null || name === null || separator === null) {
    const silent = Object.entries({ symbol, decimals, name, DOMAIN_SEPARATOR: separator })
      .filter(([, answer]) => answer === null)
      .map(([method]) => `${method}()`);
    throw new ConfigError(
      `The contract at ${address} does not answer ${silent.join(", ")}: it is no token with EIP-3009, by whose signatures orders are paid on the x402 rail. Name another one.`,
    );
  }

  const chainId = await reader.getChainId().catch(fail("the chain"));
  const token = { address, symbol, decimals, name, version };
  const expected = findNetwork(chainId)?.token;
  if (expected?.address === address) {
    const differing = Object.entries(expected).filter(
      ([key, value]) => token[key as keyof typeof token] !== value,
    );
    if (differing.length > 0) {
      throw new ConfigError(
        `The token ${address} on chain ${chainId} is not as it is known there:\n${differing
          .map(
            ([key, value]) =>
              `  ${key} is ${JSON.stringify(token[key as keyof typeof token])}, known as ${JSON.stringify(value)}`,
          )
          .join(
            "\n",
          )}\nSee that the node serves the chain it says it does; protocol/settlement/networks.ts has what is known.`,
      );
    }
  }
  const computed = domainSeparator({ domain: { name, version, chainId, verifyingContract: address } });
  if (computed !== separator) {
    throw new ConfigError(
      `The token ${address} signs for another EIP-712 domain than it says: its DOMAIN_SEPARATOR() is ${separator}, but name "${name}", version "${version}", chain ${chainId} and that address make ${computed}. Payments that buyers sign would be refused by it; name another token.`,
    );
  }
  return { token, separator };
}

/** Whether a contract was asked and has no such function: it reverted, or answered nothing, or what is of another type. */
function isSilence(error: unknown): boolean {
  const isNodes =
    error instanceof BaseError && error.walk((one) => one instanceof CallExecutionError) !== null;
  return isNodes ? isContractAnswer(error) : error instanceof BaseError;
}

/** Returns the node's error without its URL, which often has a key. */
function wordsOf(error: unknown): string {
  if (!(error instanceof BaseError)) return (error as Error).message;
  // viem's words for an internal error are those for a revert; the node's lie beneath.
  const said = error.walk((one) => one instanceof RpcRequestError) as BaseError | null;
  const { shortMessage, details } = said ?? error;
  return [shortMessage, details].filter(Boolean).join(" ");
}
