// npm start: everything on this machine. See docs/operations.md for running it in parts.

import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { readStackConfig } from "../config/programs.ts";
import { ConfigError } from "../config.ts";
import { runDemo } from "./demo.ts";
import type { Child } from "./stack/process.ts";
import { startLocalStack, stopChildren } from "./stack/stack.ts";
import { emptyStateFolder, type Lock, openStateFolder, takeLock } from "./stack/state.ts";

const usage = `npm start                brings up Earnest on this machine: PostgreSQL, a local chain with the
                         contracts, the indexer with the API, a worker. On an empty chain it then
                         settles one sample order. Ctrl-C stops all of it; the state is kept.
npm start -- --no-demo   without the sample order
npm start -- --reset     begins with an empty state: orders, accounts, chain and signing key are lost

Settings (.env or the environment, see .env.example): EARNEST_STATE_DIR, PORT, ANVIL_PORT,
POSTGRES_PORT, PUBLIC_URL.`;

const begin = performance.now();
const running: Child[] = [];
/** What has to be undone or awaited at the end. */
const held: { lock?: Lock; starting?: Promise<unknown>; stopping?: Promise<void>; isReady: boolean } = {
  isReady: false,
};

/** Stops everything once, whoever asks, and ends this process. */
function stop(reason: string, exitCode: number): Promise<void> {
  held.stopping ??= (async () => {
    if (exitCode === 0) console.log(`\n${reason}`);
    else console.error(`\n${reason}`);
    const troubles = await stopChildren(running);
    // A start that was under way may have come to one more child meanwhile.
    await Promise.race([Promise.allSettled([held.starting]), sleep(5000)]);
    troubles.push(...(await stopChildren(running)));
    for (const trouble of new Set(troubles)) console.error(trouble);
    held.lock?.release();
    console.log("Everything is stopped; the state is kept.");
    process.exit(exitCode);
  })();
  return held.stopping;
}

function watch(child: Child): void {
  running.push(child);
  if (held.stopping) throw new Error("Stopped while starting.");
  void child.exited.then(({ code, signal }) => {
    if (held.stopping || !held.isReady) return;
    void stop(
      `${child.name} ended (${signal ?? `code ${code}`}); see ${child.logFile}. Stopping the rest.`,
      1,
    );
  });
}

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
  held.lock = lock;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => void stop(`Stopping (${signal}) ...`, 0));
  }
  if (config.underNpm) watchParent();
  console.log(`Earnest, with its state in ${shortPath(state.directory)}`);
  if (values.reset) {
    emptyStateFolder(state);
    console.log("  the former state is removed");
  }

  const starting = startLocalStack({ config, state, lock, report, started: watch });
  held.starting = starting;
  const stack = await starting;
  held.isReady = true;
  const base = config.publicUrl;
  console.log(`Ready after ${seconds(performance.now() - begin)}.

  API           ${base}/api/v1
  description   ${base}/api/v1/docs (and openapi.json beside it)
  signing keys  ${base}/.well-known/did.json
  chain         ${stack.rpcUrl} (chain 31337, ${stack.manifest.token.symbol} ${stack.manifest.token.address})
  logs          ${shortPath(state.logs)}
`);
  if (stack.isEmpty && !values["no-demo"]) {
    console.log("The chain is empty, so one sample order goes through its life (--no-demo leaves it out).\n");
    try {
      await runDemo({
        baseUrl: `http://localhost:${config.apiPort}`,
        rpcUrl: stack.rpcUrl,
        print: console.log,
      });
    } catch (error) {
      if (held.stopping) return;
      console.error(`\nThe sample order failed: ${(error as Error).message}`);
      console.error("The service goes on; `npm run demo` tries again.");
    }
  }
  if (!held.stopping)
    console.log("\nEarnest is running. Ctrl-C stops it; `npm run demo` settles another order.");
}

/** npm passes a signal on to a shell, which ends without passing it on to us; that the shell is gone is our signal. */
function watchParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void stop("Stopping (npm ended) ...", 0);
  }, 250).unref();
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

// Whatever goes wrong in this process, its children are stopped; an error while they are is no news.
process.on("uncaughtException", (error) => void stop(error.stack ?? String(error), 1));
try {
  await main();
} catch (error) {
  const sentence = error instanceof ConfigError ? error.message : ((error as Error).stack ?? String(error));
  if (running.length === 0) {
    held.lock?.release();
    console.error(sentence);
    process.exit(1);
  }
  await stop(sentence, 1);
}
