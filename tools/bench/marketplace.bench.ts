import { loadavg } from "node:os";
import { afterAll, test } from "vitest";
import { openDatabase } from "../../db/client.ts";
import { createTestApi, type TestApi } from "../../test/harness/api.ts";
import { printTable, reportFigure } from "./figures.ts";
import { type Measured, measureMarket, signInBusyAccount } from "./marketplace.load.ts";
import { fillMarket } from "./marketplace.market.ts";

/** The numbers of services. Each market has as many orders. */
const sizes = [10_000, 100_000] as const;
const measured: Measured[][] = [];

/** The markets are measured one at a time, so that they do not share PostgreSQL's memory. */
let api: TestApi | undefined;
afterAll(() => api?.close());

test.each(sizes)(
  "answers of a market of %i services and as many orders",
  { timeout: 1_800_000 },
  async (services) => {
    api = await createTestApi();
    // Building an index of so many rows exceeds the usual limit of a statement.
    const filling = openDatabase(api.config.databaseUrl, { max: 1, statementSeconds: 0 });
    await fillMarket(filling, { services, agents: services / 20, orders: services });
    await filling.$client.end();
    measured.push(await measureMarket(api, await signInBusyAccount(api)));
    await api.close();
    api = undefined;
  },
);

test("growth", () => {
  const [small = [], large = []] = measured;
  const smallOf = new Map(small.map((row) => [row.name, row]));
  const growths = large.map(({ name, median }) => median / (smallOf.get(name)?.median ?? median));
  reportFigure({
    name: `market: slowest answer of ${sizes[1]} services, 99th percentile`,
    of: "ms",
    value: Math.max(...large.map(({ p99 }) => p99)),
    better: "lower",
  });
  reportFigure({
    name: `market: greatest growth of a median, from ${sizes[0]} to ${sizes[1]} services`,
    of: "the median of the smaller market",
    value: Math.max(...growths),
    better: "lower",
  });
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
