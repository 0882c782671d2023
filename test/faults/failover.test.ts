import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { createWebhookKeyFile } from "../../config/keys/webhook-key.ts";
import { migrateDatabase } from "../../db/migrate.ts";
import { startDatabases } from "../../tools/cluster/databases.ts";
import { type Front, startProxy } from "../../tools/cluster/proxy.ts";
import { kill, urlOf } from "../../tools/cluster/server.ts";
import { runStatement } from "../../tools/stack/postgres.ts";
import { type Child, findFreePort } from "../../tools/stack/process.ts";
import { startApi } from "../../tools/stack/services.ts";
import { forkChain } from "../harness/chain.ts";
import { getFixture } from "../harness/fixtures/fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "earnest-failover-"));
const children: Child[] = [];
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const step of closing.reverse()) await step();
  await Promise.all(children.map((child) => child.stop(100)));
  rmSync(folder, { recursive: true, force: true });
});

test("a primary that is killed under writes is replaced by its standby, which has every answered write", async () => {
  chmodSync(folder, 0o755);
  const started = (child: Child) => void children.push(child);
  const lines: string[] = [];
  const [chain, databases, port] = await Promise.all([
    forkChain(),
    // Processes die here, never the machine.
    startDatabases({ folder, started, settings: { fsync: "off" }, say: (line) => lines.push(line) }),
    findFreePort(),
    // The API serves them.
    getFixture("webFiles"),
  ]);
  const { agent, fronts } = databases;
  closing.push(
    () => chain.close(),
    () => agent.stop(),
  );
  for (const path of databases.directories)
    closing.unshift(() => rmSync(path, { recursive: true, force: true }));
  const front: Front = {
    ...{ name: "api", mode: "http", check: "/health", port: await findFreePort() },
    servers: [{ name: "api", port, checkPort: port }],
  };
  await migrateDatabase(urlOf(agent.primary(), "earnest"));
  await startProxy([fronts.primary, fronts.standby, front], folder, { haproxy: null, started });
  createWebhookKeyFile(join(folder, "webhooks.key"));
  const through = `postgres://earnest:earnest@127.0.0.1:${fronts.primary.port}/earnest`;
  const env = {
    ...chain.env,
    DATABASE_URL: through,
    PORT: String(port),
    METRICS_PORT: "0",
    PUBLIC_URL: `http://localhost:${front.port}`,
    RATE_LIMITS: "off",
    WEBHOOK_KEY_FILE: join(folder, "webhooks.key"),
  };
  await startApi(env, join(folder, "api.log"), started);
  await expect.poll(() => agent.mayPromote(), { timeout: 20_000 }).toBe(true);

  const acknowledged: string[] = [];
  let isWriting = true;
  const writing = Array.from({ length: 4 }, async () => {
    while (isWriting) {
      const answer = await fetch(`http://127.0.0.1:${front.port}/api/v1/auth/nonce`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ address: `0x${"12".repeat(20)}`, chain_id: chain.chain.chain_id }),
        signal: AbortSignal.timeout(3000),
      }).catch(() => null);
      const body = answer?.ok ? ((await answer.json().catch(() => null)) as { nonce: string } | null) : null;
      if (body) acknowledged.push(body.nonce);
      else await sleep(50);
    }
  });
  await expect.poll(() => acknowledged.length, { timeout: 10_000 }).toBeGreaterThan(50);
  const [old, next] = [agent.primary(), agent.standby()];
  kill(old);
  await expect.poll(() => agent.primary(), { timeout: 15_000 }).toBe(next);
  const before = acknowledged.length;
  await expect.poll(() => acknowledged.length, { timeout: 15_000 }).toBeGreaterThan(before + 50);
  // The killed server returns as a standby, and confirms.
  await expect.poll(() => agent.mayPromote(), { timeout: 20_000 }).toBe(true);
  expect(agent.standby()).toBe(old);
  isWriting = false;
  await Promise.all(writing);

  for (const server of [next, old]) {
    const read = async () => {
      const rows = await runStatement(urlOf(server, "earnest"), "select nonce from earnest.sign_in_nonce");
      const nonces = new Set(rows.map((row) => (row as { nonce: string }).nonce));
      return acknowledged.filter((nonce) => !nonces.has(nonce));
    };
    await expect.poll(read, { timeout: 5000 }).toEqual([]);
  }
  const standby = `postgres://earnest:earnest@127.0.0.1:${fronts.standby.port}/earnest`;
  const inRecovery = () => runStatement(standby, "select pg_is_in_recovery() as is").catch(() => null);
  await expect.poll(inRecovery, { timeout: 5000 }).toEqual([{ is: true }]);
}, 60_000);
