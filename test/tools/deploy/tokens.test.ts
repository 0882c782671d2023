import { readFileSync, writeFileSync } from "node:fs";
import type { Address, Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { knownTokens } from "../../../protocol/settlement/known-tokens.ts";
import { findNetwork, networks } from "../../../protocol/settlement/networks.ts";
import { localRelayerKey } from "../../../tools/stack/local-chain.ts";
import { placeToken, startTarget, type Target } from "../../harness/deploy.ts";
import { tokenDeployer } from "../../harness/flows/tokens.ts";

const baseId = 8453;
const [eurc, dai] = knownTokens(baseId).map(({ address }) => address) as [Address, Address];

test("every network's known tokens are different ones, with a currency each", () => {
  for (const { chain_id, token } of networks) {
    const known = knownTokens(chain_id);
    const all = new Set([...known.map(({ address }) => address), token?.address]);
    expect(all.size).toBe(known.length + 1);
    for (const { currency } of known) expect(["USD", "EUR"]).toContain(currency);
  }
  expect(knownTokens(97_531)).toEqual([]);
});

describe.sequential("the tokens of a manifest", () => {
  let base: Target;
  let tokens: Awaited<ReturnType<typeof tokenDeployer>>;
  const args = ["--chain", "base"];
  const paid = { DEPLOYER_PRIVATE_KEY: localRelayerKey, CONFIRMATIONS_8453: "1" };
  beforeAll(async () => {
    base = await startTarget(baseId);
    tokens = await tokenDeployer(base.rpcUrl);
    const usdc = findNetwork(baseId)?.token;
    if (usdc) await placeToken(base, usdc);
    await place("AllowingToken", dai);
    await place("FeeToken", eurc);
  });
  afterAll(() => base?.close());

  /** Puts the code of a token of tokens.sol at a known token's address. */
  async function place(contract: string, address: Address): Promise<void> {
    const made = await tokens.deploy(contract);
    const bytecode = (await base.reader.getCode({ address: made })) as Hex;
    await base.node.setCode({ address, bytecode });
    for (const slot of [0, 1]) {
      const index = `0x${slot.toString(16).padStart(64, "0")}` as Hex;
      const value = (await base.reader.getStorageAt({ address: made, slot: index })) as Hex;
      await base.node.setStorageAt({ address, index, value });
    }
  }
  const symbols = () => base.readManifest().other_tokens?.map(({ symbol }: { symbol: string }) => symbol);

  test("a new one lists the network's known tokens that are suitable, and says why it leaves one out", async () => {
    const dry = await base.deploy([...args, "--dry-run"]);
    expect(dry.output).toContain(`${dai}: DAI, for prices in USD`);
    const { code, output } = await base.deploy(args, paid);
    expect(code, output).toBe(0);
    expect(output).toContain(`left out of the tokens: The token ${eurc} keeps a fee`);
    expect(base.readManifest().other_tokens).toEqual([
      { address: dai, symbol: "DAI", decimals: 18, name: "Dai Stablecoin", version: "1", currency: "USD" },
    ]);
  });

  test("--add-token adds one without a key or a transaction, once, and another run keeps it", async () => {
    const head = await base.reader.getBlockNumber();
    const token = await tokens.deploy("SilentToken");
    const added = await base.deploy([...args, "--add-token", token, "--currency", "USD"]);
    expect(added.code, added.output).toBe(0);
    expect(added.output).toContain(`added  ${token}: USDT, 6 decimals, for prices in USD`);
    expect(symbols()).toEqual(["DAI", "USDT"]);
    const again = await base.deploy([...args, "--add-token", token]);
    expect([again.code, again.output]).toEqual([1, expect.stringContaining("already lists the token")]);
    expect(await base.reader.getBlockNumber()).toBe(head + 1n);
    expect((await base.deploy(args, paid)).code).toBe(0);
    expect(symbols()).toEqual(["DAI", "USDT"]);
    expect((await base.deploy([...args, "--check"])).code).toBe(0);
  });

  test("a retired token stays retired, and --check compares it too", async () => {
    const whole = base.readManifest();
    const other_tokens = [{ ...whole.other_tokens[0], retired: true }, ...whole.other_tokens.slice(1)];
    writeFileSync(base.file, JSON.stringify({ ...whole, other_tokens }));
    expect((await base.deploy(args, paid)).code).toBe(0);
    expect(base.readManifest().other_tokens).toEqual(other_tokens);
    const checked = await base.deploy([...args, "--check"]);
    expect(checked.code, checked.output).toBe(0);
    writeFileSync(base.file, JSON.stringify(whole));
  });

  test("--add-token refuses an unsuitable token, a wrong currency, and a chain without a manifest", async () => {
    const refuse = async (token: Address, sentence: string, more: string[] = [], target = base) => {
      const { code, output } = await target.deploy(["--add-token", token, ...more], {
        DEPLOY_RPC_URL: target.rpcUrl,
      });
      expect([code, output]).toEqual([1, expect.stringContaining(sentence)]);
    };
    const whole = readFileSync(base.file, "utf8");
    await refuse(await tokens.deploy("FeeToken"), "keeps a fee");
    await refuse(await tokens.deploy("RebasingToken"), "changes balances by itself");
    const taken = "could be taken for each other";
    await refuse(
      await tokens.deploySimple("USDC", 6),
      `${taken}: a symbol of one is the symbol of the other`,
    );
    await refuse(
      await tokens.deploySimple("USD", 6),
      `${taken}: a symbol of one is the currency of the other`,
    );
    await refuse(await tokens.deploySimple("USDС", 6), "so that it looks like no other symbol");
    await refuse(await tokens.deploySimple("OK", 6), "must be a currency", ["--currency", "dollars"]);
    expect(readFileSync(base.file, "utf8")).toBe(whole);
    const other = await startTarget(97_531);
    try {
      await refuse(eurc, "deploy the contracts first", [], other);
    } finally {
      await other.close();
    }
  });

  test("--check finds a token that gives other decimals than the manifest", async () => {
    const whole = readFileSync(base.file, "utf8");
    writeFileSync(base.file, whole.replace(/"decimals": ?18/, '"decimals": 6'));
    const { code, output } = await base.deploy([...args, "--check"]);
    writeFileSync(base.file, whole);
    expect(code).toBe(1);
    expect(output).toMatch(/The token in .* is \{.*"decimals":6.*\}, on the chain it is \{.*"decimals":18/);
  });

  test("a token of the manifest is not tried again: it may be paused", async () => {
    const whole = base.readManifest();
    const token = await tokens.deploy("FeeToken");
    const named = { address: token, symbol: "FEE", decimals: 6, name: "Fee", version: "1" };
    writeFileSync(base.file, JSON.stringify({ ...whole, token: named }));
    const { code, output } = await base.deploy(args, { ...paid, DEPLOY_TOKEN: token });
    expect(code, output).toBe(0);
  });
});
