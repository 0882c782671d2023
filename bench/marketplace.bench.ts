import { loadavg } from "node:os";
import { afterAll, inject, test } from "vitest";
import { openDatabase } from "../db/client.ts";
import { createTestApi, type TestApi } from "../test/harness/api.ts";
import { printTable } from "./figures.ts";
import { type Measured, measureMarket, signInBusy } from "./marketplace.load.ts";
import { fillMarket } from "./marketplace.market.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** services of the larger market, and as many orders */
    marketServices: number | undefined;
  }
}

const sizes = [10_000, inject("marketServices") ?? 100_000] as const;
const measured: Measured[][] = [];

/** One at a time, so that neither is in the other's memory. */
let api: TestApi | undefined;
afterAll(() => api?.close());

test.each(sizes)(
  "answers of a market of %i services and as many orders",
  { timeout: 3_600_000 },
  async (services) => {
    api = await createTestApi();
    // An index of so many rows takes longer than a job's statement may.
    const filling = openDatabase(api.config.databaseUrl, { max: 1, statementSeconds: 0 });
    await fillMarket(filling, { services, agents: services / 20, orders: services });
    await filling.$client.end();
    measured.push(await measureMarket(api, await signInBusy(api)));
    await api.close();
    api = undefined;
  },
);

test("growth", () => {
  const [small = [], large = []] = measured;
  const smallOf = new Map(small.map((row) => [row.name, row]));
  printTable(
    `GET, in process: ms at ${sizes[0]} and at ${sizes[1]} services and orders; load average ${loadavg()[0]?.toFixed(1)}`,
    [
      ["", "median", "p99", "median", "p99", "of", "growth (median)"],
      ...large.map(({ name, median, p99, times }) => {
        const before = smallOf.get(name);
        const growth = before ? (median / before.median).toFixed(1) : "";
        return [name, before?.median ?? "", before?.p99 ?? "", median, p99, String(times), growth];
      }),
    ],
  );
});
