import { describe, expect, test } from "vitest";
import { Earnest, fromBaseUnits, toBaseUnits } from "../src/index.ts";

const sent: string[] = [];
const client = new Earnest({
  baseUrl: "https://market.example",
  fetch: async (url, init) => {
    sent.push(`${url} ${init?.body ?? ""}`);
    return Response.json({});
  },
});
const service = { slug: "s", title: "S", delivery_time_hours: 1 };

describe("money is never a float", () => {
  test("a number is refused before anything is sent, by the types and at run time", async () => {
    // @ts-expect-error: a price is text
    await expect(client.services.create("a", { ...service, price: 2.5 })).rejects.toThrow(TypeError);
    // @ts-expect-error: base units are not what a price is written in
    await expect(client.services.create("a", { ...service, price: 2_500_000n })).rejects.toThrow(
      "fromBaseUnits",
    );
    // @ts-expect-error: nor is a query's
    await expect(client.marketplace.searchServices({ max_price: 10 })).rejects.toThrow(
      "max_price is a number",
    );
    const limits = { per_day: 50 };
    // @ts-expect-error: nor is one of a key's limits
    await expect(client.apiKeys.create({ name: "k", scopes: ["orders:read"], limits })).rejects.toThrow(
      "per_day is a number",
    );
    // @ts-expect-error: a deadline may be beyond 2^53
    await expect(client.orders.release("ord_1", { signature: "0x", deadline: 1e21 })).rejects.toThrow(
      "deadline",
    );
    expect(sent).toEqual([]);
  });

  test.each(["1e3", "-1", "1,5", ".5", "01", " 1", "NaN", "", "1.", "0x1"])(
    "the text %j is refused too",
    async (price) => {
      await expect(client.services.create("a", { ...service, price })).rejects.toThrow("exact decimal");
    },
  );

  test("exact texts go out to the letter, and bigints where a contract counts", async () => {
    sent.length = 0;
    await client.services.create("a", { ...service, price: "0.10000000000000000001" });
    await client.services.update("a", "s", { price: null });
    await client.orders.release("ord_1", { signature: "0x", deadline: 2n ** 255n });
    expect(sent[0]).toContain('"price":"0.10000000000000000001"');
    expect(sent[1]).toContain('"price":null');
    expect(sent[2]).toContain(`"deadline":"${2n ** 255n}"`);
  });
});

describe("amounts and base units", () => {
  test.each([
    ["12.50", 6, 12_500_000n, "12.500000"],
    ["0.1", 18, 100_000_000_000_000_000n, "0.100000000000000000"],
    ["7", 0, 7n, "7"],
    [
      "340282366920938463463.374607431768211455",
      18,
      2n ** 128n - 1n,
      "340282366920938463463.374607431768211455",
    ],
  ])("%s with %i decimals", (amount, decimals, units, written) => {
    expect(toBaseUnits(amount, decimals)).toBe(units);
    expect(fromBaseUnits(units, decimals)).toBe(written);
  });

  test("nothing is rounded", () => {
    expect(() => toBaseUnits("0.0000001", 6)).toThrow(TypeError);
    expect(() => toBaseUnits(1.5 as never, 6)).toThrow(TypeError);
    expect(() => fromBaseUnits(1 as never, 6)).toThrow(TypeError);
    expect(() => fromBaseUnits(-1n, 6)).toThrow(TypeError);
  });
});
