import { concat, createPublicClient, createWalletClient, encodeAbiParameters, type Hex, http } from "viem";
import { testTokenBytecode } from "../../abis/testToken.ts";
import type { Token } from "../../config/payment-tokens.ts";
import { addressOf, deploymentCall } from "../deploy/create2.ts";
import { describeToken } from "../deploy/token.ts";
import { localAccounts } from "./anvil.ts";
import type { TestToken } from "./local-chains.ts";

/** Deploys tokens that pay prices in USD. A token that is on the chain is reused. */
export async function deployTestTokens(rpcUrl: string, tokens: readonly TestToken[]): Promise<Token[]> {
  const transport = http(rpcUrl);
  const reader = createPublicClient({ transport, pollingInterval: 50 });
  const writer = createWalletClient({ account: localAccounts.deployer, transport });
  const codes = tokens.map(creationCodeOf);
  const sent: Hex[] = [];
  for (const code of codes) {
    if (await reader.getCode({ address: addressOf(code) })) continue;
    sent.push(await writer.sendTransaction({ ...deploymentCall(code), chain: null }));
  }
  for (const hash of sent) {
    const { status } = await reader.waitForTransactionReceipt({ hash });
    if (status !== "success") throw new Error(`The deployment ${hash} of a test token reverted.`);
  }
  const described = await Promise.all(codes.map((code) => describeToken(reader, addressOf(code))));
  return described.map(({ token }) => ({ ...token, currency: "USD" }));
}

const constructorInputs = [{ type: "string" }, { type: "string" }, { type: "uint8" }] as const;

const creationCodeOf = ({ name, symbol, decimals }: TestToken): Hex =>
  concat([testTokenBytecode, encodeAbiParameters(constructorInputs, [name, symbol, decimals])]);
