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
import { z } from "zod";
import { ConfigError, type DeploymentManifest } from "../../config/config.ts";
import { tokenShape } from "../../config/payment-tokens.ts";
import { hasAuthorizations } from "../../protocol/settlement/authorizations.ts";
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

/** A token of a manifest. */
export type TokenEntry = Omit<DeploymentManifest["token"], "currency">;

/** A token as its contract describes it. */
export type DescribedToken = {
  token: TokenEntry;
  /** whether the token has signed authorizations (EIP-3009); else Permit2 and `approve` pay */
  authorizes: boolean;
  /** its DOMAIN_SEPARATOR(), if that is the one of its name and version; else null */
  separator: Hex | null;
};

/**
 * Reads a token's description. The name and version of its EIP-712 domain come from ERC-5267, or else from USDC's functions.
 * A token without a domain, such as USDT, gets its own name and version "1", which nothing signs.
 *
 * @throws ConfigError if there is no such token, the node does not respond, the token has EIP-3009 and another domain, or the
 *   token differs from the chain's known token
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
  const [symbol, decimals, ownName, ownVersion, domain, ownSeparator, authorizes, chainId] =
    (await Promise.all([
      ask("symbol"),
      ask("decimals"),
      ask("name"),
      ask("version"),
      ask("eip712Domain"),
      ask("DOMAIN_SEPARATOR"),
      hasAuthorizations(reader, address).catch(fail("authorizationState()")),
      reader.getChainId().catch(fail("the chain")),
    ])) as [
      string | null,
      number | null,
      string | null,
      string | null,
      Erc5267Domain | null,
      Hex | null,
      boolean,
      number,
    ];
  const name = domain?.[1] ?? ownName;
  const version = domain?.[2] ?? ownVersion ?? "1";
  if (symbol === null || decimals === null || name === null) {
    const silent = Object.entries({ symbol, decimals, name })
      .filter(([, answer]) => answer === null)
      .map(([method]) => `${method}()`);
    throw new ConfigError(
      `The contract at ${address} does not answer ${silent.join(", ")}: it is no ERC-20 token that prices can name. Name another token.`,
    );
  }
  const token = { address, symbol, decimals, name, version };
  const parsed = tokenShape.safeParse(token);
  if (!parsed.success) {
    throw new ConfigError(
      `The token ${address} cannot be named in a manifest:\n${z.prettifyError(parsed.error)}\nName another token.`,
    );
  }
  requireKnown(token, chainId);

  const separator =
    ownSeparator ??
    (domain &&
      domainSeparator({
        domain: { name: domain[1], version: domain[2], chainId: domain[3], verifyingContract: domain[4] },
      }));
  const computed = domainSeparator({ domain: { name, version, chainId, verifyingContract: address } });
  if (authorizes && computed !== separator) {
    throw new ConfigError(
      `The token ${address} has EIP-3009 with an inconsistent EIP-712 domain: its DOMAIN_SEPARATOR() is ${separator ?? "missing"}, but name "${name}", version "${version}", chain ${chainId} and that address make ${computed}. It would refuse the buyers' signed payments: name another token.`,
    );
  }
  return { token, authorizes, separator: computed === separator ? separator : null };
}

/** @throws ConfigError if a token differs from the chain's known token of that address */
function requireKnown(token: TokenEntry, chainId: number): void {
  const { currency: _, ...known } = findNetwork(chainId)?.token ?? {};
  if (!("address" in known) || known.address !== token.address) return;
  const differing = Object.entries(known).filter(([key, value]) => token[key as keyof TokenEntry] !== value);
  if (differing.length === 0) return;
  const lines = differing.map(
    ([key, value]) =>
      `  ${key} is ${JSON.stringify(token[key as keyof TokenEntry])}, known as ${JSON.stringify(value)}`,
  );
  throw new ConfigError(
    `The token ${token.address} on chain ${chainId} differs from the known token of that chain:\n${lines.join("\n")}\nSee that the node serves the chain it says it does; protocol/settlement/networks.ts has what is known.`,
  );
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
