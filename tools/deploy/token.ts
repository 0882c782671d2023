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

/** A token of a manifest, with the EIP-712 domain of its holders' signatures. */
export type DescribedToken = { token: Omit<DeploymentManifest["token"], "currency">; separator: Hex };

/**
 * Reads a token's description. The name and version of its EIP-712 domain come from ERC-5267, or else from USDC's functions.
 *
 * @throws ConfigError if there is no such token, the node does not respond, the token's DOMAIN_SEPARATOR() does not match,
 *   or the token differs from the chain's known token
 */
export async function describeToken(reader: PublicClient, address: Address): Promise<DescribedToken> {
  const fail = (what: string) => (error: unknown) => {
    throw new ConfigError(
      `The node could not read ${what} of the token ${address}: ${wordsOf(error)}\nCheck that the node responds, then try again. If the error stays, use another node.`,
    );
  };
  if (!(await reader.getCode({ address }).catch(fail("the code")))) {
    throw new ConfigError(
      `There is no contract at ${address} on this chain: name the token's address there.`,
    );
  }
  /** Calls a function of the token. Returns null if the contract lacks it. */
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
      `The contract at ${address} does not answer ${silent.join(", ")}: it is no token with EIP-3009, which the x402 rail needs. Name another token.`,
    );
  }

  const chainId = await reader.getChainId().catch(fail("the chain"));
  const token = { address, symbol, decimals, name, version };
  const { currency: _, ...expected } = findNetwork(chainId)?.token ?? {};
  if ("address" in expected && expected.address === address) {
    const differing = Object.entries(expected).filter(
      ([key, value]) => token[key as keyof typeof token] !== value,
    );
    if (differing.length > 0) {
      throw new ConfigError(
        `The token ${address} on chain ${chainId} differs from the known token of that chain:\n${differing
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
      `The token ${address} has an inconsistent EIP-712 domain: its DOMAIN_SEPARATOR() is ${separator}, but name "${name}", version "${version}", chain ${chainId} and that address make ${computed}. It would refuse the buyers' signed payments: name another token.`,
    );
  }
  return { token, separator };
}

/** Tells whether an error means that the contract lacks the function: a revert, an empty result or a result of another type. */
function isSilence(error: unknown): boolean {
  const isNodes =
    error instanceof BaseError && error.walk((one) => one instanceof CallExecutionError) !== null;
  return isNodes ? isContractAnswer(error) : error instanceof BaseError;
}

/** Returns the node's error without its URL, which often has a key. */
function wordsOf(error: unknown): string {
  if (!(error instanceof BaseError)) return (error as Error).message;
  // viem words an internal error as a revert. Its cause has the node's own message.
  const rpcError = error.walk((one) => one instanceof RpcRequestError) as BaseError | null;
  const { shortMessage, details } = rpcError ?? error;
  return [shortMessage, details].filter(Boolean).join(" ");
}
