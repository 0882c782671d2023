// npm run scale: computes machines, disks and cost for orders a day. docs/scale.md says where the figures come from.

import { parseArgs } from "node:util";
import { openPostgres } from "../db/postgres.ts";
import { fillCopies, prepareFill, readSeeds, readTableSizes } from "../tools/scale/fill.ts";
import { plan, usualPrices, usualSite } from "../tools/scale/model.ts";

const usage = `npm run scale                                plans 1, 10 and 100 million orders a day
npm run scale -- --orders N                  plans N orders a day
npm run scale -- --sizes URL                 measures rows and bytes an order in a database of Earnest
npm run scale -- --fill N --from URL --into URL
                                             writes about N copies of the settled orders of one database into an empty, migrated one

--peak, --use, --core and --gigabyte set the peak in relation to the mean, the part of the processors that the peak may use,
and the prices of a core and of a gigabyte for a month.`;

const number = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    help: { type: "boolean", short: "h" },
    orders: number,
    peak: number,
    use: number,
    core: number,
    gigabyte: number,
    sizes: { type: "string" },
    fill: number,
    from: { type: "string" },
    into: { type: "string" },
  },
});
const numbers = [values.orders, values.peak, values.use, values.core, values.gigabyte, values.fill];
const isInvalid =
  numbers.some((given) => given !== undefined && !(Number(given) > 0)) ||
  (values.fill !== undefined) !== (values.from !== undefined && values.into !== undefined);
if (values.help || isInvalid) {
  (values.help ? console.log : console.error)(usage);
  process.exit(values.help ? 0 : 1);
}

if (values.sizes) await printSizes(values.sizes);
else if (values.fill && values.from && values.into)
  await fill({ orders: Number(values.fill), from: values.from, into: values.into });
else printPlans(values.orders ? [Number(values.orders)] : [1e6, 1e7, 1e8]);

function printPlans(all: number[]): void {
  const site = {
    ...usualSite,
    ...(values.peak ? { peak: Number(values.peak) } : {}),
    ...(values.use ? { use: Number(values.use) } : {}),
  };
  const prices = {
    core: Number(values.core ?? usualPrices.core),
    gigabyte: Number(values.gigabyte ?? usualPrices.gigabyte),
  };
  console.table(
    Object.fromEntries(
      all.map((orders) => {
        const planned = plan(orders, { site, prices });
        const { ordersAtPeak, shards, primaryCores, machines, cores, gigabytes, chains } = planned;
        return [
          `${orders.toLocaleString("en")} a day`,
          {
            "orders/s at the peak": Math.round(ordersAtPeak),
            shards,
            "cores of a primary": primaryCores,
            databases: machines.databases,
            "API, worker, indexer, proxy": [
              machines.api,
              machines.worker,
              machines.indexer,
              machines.proxies,
            ].join(", "),
            cores,
            "TB of all copies": Math.round(gigabytes.all / 1000),
            "MB/s of log": Math.round(planned.logMegabytes),
            relayers: chains,
            "cost a month": Math.round(planned.costOfMonth),
          },
        ];
      }),
    ),
  );
}

/** Prints rows and bytes for each order, of each table and of its indexes. */
async function printSizes(url: string): Promise<void> {
  const sql = openPostgres(url);
  try {
    const tables = await readTableSizes(sql);
    const orders = tables.find(({ table }) => table === "order")?.rows ?? 0;
    if (orders === 0) throw new Error("The database has no orders.");
    for (const { table, rows, heap, indexes } of tables) {
      const ofIndexes = indexes.reduce((sum, { bytes }) => sum + bytes, 0);
      console.log(
        `${table}: ${(rows / orders).toFixed(2)} rows, ${(heap / orders).toFixed(0)} bytes of the table and ${(ofIndexes / orders).toFixed(0)} of indexes an order`,
      );
      for (const { name, bytes } of indexes)
        console.log(`    ${name}: ${(bytes / Math.max(1, rows)).toFixed(0)} bytes a row`);
    }
  } finally {
    await sql.end();
  }
}

async function fill({ orders, from, into }: { orders: number; from: string; into: string }): Promise<void> {
  const [source, target] = [openPostgres(from), openPostgres(into)];
  try {
    const seeds = await readSeeds(source);
    await prepareFill(target, seeds);
    const copies = Math.ceil(orders / seeds.orders);
    await fillCopies(target, {
      copies: { from: 1, to: copies + 1 },
      stepSeconds: 1,
      say: (line) => console.log(line),
    });
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
  await printSizes(into);
}
