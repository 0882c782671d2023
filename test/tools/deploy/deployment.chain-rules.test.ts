import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Address,
  createWalletClient,
  encodeAbiParameters,
  erc20Abi,
  type Hex,
  http,
  toHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { anchorsCode, escrowBuild } from "../../../abis/build.ts";
import {
  approveCall,
  type Call,
  createEscrowCall,
  plainCall,
  recordDeliveryCall,
} from "../../../protocol/settlement/calls.ts";
import { findNetwork } from "../../../protocol/settlement/networks.ts";
import type { Terms } from "../../../protocol/settlement/terms.ts";
import { multicall3Address } from "../../../protocol/settlement/x402.ts";
import { create2Deployer, deployerCode } from "../../../tools/deploy/deployer.ts";
import { multicall3Code } from "../../../tools/deploy/multicall3.ts";
import { localAccounts } from "../../../tools/stack/anvil.ts";
import { localRelayerKey } from "../../../tools/stack/local-chain.ts";
import { answering, startTarget } from "../../harness/deploy.ts";
import { tokenDeployer } from "../../harness/flows/tokens.ts";

/**
 * The opcodes that rollups define otherwise than Ethereum: numbers, hashes and randomness of blocks, blobs, and the base fee.
 * Arbitrum's NUMBER is Ethereum's. The contracts read times and the chain's id alone.
 */
const blockOpcodes = new Map([
  [0x40, "BLOCKHASH"],
  [0x41, "COINBASE"],
  [0x43, "NUMBER"],
  [0x44, "PREVRANDAO"],
  [0x45, "GASLIMIT"],
  [0x48, "BASEFEE"],
  [0x49, "BLOBHASH"],
  [0x4a, "BLOBBASEFEE"],
  [0xff, "SELFDESTRUCT"],
]);

/** The opcodes of a code, without what PUSH instructions push. */
function opcodesOf(code: string): number[] {
  const bytes = Buffer.from(code.slice(2), "hex");
  const opcodes: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const opcode = bytes[at] ?? 0;
    opcodes.push(opcode);
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f;
  }
  return opcodes;
}

test.each([
  ["the escrow", escrowBuild.escrow.code],
  ["deposit addresses", escrowBuild.deposit.code],
  ["anchors", anchorsCode],
])("the code of %s reads nothing that rollups define otherwise, and fits every chain", (_, code) => {
  const found = opcodesOf(code).flatMap((opcode) => blockOpcodes.get(opcode) ?? []);
  expect(found).toEqual([]);
  expect(code.length / 2 - 1).toBeLessThan(24_576);
});

test("the escrow's code reads the time", () => {
  expect(opcodesOf(escrowBuild.escrow.code)).toContain(0x42);
});

const folder = mkdtempSync(join(tmpdir(), "earnest-genesis-"));
/** A genesis with the predeploys of the OP Stack that a deployment and the relayer use. */
const opGenesis = join(folder, "genesis.json");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const oracle = answering({ "getL1Fee(bytes)": encodeAbiParameters([{ type: "uint256" }], [1_000_000_000n]) });
const predeploys: [Address, Hex][] = [
  ["0x420000000000000000000000000000000000000F", oracle],
  [create2Deployer, deployerCode],
  [multicall3Address, multicall3Code],
];
writeFileSync(
  opGenesis,
  JSON.stringify({
    config: { chainId: 8453 },
    gasLimit: toHex(60_000_000),
    difficulty: "0x0",
    timestamp: toHex(1_750_000_000),
    alloc: Object.fromEntries(predeploys.map(([address, code]) => [address, { balance: "0x0", code }])),
  }),
);

test.each<[network: string, chainId: number, args: string[], coin: string]>([
  ["Base", 8453, ["--network", "optimism", "--init", opGenesis], "ETH"],
  // Several blocks of Arbitrum have one time.
  ["Arbitrum One", 42_161, ["--hardfork", "osaka", "--base-fee", "10000000"], "ETH"],
  ["Polygon PoS", 137, ["--hardfork", "prague", "--base-fee", "30000000000"], "POL"],
])("%s takes the deployment, and an escrow from funding to release", async (network, chainId, args, coin) => {
  const chain = await startTarget(chainId, ...args);
  onTestFinished(() => chain.close());
  const { buyer, provider } = localAccounts;
  const accounts = [buyer, provider, localAccounts.relayer];
  for (const { address } of accounts) await chain.node.setBalance({ address, value: 10n ** 20n });
  const tokens = await tokenDeployer(chain.rpcUrl);
  const token = await tokens.deploySimple("USDX", 18);
  const env = {
    DEPLOYER_PRIVATE_KEY: localRelayerKey,
    DEPLOY_TOKEN: token,
    [`CONFIRMATIONS_${chainId}`]: "1",
  };
  const dry = await chain.deploy(["--chain", String(chainId), "--dry-run"], env);
  expect(dry.output).toContain(` ${coin}`);
  const { code, output } = await chain.deploy(["--chain", String(chainId)], env);
  expect(code, output).toBe(0);
  const manifest = chain.readManifest();
  expect([manifest.network_name, findNetwork(chainId)?.network_name]).toEqual([network, network]);
  expect((await chain.deploy(["--chain", String(chainId), "--check"])).code).toBe(0);

  if (chainId === 42_161) await chain.node.setBlockTimestampInterval({ interval: 0 });
  await tokens.call(token, "mint", [buyer.address, 10n ** 18n]);
  const { timestamp } = await chain.reader.getBlock();
  const terms: Terms = {
    buyer: buyer.address,
    provider: provider.address,
    token,
    amount: 10n ** 18n,
    arbiter: zeroAddress,
    fundBy: Number(timestamp) + 3600,
    deliveryWindow: 3600,
    acceptanceWindow: 3600,
    disputeWindow: 3600,
    appealWindow: 3600,
    orderHash: zeroHash,
  };
  const place = { escrowContract: manifest.escrow_contract as Address, terms };
  const send = async (account: typeof buyer, { to, data }: Call) => {
    const writer = createWalletClient({ account, transport: http(chain.rpcUrl) });
    const hash = await writer.sendTransaction({ to, data, gas: 500_000n, chain: null });
    return (await chain.reader.waitForTransactionReceipt({ hash })).status;
  };
  for (const call of [approveCall(place), createEscrowCall(place)])
    expect(await send(buyer, call)).toBe("success");
  expect(await send(provider, recordDeliveryCall(place, zeroHash))).toBe("success");
  const release = plainCall(place, "release");
  // Nobody but the buyer before the acceptance window is over.
  expect(await send(provider, release)).toBe("reverted");
  const delivered = await chain.reader.getBlock();
  await chain.node.setNextBlockTimestamp({ timestamp: delivered.timestamp + 3601n });
  await chain.node.mine({ blocks: 1 });
  expect(await send(provider, release)).toBe("success");
  const read = {
    address: token,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [provider.address],
  } as const;
  expect(await chain.reader.readContract(read)).toBe(10n ** 18n);
});
