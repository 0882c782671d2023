import { readFileSync } from "node:fs";
import { concat, type Hex, keccak256 } from "viem";
import { permit2Address, permit2ProxyAddress, uptoProxyAddress } from "../../../protocol/settlement/x402.ts";
import { create2Deployer } from "../../../tools/deploy/deployer.ts";
import type { TestChain } from "../fixtures/chain-clients.ts";
import { compile } from "../solidity.ts";

/**
 * Permit2 (MIT licence, Copyright (c) 2022 Uniswap Labs): its creation code, from the npm package
 * hardhat-predeploy 0.4.1 (MIT licence). With the salt of its deployers it has its known address, which no
 * other code would.
 */
const permit2 = {
  salt: "0x0000000000000000000000000000000000000000d3af2663da51c10215000000",
  file: new URL("./permit2.creation.hex", import.meta.url),
  hash: "0xe2be1e05eedf35dacd66c65c862f8150ff9ab4b6b24b9bbe62be71b6b16cf0f8",
} as const;

/** Deploys Permit2, and the stand-ins for x402's proxies, where the chain lacks them. */
export async function placePermit2(chain: TestChain): Promise<void> {
  const { publicClient } = chain;
  const wallet = await chain.newWallet();
  if (!(await publicClient.getCode({ address: permit2Address }))) {
    const code: Hex = `0x${readFileSync(permit2.file, "utf8").trim()}`;
    if (keccak256(code) !== permit2.hash) throw new Error(`${permit2.file.pathname} is not Permit2's code.`);
    const hash = await wallet.sendTransaction({ to: create2Deployer, data: concat([permit2.salt, code]) });
    await publicClient.waitForTransactionReceipt({ hash });
    if (!(await publicClient.getCode({ address: permit2Address })))
      throw new Error(`Permit2 does not stand at ${permit2Address}.`);
  }
  const proxies = await compile(new URL("./x402-proxies.sol", import.meta.url));
  for (const [address, creation] of [
    [permit2ProxyAddress, proxies.ExactProxy],
    [uptoProxyAddress, proxies.UptoProxy],
  ] as const) {
    if (await publicClient.getCode({ address })) continue;
    const { data } = await publicClient.call({ data: creation as Hex });
    if (!data) throw new Error("The proxy's creation code left nothing.");
    await chain.node.setCode({ address, bytecode: data });
  }
}
