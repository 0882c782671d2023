import { type Address, isAddressEqual, type PublicClient } from "viem";
import { testUsdBytecode } from "../../abis/bytecode.ts";
import { deploymentManifest } from "../../config/chains.ts";
import { ConfigError, type DeploymentManifest } from "../../config/config.ts";
import { checkTokens, type Token } from "../../config/payment-tokens.ts";
import { knownTokens } from "../../protocol/settlement/known-tokens.ts";
import { findNetwork } from "../../protocol/settlement/networks.ts";
import { addressOf } from "./create2.ts";
import { type DescribedToken, describeToken } from "./token.ts";
import { tryTransfers } from "./token-transfers.ts";

export type PlannedTokens = {
  /** the default token; null before the deployment of TestUSD */
  token: DescribedToken | null;
  /** what the manifest's `other_tokens` will be */
  others: readonly Token[] | undefined;
  /** sentences about tokens that were left out or not tried */
  notes: string[];
};

/**
 * Plans the tokens of a chain. A new manifest also lists the known tokens of the network that are there and suitable. An
 * existing one keeps its list.
 *
 * @param wanted the default token. Default: TestUSD
 * @throws ConfigError if the default token is unsuitable
 */
export async function planTokens(
  reader: PublicClient,
  chainId: number,
  { wanted, manifest }: { wanted: Address | undefined; manifest: DeploymentManifest | undefined },
): Promise<PlannedTokens> {
  const notes: string[] = [];
  const own = addressOf(testUsdBytecode);
  const address = wanted ?? ((await reader.getCode({ address: own })) ? own : null);
  const token = address && (await describeToken(reader, address));
  // A token of orders is not tried again: it may be paused for an hour.
  if (wanted && !isAddressEqual(wanted, own) && manifest?.token.address !== wanted) {
    const untried = await tryTransfers(reader, wanted);
    if (untried) notes.push(untriedNote(wanted, untried));
  }
  if (manifest) return { token, others: manifest.other_tokens, notes };

  const others: Token[] = [];
  for (const known of knownTokens(chainId)) {
    if (wanted && isAddressEqual(known.address, wanted)) continue;
    try {
      const found = await examine(reader, known.address);
      others.push({ ...found.token, currency: known.currency });
      notes.push(...found.notes);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      notes.push(`left out of the tokens: ${error.message}`);
    }
  }
  return { token, others: others.length > 0 ? others : undefined, notes };
}

/**
 * Adds a token to a manifest.
 *
 * @param currency the currency that the token is redeemed for. Default: a known token's
 * @param manifests those of the other chains, whose tokens have other symbols or the same currency
 * @returns the new manifest, and sentences about the token
 * @throws ConfigError if the token is unsuitable or already listed
 */
export async function addToken(
  reader: PublicClient,
  manifest: DeploymentManifest,
  {
    address,
    currency,
    manifests,
  }: { address: Address; currency: string | undefined; manifests: readonly DeploymentManifest[] },
): Promise<{ manifest: DeploymentManifest; added: Token; notes: string[] }> {
  const { chain_id, token, other_tokens = [] } = manifest;
  if ([token, ...other_tokens].some((one) => isAddressEqual(one.address, address))) {
    throw new ConfigError(`The manifest of chain ${chain_id} already lists the token ${address}.`);
  }
  const found = await examine(reader, address);
  const added: Token = { ...found.token, currency: currency ?? knownCurrency(address, chain_id) };
  const changed = deploymentManifest.safeParse({ ...manifest, other_tokens: [...other_tokens, added] });
  if (!changed.success) {
    throw new ConfigError(
      `The manifest of chain ${chain_id} cannot list the token ${address}: ${changed.error.issues[0]?.message}.`,
    );
  }
  checkTokens([...manifests.filter((one) => one.chain_id !== chain_id), changed.data]);
  return { manifest: changed.data, added, notes: found.notes };
}

/** Returns the currency that a known token is redeemed for. */
export function knownCurrency(address: Address, chainId: number): string | undefined {
  if (isAddressEqual(address, addressOf(testUsdBytecode))) return "USD";
  const all = [...knownTokens(chainId), ...[findNetwork(chainId)?.token ?? []].flat()];
  return all.find((known) => isAddressEqual(known.address, address))?.currency;
}

async function examine(reader: PublicClient, address: Address) {
  const { token, authorizes } = await describeToken(reader, address);
  const untried = await tryTransfers(reader, address);
  return { token, authorizes, notes: untried ? [untriedNote(address, untried)] : [] };
}

const untriedNote = (token: Address, why: string) =>
  `a transfer of the token ${token} was not tried: ${why}. See yourself that it keeps no fee and changes no balance.`;
