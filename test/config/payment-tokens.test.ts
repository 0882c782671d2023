import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { readManifests } from "../../config/chains.ts";
import { readConfig } from "../../config/config.ts";
import { tokenShape } from "../../config/payment-tokens.ts";
import { baseChainSettings } from "../harness/fixtures/fixture.ts";

const { DEPLOYMENTS_DIR: deployments = "" } = await baseChainSettings();
const [base] = readManifests(deployments);

type Listed = { symbol: string; currency?: string; retired?: boolean };
let made = 0;
const entry = (fields: Listed) => ({
  address: `0x${(++made).toString(16).padStart(40, "1")}` as Address,
  decimals: 6,
  name: "A token",
  version: "1",
  ...fields,
});

/** Reads the tokens of chains, each with a default token and others. */
function read(...chains: Listed[][]) {
  const folder = mkdtempSync(join(tmpdir(), "earnest-manifests-"));
  const ids = chains.map((_, at) => 900_001 + at);
  try {
    for (const [at, [token, ...others]] of chains.entries()) {
      const manifest = {
        ...base?.manifest,
        chain_id: ids[at],
        token: token && entry(token),
        other_tokens: others.map(entry),
      };
      writeFileSync(join(folder, `${ids[at]}.json`), JSON.stringify(manifest));
    }
    const nodes = Object.fromEntries(ids.map((id) => [`RPC_URL_${id}`, "http://127.0.0.1:1"]));
    return readConfig({ DEPLOYMENTS_DIR: folder, DEFAULT_CHAIN_ID: "900001", ...nodes }).chains;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the tokens of all manifests", () => {
  const usdc = { symbol: "USDC", currency: "USD" };

  test("may have one symbol on several chains, with one currency", () => {
    const [, second] = read([usdc, { symbol: "DAI", currency: "USD" }], [usdc, { symbol: "PLAY" }]);
    expect(second?.tokens.map(({ symbol }) => symbol)).toEqual(["USDC", "PLAY"]);
  });

  test.each<[what: string, token: Listed, word: string]>([
    ["the symbol of a token of another currency", { symbol: "USDC", currency: "EUR" }, "symbol"],
    ["its symbol in other letters", { symbol: "usdc" }, "symbol"],
    ["the currency of another token as its symbol", { symbol: "USD" }, "currency"],
    ["the symbol of another token as its currency", { symbol: "FAKE", currency: "USDC" }, "currency"],
  ])("refuse %s, on one chain or on two", (_, token, word) => {
    const sentence = new RegExp(`could be taken for each other: a symbol of one is the ${word} of the other`);
    expect(() => read([usdc, token])).toThrow(sentence);
    expect(() => read([usdc], [{ symbol: "ETC" }, token])).toThrow(sentence);
    expect(read([usdc], [{ symbol: "ETC" }, { ...token, retired: true }])).toHaveLength(2);
  });
});

test.each(["USDC", "USD₮0", "USDC.e", "€URO", "a-b_c+1$"])("a token may have the symbol %s", (symbol) => {
  expect(tokenShape.safeParse(entry({ symbol })).success).toBe(true);
});

test.each([
  ["a Cyrillic letter", "USDС"],
  ["a Greek letter", "ΕURC"],
  ["an accent", "USDC\u0301"],
  ["a hidden letter", "USD\u3164C"],
  ["a variation selector", "USDC\uFE0F"],
  ["a zero-width space", "USDC\u200B"],
  ["a space", "USDC "],
  ["a full-width sign", "USD＄"],
  ["nothing", ""],
])("a symbol with %s is refused", (_, symbol) => {
  expect(tokenShape.safeParse(entry({ symbol })).success).toBe(false);
});

test("a name with a hidden letter is refused", () => {
  expect(tokenShape.safeParse({ ...entry({ symbol: "A" }), name: "USD\u3164 Coin" }).success).toBe(false);
});
