import { rmSync, writeFileSync } from "node:fs";
import {
  type Address,
  concat,
  createWalletClient,
  getContractAddress,
  type Hex,
  http,
  keccak256,
  pad,
  parseEther,
  toHex,
  zeroAddress,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anchorsCode, escrowBuild } from "../../abis/build.ts";
import { escrowBytecode } from "../../abis/bytecode.ts";
import { reputationRegistryAbi } from "../../abis/registries.ts";
import { readConfig } from "../../config/config.ts";
import { deploymentCall } from "../../tools/deploy/create2.ts";
import { create2Deployer } from "../../tools/deploy/deployer.ts";
import { localAccounts } from "../../tools/stack/anvil.ts";
import { startTarget, type Target } from "../harness/deploy.ts";

const arbiter = localAccounts.arbiter.address;

describe.sequential("npm run deploy on a local chain", () => {
  let local: Target;
  let first: string;
  beforeAll(async () => {
    local = await startTarget(31_337);
  });
  afterAll(() => local?.close());
  const deployAgain = () => local.deploy(["--chain", "local"], { DEPLOY_ARBITER: arbiter });
  const readOwn = () =>
    readConfig({ DEPLOYMENTS_DIR: local.deployments, RPC_URL_31337: local.rpcUrl }).defaultChain;

  test("a dry run prints the address and the cost, and sends nothing", async () => {
    const { code, output } = await local.deploy(["--chain", "local", "--dry-run"]);
    expect(code, output).toBe(0);
    first = /escrow +(0x\w{40}) would be deployed/.exec(output)?.[1] ?? "";
    expect(first).not.toBe("");
    expect(output).toContain("TestUSD would be deployed");
    expect(output).toMatch(/gas +\d{7,8}, at [\d.]+ gwei about 0\.\d+ ETH/);
    expect(output).toContain(`deployer   ${localAccounts.deployer.address} holds 10000 ETH`);
    expect(await local.isUntouched()).toBe(true);
  });

  test("deploys the contracts and writes the manifest that every process reads", async () => {
    const { code, output } = await local.deployByProgram(["--chain", "local"], { DEPLOY_ARBITER: arbiter });
    expect(code, output).toBe(0);
    const manifest = readOwn();
    expect(manifest).toMatchObject({
      ...local.readManifest(),
      escrow_contract: first,
      network_name: "Local chain",
      token: { symbol: "TUSD", decimals: 6, name: "Test USD", version: "1" },
      arbiter,
      confirmations: 1,
      polling_interval: 500,
    });
    const receipt = await local.reader.getTransactionReceipt({
      hash: manifest?.deployment_transaction as Hex,
    });
    expect(receipt).toMatchObject({
      status: "success",
      blockNumber: BigInt(manifest?.deployment_block ?? 0),
    });
    expect(manifest?.build).toEqual({
      code_hash: keccak256((await local.reader.getCode({ address: first as Address })) ?? "0x"),
      creation_code_hash: keccak256(escrowBytecode),
      salt: keccak256(toHex("Earnest Escrow 1")),
      compiler: escrowBuild.compiler,
    });
    expect(escrowBuild.compiler).toMatchObject({
      solc: expect.stringMatching(/^0\.8\.\d+\+commit/),
      via_ir: true,
    });
  });

  test("a second run adopts the deployed contracts and sends nothing, with and without the manifest", async () => {
    const before = [await local.reader.getBlockNumber(), local.readManifest()];
    const again = await deployAgain();
    expect(again.code, again.output).toBe(0);
    expect(again.output).toContain("it is adopted");
    expect([await local.reader.getBlockNumber(), local.readManifest()]).toEqual(before);

    await local.node.mine({ blocks: 37 });
    rmSync(local.file);
    const anew = await deployAgain();
    expect(anew.code, anew.output).toBe(0);
    expect(local.readManifest()).toEqual(before[1]);
  });

  test("refuses to change what orders refer to, and names both sides", async () => {
    const { code, output } = await local.deployByProgram(["--chain", "local"]);
    expect(code).toBe(1);
    expect(output).toContain("already names a deployment on chain 31337");
    expect(output).toContain(`arbiter ${arbiter}, this deployment's is nobody`);
    expect(local.readManifest().arbiter).toBe(arbiter);
  });

  test("a manifest without the build is read, and completed by another run", async () => {
    const { build, ...old } = local.readManifest();
    writeFileSync(local.file, JSON.stringify(old));
    expect(readOwn()).toMatchObject(old);
    const { code, output } = await deployAgain();
    expect(code, output).toBe(0);
    expect(local.readManifest()).toEqual({ ...old, build });
  });

  test("the local chain gets ERC-8004 registries, and a manifest without them gets them too", async () => {
    const { erc8004, ...old } = local.readManifest();
    const read = { address: erc8004.reputation_registry as Address, abi: reputationRegistryAbi };
    expect(await local.reader.readContract({ ...read, functionName: "getIdentityRegistry" })).toBe(
      erc8004.identity_registry,
    );
    for (const registry of [erc8004.identity_registry, erc8004.reputation_registry]) {
      await local.node.setCode({ address: registry, bytecode: "0x" });
    }
    // CREATE2 deploys where there is neither code nor nonce.
    for (const registry of [erc8004.identity_registry, erc8004.reputation_registry]) {
      await local.node.setNonce({ address: registry, nonce: 0 });
    }
    writeFileSync(local.file, JSON.stringify(old));
    expect(readOwn()?.erc8004).toBeUndefined();
    const { code, output } = await deployAgain();
    expect(code, output).toBe(0);
    expect(local.readManifest()).toEqual({ ...old, erc8004 });
  });

  test("an installation without anchors gets their contract, its block, and pays for it only", async () => {
    const { anchors, ...old } = local.readManifest();
    await local.node.setCode({ address: anchors.contract, bytecode: "0x" });
    await local.node.setNonce({ address: anchors.contract, nonce: 0 });
    writeFileSync(local.file, JSON.stringify(old));
    expect(readOwn()?.anchors).toBeUndefined();
    const unaware = await local.deploy(["--chain", "local", "--check"]);
    expect(unaware.code, unaware.output).toBe(0);
    expect(unaware.output).toContain("anchors none");

    const head = await local.reader.getBlockNumber();
    const dry = await local.deploy(["--chain", "local", "--dry-run"], { DEPLOY_ARBITER: arbiter });
    expect(dry.output).toContain(`anchors    ${anchors.contract} would be deployed`);
    const { code, output } = await deployAgain();
    expect(code, output).toBe(0);
    expect(await local.reader.getBlockNumber()).toBe(head + 1n);
    const got = { contract: anchors.contract, deployment_block: Number(head + 1n) };
    expect(local.readManifest()).toEqual({ ...old, anchors: got });
    expect(readOwn()?.anchors).toEqual(got);
  });

  test("--check fails, and a deployment is refused, where other code is at the address of anchors", async () => {
    const { anchors } = local.readManifest();
    await local.node.setCode({ address: anchors.contract, bytecode: "0x00" });
    try {
      for (const args of [["--check"], []]) {
        const { code, output } = await local.deploy(["--chain", "local", ...args], {
          DEPLOY_ARBITER: arbiter,
        });
        expect(code).toBe(1);
        expect(output).toContain(`The code at ${anchors.contract} is not this build's contract of anchors`);
      }
    } finally {
      await local.node.setCode({ address: anchors.contract, bytecode: anchorsCode });
    }
  });

  test("an installation without passkey accounts gets their factory; --check finds a wrong or missing one", async () => {
    const { passkey_factory: factory, ...old } = local.readManifest();
    // The factory deployed the code of all accounts by its first CREATE.
    for (const address of [factory, getContractAddress({ from: factory, nonce: 1n })]) {
      await local.node.setCode({ address, bytecode: "0x" });
      await local.node.setNonce({ address, nonce: 0 });
    }
    const missing = await local.deploy(["--chain", "local", "--check"]);
    expect(missing.code).toBe(1);
    expect(missing.output).toContain(`There is no contract at ${factory}`);
    writeFileSync(local.file, JSON.stringify({ ...old, passkey_factory: zeroAddress }));
    const wrong = await local.deploy(["--chain", "local", "--check"]);
    expect(wrong.code).toBe(1);
    expect(wrong.output).toContain(
      `The factory of passkey accounts is ${zeroAddress}, this build's is ${factory}`,
    );
    writeFileSync(local.file, JSON.stringify(old));
    const unaware = await local.deploy(["--chain", "local", "--check"]);
    expect(unaware.code, unaware.output).toBe(0);
    expect(unaware.output).toContain("passkey accounts none");

    const { code, output } = await deployAgain();
    expect(code, output).toBe(0);
    expect(local.readManifest()).toEqual({ ...old, passkey_factory: factory });
    expect(await local.reader.getCode({ address: factory })).toBeDefined();
    const whole = await local.deploy(["--chain", "local", "--check"]);
    expect(whole.output).toContain(`passkey accounts by ${factory}: this build's`);
  });

  test("a manifest of an escrow at another address stays unchanged", async () => {
    const whole = local.readManifest();
    const { build: _, ...old } = { ...whole, escrow_contract: zeroAddress };
    writeFileSync(local.file, JSON.stringify(old));
    const { code, output } = await deployAgain();
    expect(code).toBe(1);
    expect(output).toContain(`escrow ${zeroAddress}, this deployment's is ${first}`);
    expect(local.readManifest()).toEqual(old);
    writeFileSync(local.file, JSON.stringify(whole));
  });

  test("--check confirms that the deployed code is this build's", async () => {
    const { code, output } = await local.deployByProgram(["--chain", "local", "--check"]);
    expect(code, output).toBe(0);
    expect(output).toContain("this build's, immutables and deposit implementation included");
    expect(output).toContain(`anchors ${local.readManifest().anchors.contract}: this build's`);
    expect(output).toContain(`${local.file} agrees`);
  });

  test.each([
    [
      "a byte of the code",
      () => first,
      5000,
      1,
      /differs from this build in 1 of \d+ bytes, first at byte 5000/,
    ],
    [
      "one place of an immutable",
      () => first,
      (escrowBuild.escrow.immutables.DEPOSIT_IMPLEMENTATION.at(-1) ?? 0) + 31,
      1,
      /The escrow 0x\w+ has 0x0{24}\w{40} as DEPOSIT_IMPLEMENTATION, where 0x0{24}\w{40} belongs/,
    ],
    [
      "the domain's name",
      () => first,
      escrowBuild.escrow.immutables._name[0],
      1,
      /as _name, where 0x4561726e65737420457363726f77[\s\S]*eip712Domain\(\) of 0x\w+ is/,
    ],
    [
      "the deposit implementation's escrow",
      () => local.readManifest().deposit_implementation,
      (escrowBuild.deposit.immutables.ESCROW[0] ?? 0) + 31,
      1,
      /The deposit implementation 0x\w+ has 0x\w{64} as ESCROW/,
    ],
    ["the end of the code", () => first, 16_000, 100_000, /has 16000 bytes of code, but this build has \d+/],
  ])("--check fails with a message on %s that is altered", async (_, address, at, bytes, sentence) => {
    const code = Buffer.from(((await local.reader.getCode({ address: address() })) ?? "0x").slice(2), "hex");
    const altered = Buffer.concat([code.subarray(0, at), code.subarray(at + bytes)]);
    const flipped = Buffer.from(code);
    flipped[at] = (code[at] ?? 0) ^ 1;
    await local.node.setCode({ address: address(), bytecode: toHex(bytes === 1 ? flipped : altered) });
    try {
      const checked = await local.deploy(["--chain", "local", "--check"]);
      expect(checked.code, checked.output).toBe(1);
      expect(checked.output).toMatch(sentence);
      const adopted = await deployAgain();
      expect(adopted.code).toBe(1);
      expect(adopted.output).toMatch(sentence);
    } finally {
      await local.node.setCode({ address: address(), bytecode: toHex(code) });
    }
  });

  test("--check fails where the manifest differs from the chain", async () => {
    const whole = local.readManifest();
    const build = { ...whole.build, code_hash: pad("0x1") };
    writeFileSync(local.file, JSON.stringify({ ...whole, build }));
    const { code, output } = await local.deploy(["--chain", "local", "--check"]);
    writeFileSync(local.file, JSON.stringify(whole));
    expect(code).toBe(1);
    expect(output).toContain(`is ${pad("0x1")}, on the chain it is ${whole.build.code_hash}`);
  });

  test("--check fails where nothing is deployed", async () => {
    const empty = await startTarget(31_337);
    try {
      const { code, output } = await empty.deploy(["--chain", "local", "--check"]);
      expect(code).toBe(1);
      expect(output).toContain(`There is no contract at ${first} on chain 31337`);
    } finally {
      await empty.close();
    }
  });
});

describe("a deployed escrow", () => {
  let target: Target;
  beforeAll(async () => {
    target = await startTarget(31_337);
  });
  afterAll(() => target?.close());

  test("is adopted without a transaction where another contract created it", async () => {
    const forwarder = pad("0xf0", { size: 20 });
    // Passes its call data on to the deployer.
    await target.node.setCode({
      address: forwarder,
      bytecode: concat(["0x365f5f375f5f365f5f73", create2Deployer, "0x5af100"]),
    });
    const writer = createWalletClient({ account: localAccounts.buyer, transport: http(target.rpcUrl) });
    await target.node.mine({ blocks: 3 });
    const { data } = deploymentCall(escrowBytecode);
    // The gas is fixed: an estimate lets the inner call fail.
    const hash = await writer.sendTransaction({ to: forwarder, data, gas: 10_000_000n, chain: null });
    const { blockNumber } = await target.reader.waitForTransactionReceipt({ hash });
    await target.node.mine({ blocks: 20 });

    const { code, output } = await target.deploy(["--chain", "local"]);
    expect(code, output).toBe(0);
    expect(target.readManifest()).toMatchObject({
      deployment_block: Number(blockNumber),
      deployment_transaction: null,
    });
    readConfig({ DEPLOYMENTS_DIR: target.deployments });
  });
});

test("needs its block on a node without old states, and the block must be the right one", async () => {
  const pruned = await startTarget(31_337, "--prune-history");
  try {
    await pruned.node.mine({ blocks: 5 });
    const made = await pruned.deploy(["--chain", "local"]);
    expect(made.code, made.output).toBe(0);
    const manifest = pruned.readManifest();
    await pruned.node.mine({ blocks: 50 });
    const known = await pruned.deploy(["--chain", "local"]);
    expect(known.code, known.output).toBe(0);

    rmSync(pruned.file);
    const lost = await pruned.deploy(["--chain", "local"]);
    expect(lost.code).toBe(1);
    expect(lost.output).toContain("set DEPLOY_BLOCK to the block of the transaction that created");
    const wrong = await pruned.deploy(["--chain", "local"], { DEPLOY_BLOCK: "3" });
    expect(wrong.code).toBe(1);
    expect(wrong.output).toContain("DEPLOY_BLOCK is 3, but no transaction of that block deployed");
    const right = await pruned.deploy(["--chain", "local"], {
      DEPLOY_BLOCK: String(manifest.deployment_block),
    });
    expect(right.code, right.output).toBe(0);
    // The block of the anchors is unknown, so the search starts at the escrow's block.
    const anchors = { ...manifest.anchors, deployment_block: manifest.deployment_block };
    expect(pruned.readManifest()).toEqual({ ...manifest, anchors });
  } finally {
    await pruned.close();
  }
});

test("an account with too little money gets the missing amount, and nothing is sent", async () => {
  const chain = await startTarget(31_337);
  try {
    await chain.node.setBalance({ address: localAccounts.deployer.address, value: parseEther("0.001") });
    const { code, output } = await chain.deploy(["--chain", "local"]);
    expect(code).toBe(1);
    expect(output).toMatch(/holds 0\.001 of the chain's coin, and the deployment may cost up to 0\.\d+/);
    expect(await chain.isUntouched()).toBe(true);
  } finally {
    await chain.close();
  }
});
