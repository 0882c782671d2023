import { parseEther, parseGwei } from "viem";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../config/config.ts";
import { baseChainSettings } from "../harness/fixtures/fixture.ts";

const base = await baseChainSettings();
const read = (env: Record<string, string> = {}) => {
  const config = readConfig({ ...base, ...env });
  return { ...config.defaultChain, relayGasPerHour: config.relayGasPerHour };
};

describe("the relayer's settings", () => {
  test("default to values for the local chain", () => {
    expect(read()).toMatchObject({
      max_fee_per_gas: parseGwei("1000"),
      min_relay_amount: 0n,
      relayer_low_balance: parseEther("3"),
      relay_gas_per_hour: 300_000_000,
      relayGasPerHour: 20_000_000,
    });
  });

  test("are exact decimals, and the low balance follows the highest fee", () => {
    expect(
      read({
        MAX_FEE_GWEI_31337: "0.02",
        MIN_RELAY_AMOUNT_31337: "0.25",
        RELAY_GAS_PER_HOUR: "7000000",
        RELAY_GAS_PER_HOUR_31337: "9000000",
      }),
    ).toMatchObject({
      max_fee_per_gas: 20_000_000n,
      min_relay_amount: 250_000n,
      relayer_low_balance: parseEther("0.00006"),
      relay_gas_per_hour: 9_000_000,
      relayGasPerHour: 7_000_000,
    });
    expect(read({ RELAYER_LOW_BALANCE_31337: "1.5" }).relayer_low_balance).toBe(parseEther("1.5"));
  });

  test("SETTLE_WHEN_DUE is on unless it is false, and accepts only true or false", () => {
    const due = (env: Record<string, string>) =>
      readConfig({ DEPLOYMENTS_DIR: "none", ...env }).settleWhenDue;
    expect([due({}), due({ SETTLE_WHEN_DUE: "true" }), due({ SETTLE_WHEN_DUE: "false" })]).toEqual([
      true,
      true,
      false,
    ]);
    expect(() => due({ SETTLE_WHEN_DUE: "no" })).toThrow("SETTLE_WHEN_DUE");
  });

  test.each([
    ["MAX_FEE_GWEI_31337", "0"],
    ["MAX_FEE_GWEI_31337", "-1"],
    ["MAX_FEE_GWEI_31337", "ten"],
    ["MIN_RELAY_AMOUNT_31337", "0.0000001"],
    ["RELAYER_LOW_BALANCE_31337", "1e18"],
    ["RELAY_GAS_PER_HOUR", "999999"],
    ["RELAY_GAS_PER_HOUR_31337", "0"],
  ])("%s=%s is refused by its name", (name, value) => {
    expect(() => read({ [name]: value })).toThrow(name);
  });
});
