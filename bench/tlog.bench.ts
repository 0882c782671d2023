import { sql } from "drizzle-orm";
import { afterAll, beforeAll, test } from "vitest";
import { inTransaction } from "../db/transaction.ts";
import { expectStatus } from "../test/harness/api.ts";
import { createLogFolder, queueFacts, startSequencer } from "../test/harness/jobs/tlog.ts";
import { ask, createMarket, type Market, placeFunded } from "../test/harness/market/market.ts";
import { verifyProof } from "../tlog/proof.ts";
import { printTable, quantile, reportFigure } from "./figures.ts";

const entries = 1_000_000;
/** What the sequencer takes at once, and so the rows of one bare insert. */
const batch = 512;
const asked = 200;

let market: Market;
let folder: ReturnType<typeof createLogFolder>;
let receiptId: string;

beforeAll(async () => {
  folder = createLogFolder();
  market = await createMarket();
  const { id } = await placeFunded(market);
  const { items } = expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${id}/receipts`));
  receiptId = items[0].id;
});
afterAll(async () => {
  await market?.api.close();
  folder?.remove();
});

test(`a log of ${entries} entries: adding beside a bare insert, proofs and tiles`, async () => {
  const { db } = market.api;
  const sequencer = await startSequencer(db, folder.files);
  await queueFacts(db, entries - 2);
  const began = performance.now();
  await sequencer.run();
  const added = entries / ((performance.now() - began) / 1000);
  const { rows } = await db.execute<{ size: number }>(
    sql`select shown_size::int as size from earnest.log_head`,
  );
  const size = rows[0]?.size ?? 0;
  if (size < entries - 2) throw new Error(`The log has ${size} entries.`);

  await db.execute(sql`create table bare (like earnest.log_entry including all)`);
  const bareRows = 50_000;
  const bareBegan = performance.now();
  for (let first = 0; first < bareRows; first += batch) {
    await inTransaction(db, (tx) =>
      tx.execute(sql`
        insert into bare select * from earnest.log_entry where index >= ${first} and index < ${first + batch}`),
    );
  }
  const bare = bareRows / ((performance.now() - bareBegan) / 1000);

  const vkey = await (await market.api.app.request("/log/vkey")).text();
  const proofs = await time(async () => {
    const proof = expectStatus(200, await market.api.request("GET", `/receipts/${receiptId}/proof`));
    return proof as string;
  });
  const entry = Buffer.from(/^extra (.*)$/m.exec(proofs.last)?.[1] ?? "", "base64");
  const checked = verifyProof(proofs.last, new Uint8Array(entry), { vkey: vkey.trim() });
  if (!checked.valid) throw new Error(checked.message);
  const checks = await time(async () =>
    verifyProof(proofs.last, new Uint8Array(entry), { vkey: vkey.trim() }),
  );
  const tile = (path: (index: string) => string) =>
    time(async () => {
      const index = String(Math.floor(Math.random() * 3900)).padStart(6, "0");
      const answer = await market.api.app.request(path(`x${index.slice(0, 3)}/${index.slice(3)}`));
      return await answer.arrayBuffer();
    });
  const [tiles, bundles] = [
    await tile((at) => `/log/tile/0/${at}`),
    await tile((at) => `/log/tile/entries/${at}`),
  ];

  printTable(`a log of ${size} entries`, [
    ["", "median", "99th percentile"],
    ["a receipt's proof, ms", ms(proofs.median), ms(proofs.late)],
    ["the check of a proof, portable, ms", ms(checks.median), ms(checks.late)],
    ["a tile, ms", ms(tiles.median), ms(tiles.late)],
    ["a bundle of 256 entries, ms", ms(bundles.median), ms(bundles.late)],
    ["entries added a second", added.toFixed(0), ""],
    [`rows inserted a second, ${batch} at once`, bare.toFixed(0), ""],
  ]);
  reportFigure({
    name: "tlog: a receipt's proof in a million entries, median",
    of: "ms",
    value: proofs.median,
    better: "lower",
  });
  reportFigure({
    name: "tlog: a tile of a million entries, median",
    of: "ms",
    value: tiles.median,
    better: "lower",
  });
  reportFigure({
    name: "tlog: entries added, 512 at once",
    of: "a bare insert of the same rows",
    value: added / bare,
    better: "higher",
  });
});

const ms = (value: number) => value.toFixed(2);

async function time<T>(work: () => Promise<T>): Promise<{ median: number; late: number; last: T }> {
  let last = await work();
  const samples: number[] = [];
  for (let i = 0; i < asked; i++) {
    const began = performance.now();
    last = await work();
    samples.push(performance.now() - began);
  }
  return { median: quantile(samples, 0.5), late: quantile(samples, 0.99), last };
}
