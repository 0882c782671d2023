import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { secondChain } from "../tools/stack/local-chains.ts";
import { findFreePort } from "../tools/stack/process.ts";

export type RunningService = { url: string; rpcUrl: string; secondRpcUrl: string; stop: () => Promise<void> };

const root = resolve(import.meta.dirname, "..");

/**
 * The least acceptance window on the second chain, in hours. It is above the usual one, so an order on the second chain has
 * another window than the first token of its service.
 */
const acceptanceOnSecond = "96";

/** Runs all of `npm start` with both chains on free ports, with a temporary state. */
export async function startService(): Promise<RunningService> {
  const folder = mkdtempSync(join(tmpdir(), "earnest-service-"));
  const [port, metrics, chain, second, database] = await Promise.all([1, 2, 3, 4, 5].map(findFreePort));
  const logFile = join(folder, "start.log");
  const log = openSync(logFile, "w");
  const options = ["--no-demo", "--second-chain"];
  const child = spawn(process.execPath, ["--import=./config/env-file.ts", "scripts/start.ts", ...options], {
    cwd: root,
    stdio: ["ignore", log, log],
    env: {
      ...process.env,
      EARNEST_STATE_DIR: join(folder, "state"),
      PORT: `${port}`,
      METRICS_PORT: `${metrics}`,
      ANVIL_PORT: `${chain}`,
      SECOND_ANVIL_PORT: `${second}`,
      POSTGRES_PORT: `${database}`,
      PUBLIC_URL: `http://localhost:${port}`,
      [`MIN_ACCEPTANCE_HOURS_${secondChain.chainId}`]: acceptanceOnSecond,
      // Many wallets sign in from one address.
      RATE_LIMITS: "off",
    },
  });
  const ended = new Promise<void>((done) => child.once("close", () => done()));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (;;) {
    const text = readFileSync(logFile, "utf8");
    if (text.includes("Earnest is running")) break;
    if (child.exitCode !== null) {
      await stop();
      throw new Error(`The service did not start:\n${text}`);
    }
    await new Promise((done) => setTimeout(done, 200));
  }
  const [rpcUrl = "", secondRpcUrl = ""] = [chain, second].map((one) => `http://127.0.0.1:${one}`);
  return { url: `http://localhost:${port}`, rpcUrl, secondRpcUrl, stop };
}
