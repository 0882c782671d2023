import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPublicClient, http, zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../../config.ts";
import { type Anvil, localAccounts, startAnvil } from "../../scripts/stack/anvil.ts";
import { localRelayerKey } from "../../scripts/stack/chain.ts";
import { startProgram } from "./programs.ts";

const folder = mkdtempSync(join(tmpdir(), "earnest-deploy-"));
const deployments = join(folder, "deployments");
let local: Anvil;
let foreign: Anvil;

beforeAll(async () => {
  const start = (id: string) =>
    startAnvil({ port: 0, logFile: join(folder, `${id}.log`), args: ["--chain-id", id] });
  [local, foreign] = await Promise.all([start("31337"), start("84532")]);
});
afterAll(async () => {
  await Promise.all([local?.child.stop(), foreign?.child.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function deploy(env: Record<string, string>) {
  const program = startProgram(process.execPath, ["scripts/deploy.ts"], {
    env: { DEPLOYMENTS_DIR: deployments, DEPLOYER_PRIVATE_KEY: localRelayerKey, ...env },
  });
  return { code: await program.ended, output: program.output() };
}

test("puts the contracts on a chain and writes the manifest that every process reads", async () => {
  const arbiter = localAccounts.arbiter.address;
  const { code, output } = await deploy({ DEPLOY_RPC_URL: local.rpcUrl, DEPLOY_ARBITER: arbiter });
  expect(code, output).toBe(0);
  const { defaultChain } = readConfig({ DEPLOYMENTS_DIR: deployments, RPC_URL_31337: local.rpcUrl });
  expect(defaultChain).toMatchObject({ chain_id: 31_337, token: { symbol: "TUSD", decimals: 6 }, arbiter });
  expect(output).toContain(defaultChain?.escrow_contract);
  const reader = createPublicClient({ transport: http(local.rpcUrl) });
  const receipt = await reader.getTransactionReceipt({
    hash: defaultChain?.deployment_transaction as `0x${string}`,
  });
  expect(receipt).toMatchObject({
    status: "success",
    blockNumber: BigInt(defaultChain?.deployment_block ?? 0),
  });
});

test("refuses to leave a deployment that orders point to", async () => {
  const { code, output } = await deploy({ DEPLOY_RPC_URL: local.rpcUrl });
  expect(code).toBe(1);
  expect(output).toContain("already names a deployment on chain 31337");
});

test("refuses another chain without its token, and a token that is not there, and deploys nothing", async () => {
  const without = await deploy({ DEPLOY_RPC_URL: foreign.rpcUrl });
  expect(without.code).toBe(1);
  expect(without.output).toContain("DEPLOY_TOKEN must name the token of chain 84532");

  const absent = await deploy({ DEPLOY_RPC_URL: foreign.rpcUrl, DEPLOY_TOKEN: zeroAddress });
  expect(absent.code).toBe(1);
  expect(absent.output).toContain(`There is no contract at ${zeroAddress}`);

  const reader = createPublicClient({ transport: http(foreign.rpcUrl) });
  expect(await reader.getBlockNumber()).toBe(0n);
  expect(existsSync(join(deployments, "84532.json"))).toBe(false);
});

test("names what is wrong with its settings", async () => {
  const { code, output } = await deploy({ DEPLOY_RPC_URL: "localhost", DEPLOYER_PRIVATE_KEY: "0x1" });
  expect(code).toBe(1);
  expect(output).toContain("DEPLOY_RPC_URL");
  expect(output).toContain("DEPLOYER_PRIVATE_KEY: must be a 32-byte 0x hex key");
});
