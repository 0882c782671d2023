import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSpendingLimits } from "../cli/spending-limits.ts";

const limits = { perOrder: "5.00", perDay: "20.00" };
const usdc = { chain_id: 8453, token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" };
let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "earnest-spending-")), "paid");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

describe("what a wallet may pay through a program", () => {
  test("is bound for an order and for 24 hours, in a folder that only its owner may read", async () => {
    const spending = openSpendingLimits(folder, limits);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    await expect(spending.reserve("ord_1", "5.000001", usdc)).rejects.toThrow(
      /5.00 per order \(EARNEST_MAX_PER_ORDER\)/,
    );
    for (const order of ["ord_1", "ord_2", "ord_3"]) await spending.reserve(order, "5.000000", usdc);
    await spending.reserve("ord_4", "4.999999", usdc);
    // A repeated order is the same payment.
    await spending.reserve("ord_4", "4.999999", usdc);
    expect(await openSpendingLimits(folder, limits).spent(usdc)).toBe("19.999999");
    await expect(spending.reserve("ord_5", "0.000002", usdc)).rejects.toThrow(/20\.000001 within 24 hours/);
    await spending.reserve("ord_6", "0.000001", usdc);
    // Another token has its own sum, and so has the same address on another chain.
    const dai = { ...usdc, token: "0x77FF69D2C9b74391b07F8581EBAaFf7F1598C2C9" };
    await spending.reserve("ord_8", "5.000000000000000000000001", dai).catch(() => {});
    expect(await spending.spent(dai)).toBe("0.00");
    await spending.reserve("ord_8", "0.000000000000000000000001", dai);
    expect(await spending.spent(dai)).toBe("0.000000000000000000000001");
    expect(await spending.spent({ ...usdc, chain_id: 1 })).toBe("0.00");
    const yesterday = Date.now() - 86_400_001;
    writeFileSync(
      join(folder, "ord_1.json"),
      JSON.stringify({ token: `8453:${usdc.token.toLowerCase()}`, amount: "5.000000", at: yesterday }),
    );
    await spending.reserve("ord_7", "5.00", usdc);
    expect(() => openSpendingLimits(folder, { ...limits, perDay: "lots" })).toThrow(
      /EARNEST_MAX_PER_DAY has to be an amount/,
    );
  });

  test("holds for many payments at once, and a lock of a killed program does not stay", async () => {
    mkdirSync(join(folder, ".lock"), { recursive: true });
    const old = Date.now() / 1000 - 60;
    utimesSync(join(folder, ".lock"), old, old);
    const programs = Array.from({ length: 4 }, () => openSpendingLimits(folder, limits));
    const reservations = Array.from({ length: 12 }, (_, at) =>
      programs[at % 4]?.reserve(`ord_${at}`, "3.00", usdc),
    );
    const done = await Promise.allSettled(reservations);
    expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(6);
    expect(readdirSync(folder).filter((name) => name.endsWith(".json"))).toHaveLength(6);
    expect(await programs[0]?.spent(usdc)).toBe("18.00");
  });
});
