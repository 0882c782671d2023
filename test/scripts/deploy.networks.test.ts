import { readFileSync } from "node:fs";
import { join } from "node:path";
import { domainSeparator, encodeAbiParameters, parseEther, zeroAddress } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { anchorsBytecode, escrowBytecode } from "../../abis/bytecode.ts";
import { readConfig } from "../../config/config.ts";
import { findNetwork, networks } from "../../protocol/settlement/networks.ts";
import { addressOf, salt } from "../../tools/deploy/create2.ts";
import { create2Deployer } from "../../tools/deploy/deployer.ts";
import { localAccounts } from "../../tools/stack/anvil.ts";
import { localRelayerKey } from "../../tools/stack/local-chain.ts";
import { answering, placeToken, startTarget, type Target } from "../harness/deploy.ts";
import { root } from "../harness/programs.ts";

const usdc = (chainId: number) => {
  const token = findNetwork(chainId)?.token;
  if (!token) throw new Error(`No token is known of chain ${chainId}.`);
  return token;
};

// The contracts' own answers to DOMAIN_SEPARATOR(), which reveal a wrong address, name or version in the
// table.
test.each([
  ["ethereum", "0x06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335"],
  ["optimism", "0x26d9c34bb1a1c312f69c53b2d93b8be20faafba63af2438c6811713c9b1f933f"],
  ["polygon", "0xcaa2ce1a5703ccbe253a34eb3166df60a705c561b44b192061e28f2a985be2ca"],
  ["base", "0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f"],
  ["arbitrum", "0x08d11903f8419e68b1b8721bcbe2e9fc68569122a77ef18c216f10b3b5112c78"],
  ["base-sepolia", "0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818"],
])("the table's data of USDC on %s makes its real domain separator", (name, separator) => {
  const chainId = networks.find((network) => network.name === name)?.chain_id ?? 0;
  const { address: verifyingContract, ...token } = usdc(chainId);
  expect(domainSeparator({ domain: { ...token, chainId, verifyingContract } })).toBe(separator);
  expect(token).toMatchObject({ symbol: "USDC", decimals: 6 });
});

test("the operators' page lists every chain of the table", () => {
  const page = readFileSync(join(root, "docs", "operations", "install.md"), "utf8").replaceAll(/\s+/g, " ");
  for (const { name, chain_id, token, confirmations } of networks) {
    const named = token ? `${token.symbol} \`${token.address}\`` : "TestUSD, deployed too";
    expect(page).toContain(`| \`${name}\` | ${chain_id} | ${named} | ${confirmations} `);
  }
  expect(page).toContain(
    `\`${create2Deployer}\` with the salt \`keccak256("Earnest Escrow 1")\` = \`${salt}\``,
  );
});

test("ERC-8004's registries are known for every public network, and for no local one", () => {
  for (const { name, erc8004 } of networks) {
    if (name === "local") expect(erc8004).toBeNull();
    else
      expect(Object.values(erc8004 ?? {})).toEqual([
        expect.stringMatching(/^0x8004A/),
        expect.stringMatching(/^0x8004B/),
      ]);
  }
});

describe("npm run deploy -- --chain base", () => {
  let base: Target;
  beforeEach(async () => {
    base = await startTarget(8453, "--block-time", "1");
    return () => base.close();
  });
  const paid = { DEPLOYER_PRIVATE_KEY: localRelayerKey };

  test("the escrow gets the same address as elsewhere, the chain's USDC and its confirmations", async () => {
    await placeToken(base, usdc(8453));
    const dry = await base.deploy(["--chain", "base", "--dry-run", "--from", localAccounts.buyer.address]);
    expect(dry.code, dry.output).toBe(0);
    expect(dry.output).toContain(`escrow     ${addressOf(escrowBytecode)} would be deployed`);
    expect(dry.output).toContain(`anchors    ${addressOf(anchorsBytecode)} would be deployed`);
    expect(dry.output).toContain('USDC, 6 decimals, EIP-712 domain "USD Coin" version "2"');
    expect(dry.output).toContain(`deployer   ${localAccounts.buyer.address} holds 10000 ETH`);

    const { code, output } = await base.deployByProgram(["--chain", "base"], {
      ...paid,
      CONFIRMATIONS_8453: "3",
    });
    const head = await base.reader.getBlockNumber();
    expect(code, output).toBe(0);
    const env = { DEPLOYMENTS_DIR: base.deployments, RPC_URL_8453: base.rpcUrl };
    expect(readConfig(env).defaultChain).toMatchObject({
      chain_id: 8453,
      network_name: "Base",
      escrow_contract: addressOf(escrowBytecode),
      token: usdc(8453),
      confirmations: findNetwork(8453)?.confirmations,
      polling_interval: findNetwork(8453)?.polling_interval,
    });
    expect(readConfig({ ...env, CONFIRMATIONS_8453: "7" }).defaultChain?.confirmations).toBe(7);
    expect(Number(head)).toBeGreaterThanOrEqual(base.readManifest().deployment_block + 2);

    const local = await startTarget(31_337);
    try {
      expect((await local.deploy(["--chain", "local"])).code).toBe(0);
      const [here, there] = [base.readManifest(), local.readManifest()];
      expect(here.escrow_contract).toBe(there.escrow_contract);
      expect(here.deposit_implementation).toBe(there.deposit_implementation);
      expect(here.anchors.contract).toBe(there.anchors.contract);
      // The chain's id is in the code, among the immutables.
      expect(here.build.code_hash).not.toBe(there.build.code_hash);
    } finally {
      await local.close();
    }
  });
});

test("ERC-8004's registries go into the manifest where they exist and refer to each other; nothing is sent for them", async () => {
  const base = await startTarget(8453);
  try {
    await placeToken(base, usdc(8453));
    const registries = findNetwork(8453)?.erc8004;
    if (!registries) throw new Error("No registries are known of Base.");
    const deploy = async () => {
      const env = { DEPLOYER_PRIVATE_KEY: localRelayerKey, CONFIRMATIONS_8453: "1" };
      const { code, output } = await base.deploy(["--chain", "base"], env);
      expect(code, output).toBe(0);
      return base.readManifest().erc8004;
    };
    const place = async (named: `0x${string}`) => {
      const bytecode = answering({
        "getIdentityRegistry()": encodeAbiParameters([{ type: "address" }], [named]),
      });
      for (const address of Object.values(registries)) await base.node.setCode({ address, bytecode });
    };
    expect(await deploy()).toBeUndefined();
    const head = await base.reader.getBlockNumber();
    await place(zeroAddress);
    expect(await deploy()).toBeUndefined();
    await place(registries.identity_registry);
    expect(await deploy()).toEqual(registries);
    expect(await base.reader.getBlockNumber()).toBe(head);
  } finally {
    await base.close();
  }
});

describe("an obstacle on a public chain", () => {
  let base: Target;
  beforeAll(async () => {
    base = await startTarget(8453);
  });
  afterAll(() => base?.close());
  const refused = async (args: string[], env: Record<string, string> = {}) => {
    const { code, output } = await base.deploy(args, { DEPLOYER_PRIVATE_KEY: localRelayerKey, ...env });
    expect(code, output).toBe(1);
    expect(await base.isUntouched()).toBe(true);
    return output;
  };

  test("a token with another domain separator is refused with both", async () => {
    const separator = await placeToken(base, usdc(8453));
    const other = domainSeparator({
      domain: { name: "USD Coin", version: "2", chainId: 1, verifyingContract: usdc(8453).address },
    });
    await placeToken(base, { ...usdc(8453), separator: other });
    const output = await refused(["--chain", "base"]);
    expect(output).toContain(`its DOMAIN_SEPARATOR() is ${other}`);
    expect(output).toContain(`that address make ${separator}`);
  });

  test("a token that differs from that chain's table is refused with both", async () => {
    await placeToken(base, { ...usdc(8453), name: "USDC", decimals: 18 });
    const output = await refused(["--chain", "base"]);
    expect(output).toContain('name is "USDC", known as "USD Coin"');
    expect(output).toContain("decimals is 18, known as 6");
  });

  test("a missing or malformed token is refused", async () => {
    const nowhere = await refused(["--chain", "base"], { DEPLOY_TOKEN: zeroAddress });
    expect(nowhere).toContain(`There is no contract at ${zeroAddress}`);
    await base.node.setCode({ address: usdc(8453).address, bytecode: answering({ "decimals()": "0x06" }) });
    expect(await refused(["--chain", "base"])).toContain("does not answer symbol(), decimals(), name()");
  });

  test("a chain without a known token needs DEPLOY_TOKEN", async () => {
    const other = await startTarget(97_531);
    try {
      const { code, output } = await other.deploy(["--chain", "97531", "--dry-run"]);
      expect(code).toBe(1);
      expect(output).toContain("DEPLOY_TOKEN must be the token of chain 97531");
      // The operator names the currency of an unknown token.
      const { currency: _, ...known } = usdc(8453);
      const token = { ...known, symbol: "OTH", name: "Other", version: "5" };
      await placeToken(other, token);
      const made = await other.deploy(["--chain", "97531"], {
        DEPLOYER_PRIVATE_KEY: localRelayerKey,
        DEPLOY_TOKEN: token.address,
        CONFIRMATIONS_97531: "1",
      });
      expect(made.code, made.output).toBe(0);
      expect(other.readManifest()).toMatchObject({ network_name: "Chain 97531", token });
    } finally {
      await other.close();
    }
  });

  test("no key, a wrong name, a wrong node, no node: each is named", async () => {
    await placeToken(base, usdc(8453));
    expect(await refused(["--chain", "base"], { DEPLOYER_PRIVATE_KEY: "" })).toContain(
      "DEPLOYER_PRIVATE_KEY must be set",
    );
    expect(await refused(["--chain", "bse"])).toContain(
      '--chain: "bse" is unknown: use one of base, base-sepolia, ethereum, optimism, arbitrum, polygon, local, or a chain id.',
    );
    expect(await refused(["--chain", "polygon"], { RPC_URL_137: base.rpcUrl })).toMatch(
      /--chain says 137, but the node 127\.0\.0\.1:\d+ serves chain 8453/,
    );
    expect(await refused(["--chain", "polygon"])).toContain("set RPC_URL_137");
    expect(await refused([])).toContain("No chain is named");
    const key = "http://127.0.0.1:9/a-secret-key";
    const silent = await refused(["--chain", "base"], { RPC_URL_8453: key });
    expect(silent).toContain("The node 127.0.0.1:9 does not answer");
    expect(silent).not.toContain("a-secret-key");
    const wrong = await refused([], {
      DEPLOY_RPC_URL: "localhost",
      DEPLOYER_PRIVATE_KEY: "0x1",
      DEPLOY_BLOCK: "x",
    });
    expect(wrong).toContain("DEPLOY_RPC_URL");
    expect(wrong).toContain("DEPLOYER_PRIVATE_KEY: must be a 32-byte 0x hex key");
    expect(wrong).toContain("DEPLOY_BLOCK: must be a block's number");
    expect(await refused(["--check", "--dry-run"])).toContain("give one of them");
    expect(await refused(["--add-token", "0x1"])).toContain("must be a 20-byte 0x address");
    expect(await refused(["--currency", "USD"])).toContain("needs --add-token");
    expect(await refused(["--from", zeroAddress])).toContain("needs --dry-run");
    expect(await refused(["--chian", "base"])).toContain("npm run deploy -- [--chain");
  });

  test("the cost on a rollup includes its fee for the data of each transaction", async () => {
    await placeToken(base, usdc(8453));
    const cost = async () => {
      const { output } = await base.deploy(["--chain", "base", "--dry-run"]);
      return parseEther(/gwei about ([\d.]+) ETH/.exec(output)?.[1] ?? "");
    };
    const alone = await cost();
    await base.node.setCode({
      address: "0x420000000000000000000000000000000000000F",
      bytecode: answering({
        "getL1Fee(bytes)": encodeAbiParameters([{ type: "uint256" }], [parseEther("0.25")]),
      }),
    });
    // The escrow, the contract of anchors, and the factory of passkey accounts.
    expect((await cost()) - alone).toBe(parseEther("0.75"));
  });
});
