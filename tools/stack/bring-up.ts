// Brings the stack up for `npm start`, which keeps the children after this program has ended.

import { ConfigError } from "../../config/config.ts";
import { readStackConfig } from "../../config/programs.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { type Child, type ChildOptions, type Exit, startChildrenBy } from "./process.ts";
import { type RunningChain, startLocalStack } from "./stack.ts";
import type { Answer, StackMessage } from "./stack-keeper.ts";
import { emptyStateFolder, openStateFolder, takeLock } from "./state-folder.ts";

const begin = performance.now();
const sendToParent = (message: StackMessage) =>
  new Promise<void>((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });
// The parent process has ended.
process.once("disconnect", () => process.exit(1));

/** Asks the keeper to start a child, and receives the child's reports from the keeper. */
function startKept(of: number, options: ChildOptions): Promise<Child> {
  const { name, logFile, stopSignal = "SIGTERM" } = options;
  return new Promise((resolve, reject) => {
    const ready = Promise.withResolvers<void>();
    const exited = Promise.withResolvers<Exit>();
    process.on("message", (answer: Answer) => {
      if (answer.of !== of) return;
      if ("refused" in answer) return reject(new Error(answer.refused));
      if ("ready" in answer) return ready.resolve();
      if ("exit" in answer) return exited.resolve(answer.exit);
      const { pid } = answer;
      const kill = (signal: NodeJS.Signals) => void process.kill(pid, signal);
      const stop = async () => {
        kill(stopSignal);
        return await exited.promise;
      };
      resolve({
        name,
        pid,
        logFile,
        stopSignal,
        kill,
        stop,
        ready: ready.promise,
        exited: exited.promise,
      });
    });
    void sendToParent({ start: of, options });
  });
}

let children = 0;
startChildrenBy((options) => startKept(++children, options));

async function main(args: string[]): Promise<void> {
  const config = readStackConfig();
  const state = openStateFolder(config.stateDir);
  await takeLock(state, process.ppid, (line) => console.log(`  ${line}`));
  await sendToParent({ locked: state.lock, underNpm: config.underNpm });
  console.log(`Earnest, with its state in ${shortPath(state.directory)}`);
  if (args.includes("--reset")) {
    emptyStateFolder(state);
    console.log("  the former state is removed");
  }

  const hasSecondChain = args.includes("--second-chain");
  const stack = await startLocalStack({ config, state, hasSecondChain, report });
  await sendToParent({ ready: true });
  const base = config.publicUrl;
  console.log(`Ready after ${seconds(performance.now() - begin)}.

  API           ${base}${apiPath}
  description   ${base}/docs (for programs: ${base}${apiPath}/openapi.json)
  signing keys  ${base}/.well-known/did.json
  metrics       ${config.metrics.port === 0 ? "off (METRICS_PORT)" : `http://${config.metrics.host}:${config.metrics.port}/metrics and /metrics/earnest`}
${stack.chains.map(lineOf).join("\n")}
  logs          ${shortPath(state.logs)}
`);
  if (stack.isEmpty && !args.includes("--no-demo")) {
    console.log(
      stack.chains.length === 1
        ? "The chain is empty, so one sample order goes through its life (--no-demo leaves it out).\n"
        : "The chains are empty, so one sample order goes through its life on each (--no-demo leaves them out).\n",
    );
    try {
      const { runDemo } = await import("../demo/order.ts");
      await runDemo({
        baseUrl: `http://localhost:${config.apiPort}`,
        publicUrl: config.publicUrl,
        rpcUrl: stack.chains[0].rpcUrl,
        secondRpcUrl: stack.chains[1]?.rpcUrl,
        print: console.log,
      });
    } catch (error) {
      console.error(`\nThe sample order failed: ${(error as Error).message}`);
      console.error("The service goes on; `npm run demo` tries again.");
    }
  }
  console.log("\nEarnest is running. Ctrl-C stops it; `npm run demo` settles another order.");
}

/** Writes where a chain is, and its tokens. */
function lineOf({ manifest, rpcUrl }: RunningChain, at: number): string {
  const { chain_id, token, other_tokens = [] } = manifest;
  const tokens = [token, ...other_tokens].map(({ symbol, address }) => `${symbol} ${address}`);
  return `  ${(at === 0 ? "chain" : "second chain").padEnd(12)}  ${rpcUrl} (chain ${chain_id}, ${tokens.join(", ")})`;
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

async function fail(error: unknown): Promise<void> {
  const failed = error instanceof ConfigError ? error.message : ((error as Error).stack ?? String(error));
  await sendToParent({ failed });
  process.exit(1);
}

process.on("uncaughtException", fail);
try {
  await main(process.argv.slice(2));
  process.exit(0);
} catch (error) {
  await fail(error);
}
