import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { migrateDatabase } from "../../db/migrate.ts";
import { buildWeb } from "../../tools/build/web.ts";
import { deployContracts, writeManifest } from "../../tools/deploy/deployment.ts";
import { localAccounts, placeMulticall3, startAnvil } from "../../tools/stack/anvil.ts";
import {
  initialisePostgres,
  type Postgres,
  placePostgres,
  runStatement,
  startPostgres,
} from "../../tools/stack/postgres.ts";
import { type Child, findFreePort } from "../../tools/stack/process.ts";
import { startIndexer } from "../../tools/stack/services.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the server's maintenance database */
    postgresUrl: string;
    templateDatabase: string;
    /** the base chain, with the contracts deployed */
    baseRpcUrl: string;
    /** holds the base chain's manifest */
    baseDeployments: string;
  }
}

const templateDatabase = "template_earnest";

/**
 * One PostgreSQL and one base chain for the whole run, and a template database: migrated, and with the views that
 * real Ponder makes.
 *
 * @param options.light whether reaching PostgreSQL is to take less processor time: by a socket of its folder, half that of TCP,
 *   and with one round of hashing, as the others are against guesses at a password
 */
export default async function setUp(project: TestProject, { light = false } = {}) {
  await buildWeb();
  const folder = mkdtempSync(join(tmpdir(), "earnest-test-"));
  chmodSync(folder, 0o755);
  const cluster = placePostgres(join(folder, "postgres"));
  const started: Child[] = [];
  const tearDown = async () => {
    for (const child of started.reverse()) await child.stop(10_000);
    for (const directory of [cluster, folder]) rmSync(directory, { recursive: true, force: true });
  };
  try {
    const [server, base] = await Promise.all([startServer(), startBaseChain()]);
    await buildTemplate(server, base);
    project.provide("postgresUrl", `${server.url("postgres")}${light ? `?host=${cluster}` : ""}`);
    project.provide("templateDatabase", templateDatabase);
    project.provide("baseRpcUrl", base.rpcUrl);
    project.provide("baseDeployments", base.deployments);
  } catch (error) {
    await tearDown();
    throw error;
  }
  return tearDown;

  async function startServer(): Promise<Postgres> {
    initialisePostgres(cluster);
    const server = await startPostgres({
      directory: cluster,
      port: await findFreePort(),
      logFile: join(folder, "postgres.log"),
      settings: {
        ...{ fsync: "off", full_page_writes: "off", synchronous_commit: "off", max_connections: "400" },
        // For commits in two phases, which refuse a transaction that notifies.
        max_prepared_transactions: "8",
        ...(light ? { unix_socket_directories: cluster, scram_iterations: "1" } : {}),
      },
    });
    started.push(server.child);
    if (light) await runStatement(server.url("postgres"), "alter role earnest password 'earnest'");
    return server;
  }

  async function startBaseChain() {
    const { child, rpcUrl } = await startAnvil({ port: 0, logFile: join(folder, "anvil.log") });
    started.push(child);
    await placeMulticall3(rpcUrl);
    const deployments = join(folder, "deployments");
    const manifest = await deployContracts({
      rpcUrl,
      account: localAccounts.deployer,
      arbiter: localAccounts.arbiter.address,
      pollingInterval: 20,
    });
    writeManifest(deployments, manifest);
    return { rpcUrl, deployments };
  }

  async function buildTemplate(server: Postgres, base: { rpcUrl: string; deployments: string }) {
    await runStatement(server.url("postgres"), `create database ${templateDatabase}`);
    const url = server.url(templateDatabase);
    await migrateDatabase(url);
    const indexer = await startIndexer(
      {
        DATABASE_URL: url,
        DEPLOYMENTS_DIR: base.deployments,
        RPC_URL_31337: base.rpcUrl,
        PORT: String(await findFreePort()),
        METRICS_PORT: "0",
      },
      join(folder, "indexer.log"),
    );
    await indexer.stop();
  }
}
