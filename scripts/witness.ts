// npm run witness: cosigns the checkpoints of logs. docs/witness.md says when to use each command.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ConfigError } from "../config/config.ts";
import { createLog } from "../config/log.ts";
import { readWitnessConfig } from "../config/programs.ts";
import { LogRejection } from "../protocol/tlog/errors.ts";
import type { NoteKey } from "../protocol/tlog/note.ts";
import { parsePolicy } from "../protocol/tlog/policy.ts";
import { createWitness } from "../verifiers/witness/witness.ts";
import { WitnessError } from "../verifiers/witness/witness-errors.ts";
import { createWitnessFolder, readWitnessSigner } from "../verifiers/witness/witness-key.ts";
import { serveWitness } from "../verifiers/witness/witness-server.ts";
import { openState } from "../verifiers/witness/witness-state.ts";
import { printError, printLines } from "./print.ts";

const usage = `npm run witness                           runs the witness until it is stopped
npm run witness -- create --name <name>   creates the key and the state of a witness, and prints its verifier key
npm run witness -- list                   prints the verifier key, and the last checkpoint of each log

<name> is the name in its signatures, as in witness.example/w1. Settings (.env or the environment): WITNESS_DIR,
WITNESS_LOGS, WITNESS_HOST, WITNESS_PORT, LOG_LEVEL.`;

class UsageError extends Error {}
type WitnessConfig = ReturnType<typeof readWitnessConfig>;

async function run(args: string[]): Promise<void> {
  const { values, positionals } = parse(args);
  const [command, ...rest] = positionals;
  if (values.help) return console.log(usage);
  const config = readWitnessConfig();
  if (rest.length > 0) throw new UsageError("Give only one command.");
  if (command === "create") return create(config, values.name);
  if (values.name !== undefined) throw new UsageError("--name needs the command `create`.");
  if (command === "list") return list(config);
  if (command !== undefined) throw new UsageError(`\`witness ${command}\` is no command.`);
  await serve(config);
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: "boolean", short: "h" }, name: { type: "string" } },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function create({ folder }: WitnessConfig, name: string | undefined): Promise<void> {
  if (name === undefined)
    throw new UsageError("--name is missing: give the witness a name, as in witness.example/w1.");
  console.log(await createWitnessFolder(folder, name));
  console.error(
    `Created ${folder}. The line on standard output is the verifier key, which logs and verifiers need.`,
  );
}

async function list({ folder }: WitnessConfig): Promise<void> {
  const state = await openState(folder);
  printLines(state.witness);
  for (const origin of state.origins()) {
    const record = state.read(origin);
    if (!record) continue;
    const at = new Date(1000 * record.at).toISOString();
    printLines(`${origin}  ${record.size} entries, root ${record.root}, cosigned at ${at}`);
    if (!record.fork) continue;
    printLines("", "The log forked: it signed both checkpoints.", "");
    printLines(...record.fork.held.split("\n"), ...record.fork.shown.split("\n"));
  }
}

async function serve(config: WitnessConfig): Promise<void> {
  const log = createLog({ logLevel: config.logLevel, chains: [] }, "witness");
  const logs = readLogs(config.logsFile);
  const state = await openState(config.folder);
  const witness = createWitness({
    logs,
    signer: readWitnessSigner(config.folder, state.witness),
    state,
    log,
  });
  const server = await serveWitness(witness, {
    host: config.host,
    port: config.port,
    fail(error) {
      log.error({ err: error }, "a checkpoint could not be recorded, and was not cosigned");
      if (!(error instanceof WitnessError)) return;
      // Another process has become the witness.
      process.exitCode = 1;
      void server.close();
    },
  });
  log.info(
    { port: server.port, witness: state.witness, logs: logs.map(({ name }) => name) },
    "witness ready",
  );
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => void server.close());
}

/** Reads the `log` lines of a file in the form of c2sp.org/tlog-policy. Lines of one name are the keys of one log. */
function readLogs(file: string): NoteKey[] {
  let logs: NoteKey[];
  try {
    logs = parsePolicy(readFileSync(file, "utf8")).logs.map(({ key }) => key);
  } catch (error) {
    throw new WitnessError("logs_unusable", `${file}: ${(error as Error).message}`);
  }
  if (logs.length === 0) throw new WitnessError("logs_unusable", `${file} has no line \`log <vkey>\`.`);
  return logs;
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (error instanceof UsageError) {
    printError(error.message, usage);
    process.exitCode = 2;
  } else if (
    error instanceof ConfigError ||
    error instanceof WitnessError ||
    error instanceof LogRejection ||
    (error as NodeJS.ErrnoException).code === "EADDRINUSE"
  ) {
    printError((error as Error).message);
    process.exitCode = 1;
  } else throw error;
}
