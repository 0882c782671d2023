import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keepRows } from "../../../api/http/kept-rows.ts";
import { order } from "../../../db/schema.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { ask, createMarket, type Market, place } from "../../harness/market/market.ts";

let market: Market;
let cold: Market;

beforeAll(async () => {
  market = await createMarket({ env: { ANSWER_CACHE_MB: "1" } });
  cold = await createMarket();
});
afterAll(async () => {
  await market?.api.close();
  await cold?.api.close();
});

const list = async (at: Market, path = "/orders", who = at.buyer): Promise<Answer["body"]> =>
  expectStatus(200, await ask(at, who, "GET", path));

describe("lists of orders whose rows are kept", () => {
  test("show each change of an order at once, to both parties", async () => {
    const placed = await place(market);
    const { input_payload: _input, output_payload: _output, ...shown } = placed;
    for (const _ of [1, 2, 3]) expect((await list(market)).items).toEqual([shown]);
    const now = new Date();
    const changes: Partial<typeof order.$inferInsert>[] = [
      { status: "expired" },
      { fundedAt: now },
      { reference: "E-GRÜßE" },
      { approvalStatus: "pending", approvalRequestedAt: now },
      { approvalStatus: null },
      { amount: 12_345_678n },
    ];
    for (const change of changes) {
      await market.api.db.update(order).set(change).where(eq(order.id, placed.id));
      const one = expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${placed.id}`));
      const { input_payload: _in, output_payload: _out, ...changed } = one;
      for (const path of ["/orders", "/orders?limit=1", `/orders?status=${one.status}`]) {
        expect((await list(market, path)).items).toEqual([changed]);
      }
      expect((await list(market, "/orders/received", market.provider)).items).toEqual([
        { ...changed, approval: null },
      ]);
    }
  });

  test("tell the total and the next page of now, as lists do that keep nothing", async () => {
    for (const each of [market, cold]) for (const _ of [1, 2, 3]) await place(each);
    for (const each of [market, cold]) {
      const first = await list(each, "/orders?limit=2");
      expect(await list(each, "/orders?limit=2")).toEqual(first);
      await place(each);
      const whole = await list(each);
      expect(whole.total).toBe(first.total + 1);
      expect(whole.items.slice(1, 3)).toEqual(first.items);
      const paged = await list(each, `/orders?limit=2&cursor=${first.next_cursor}`);
      expect(paged.items).toEqual(whole.items.slice(3, 5));
      const withPayloads = await list(each, "/orders?include=payloads");
      expect(withPayloads.items[0].input_payload).toEqual({ text: "Guten Tag" });
    }
    expect(Object.keys((await list(market)).items[0])).toEqual(Object.keys((await list(cold)).items[0]));
    expect(Object.keys(await list(market))).toEqual(Object.keys(await list(cold)));
  });
});

describe("keepRows", () => {
  const text = "x".repeat(300);

  test("writes again only what is made of something else, and for each account by itself", () => {
    const written: string[] = [];
    const rows = keepRows(100_000);
    const show = (account: string, id: string, source: string) =>
      rows.of(account)(id, source, () => {
        written.push(`${account} ${id} ${source}`);
        return `${account} ${source}`;
      });
    for (const source of ["one", "one", "two", "two", "one"]) {
      expect(show("a", "1", source)).toBe(`a ${source}`);
      expect(show("b", "1", source)).toBe(`b ${source}`);
    }
    expect(written).toEqual(["a 1 one", "b 1 one", "a 1 two", "b 1 two", "a 1 one", "b 1 one"]);
  });

  test("forgets the account that asked longest ago, keeps no more than its bytes, and an eighth of them of one account", () => {
    let written = 0;
    // A row here is 800 bytes: ten of them, and one of each account.
    const rows = keepRows(8000);
    const show = (account: string, id = "1") => {
      const before = written;
      rows.of(account)(id, text, () => {
        written += 1;
        return text;
      });
      return written > before ? "written" : "kept";
    };
    for (const account of "abcdefghij") expect(show(account)).toBe("written");
    for (const account of "abcdefghij") expect(show(account)).toBe("kept");
    expect(show("k")).toBe("written");
    expect(show("b")).toBe("kept");
    expect(show("a")).toBe("written");
    // Who pages through many takes nobody's place.
    for (let id = 0; id < 100; id += 1) expect(show("b", `${id + 2}`)).toBe("written");
    for (const account of "defghijka") expect(show(account)).toBe("kept");
    // What is larger than a share is not kept.
    const large = () => rows.of("l")("1", "x".repeat(1000), () => String(Math.random()));
    expect(large()).not.toBe(large());
    for (const account of "defghijka") expect(show(account)).toBe("kept");
  });

  test("counts what two pages of an account keep at one time once, however often that happens", () => {
    let written = 0;
    const rows = keepRows(8000);
    const write = () => {
      written += 1;
      return text;
    };
    for (let account = 0; account < 100; account += 1) {
      const pages = [rows.of(`${account}`), rows.of(`${account}`)];
      for (const page of pages) page("1", text, write);
    }
    // A row here is 800 bytes, so ten accounts have room for theirs.
    written = 0;
    for (let account = 90; account < 100; account += 1) rows.of(`${account}`)("1", text, write);
    expect(written).toBe(0);
  });
});
