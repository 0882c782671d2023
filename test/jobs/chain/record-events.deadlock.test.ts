import pg from "pg";
import { expect, test } from "vitest";
import { readConfig } from "../../../config/config.ts";
import type { ReceiptSigner } from "../../../config/keys/signing-key.ts";
import { recordChainEvents } from "../../../jobs/chain/record-events.ts";
import { deploymentSchema } from "../../../tools/indexer/deployment-schema.ts";
import { createTestDatabase } from "../../harness/database.ts";
import { baseChainSettings } from "../../harness/fixtures/fixture.ts";

test("a worker that waits for a starting indexer holds no lock that the indexer takes later", async () => {
  const { url, db, close } = await createTestDatabase();
  const config = readConfig({
    DATABASE_URL: url,
    ...(await baseChainSettings()),
  });
  const indexer = new pg.Client({ connectionString: url });
  await indexer.connect();
  try {
    const schema = deploymentSchema(config);
    await indexer.query(`begin; lock table "${schema}".escrow_event`);
    const settled = recordChainEvents(db, config, {} as ReceiptSigner);
    await expect
      .poll(async () => {
        const waiting = `select from pg_locks where relation = '"${schema}".escrow_event'::regclass and not granted`;
        return (await indexer.query(waiting)).rowCount;
      })
      .toBe(1);
    await indexer.query(`lock table "${schema}"._ponder_checkpoint nowait; commit`);
    expect(await settled).toMatchObject({ facts: 0, failed: 0 });
  } finally {
    await indexer.end();
    await close();
  }
});
