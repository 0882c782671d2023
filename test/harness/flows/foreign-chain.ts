import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, createPublicClient, createWalletClient, getAddress, http } from "viem";
import { localAccount, startAnvil } from "../../../tools/stack/anvil.ts";
import { compile } from "../solidity.ts";

/** A foreign network: a chain of this id with only a token, which differs from ours. */
export async function startForeignChain(chainId: number) {
  const folder = mkdtempSync(join(tmpdir(), "earnest-foreign-"));
  const { child, rpcUrl } = await startAnvil({
    port: 0,
    logFile: join(folder, "anvil.log"),
    args: ["--chain-id", String(chainId)],
  });
  return {
    url: rpcUrl,
    token: await deployToken(rpcUrl),
    async close(): Promise<void> {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function deployToken(rpcUrl: string): Promise<Address> {
  const { ForeignToken } = await compile(new URL("./foreign-token.sol", import.meta.url));
  const transport = http(rpcUrl);
  const hash = await createWalletClient({ account: localAccount(0), transport }).sendTransaction({
    data: ForeignToken,
    chain: null,
  });
  const reader = createPublicClient({ transport, pollingInterval: 50 });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error("The foreign token was not deployed.");
  return getAddress(contractAddress);
}
