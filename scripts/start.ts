// npm start: everything on this machine. See docs/operations.md for running it in parts.

import { parseArgs } from "node:util";
import { readStackConfig } from "../config/programs.ts";
import { ConfigError } from "../config.ts";
import { runDemo } from "../demo/order.ts";
import { apiPath } from "../settlement/vocabulary.ts";
import { startLocalStack } from "../stack/stack.ts";
import { emptyStateFolder, openStateFolder, takeLock } from "../stack/state.ts";
import { createSupervisor } from "../stack/supervisor.ts";

const usage = `npm start                brings up Earnest on this machine: PostgreSQL, a local chain with the
                         contracts, the indexer, the API, a worker. On an empty chain it then
                         settles one sample order. Ctrl-C stops all of it; the state is kept.
npm start -- --no-demo   without the sample order
npm start -- --reset     begins with an empty state: orders, accounts, chain and signing key are lost

Settings (.env or the environment, see .env.example): EARNEST_STATE_DIR, PORT, METRICS_PORT,
ANVIL_PORT, POSTGRES_PORT, PUBLIC_URL.`;

const begin = performance.now();
const supervisor = createSupervisor();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", short: "h" },
      reset: { type: "boolean" },
      "no-demo": { type: "boolean" },
    },
  });
  if (values.help) return console.log(usage);

  const config = readStackConfig();
  const state = openStateFolder(config.stateDir);
  const lock = await takeLock(state, (line) => console.log(`  ${line}`));
  supervisor.hold(lock, config);
  console.log(`Earnest, with its state in ${shortPath(state.directory)}`);
  if (values.reset) {
    emptyStateFolder(state);
    console.log("  the former state is removed");
  }

  const stack = await supervisor.finish(
    startLocalStack({ config, state, lock, report, started: supervisor.watch }),
  );
  const base = config.publicUrl;
  console.log(`Ready after ${seconds(performance.now() - begin)}.

  API           ${base}${apiPath}
  description   ${base}${apiPath}/docs (and openapi.json beside it)
  signing keys  ${base}/.well-known/did.json
  metrics       ${config.metrics.port === 0 ? "off (METRICS_PORT)" : `http://${config.metrics.host}:${config.metrics.port}/metrics and /metrics/earnest`}
  chain         ${stack.rpcUrl} (chain 31337, ${stack.manifest.token.symbol} ${stack.manifest.token.address})
  logs          ${shortPath(state.logs)}
`);
  if (stack.isEmpty && !values["no-demo"]) {
    console.log("The chain is empty, so one sample order goes through its life (--no-demo leaves it out).\n");
    try {
      await runDemo({
        baseUrl: `http://localhost:${config.apiPort}`,
        publicUrl: config.publicUrl,
        rpcUrl: stack.rpcUrl,
        print: console.log,
      });
    } catch (error) {
      if (supervisor.isStopping()) return;
      console.error(`\nThe sample order failed: ${(error as Error).message}`);
      console.error("The service goes on; `npm run demo` tries again.");
    }
  }
  if (!supervisor.isStopping())
    console.log("\nEarnest is running. Ctrl-C stops it; `npm run demo` settles another order.");
}

function report(component: string, milliseconds: number, what: string): void {
  console.log(`  ${component.padEnd(13)} ready in ${seconds(milliseconds).padStart(6)}   ${shortPath(what)}`);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Paths under the working directory as people would type them. */
function shortPath(text: string): string {
  return text.replaceAll(`${process.cwd()}/`, "");
}

try {
  await main();
} catch (error) {
  await supervisor.fail(
    error instanceof ConfigError ? error.message : ((error as Error).stack ?? String(error)),
  );
}
