// npm run operator: says who is an operator. docs/moderation.md says what operators may do.

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { getAddress, isAddress } from "viem";
import { ConfigError, readConfig } from "../config/config.ts";
import type { Environment } from "../config/environment.ts";
import { type Database, openDatabase } from "../db/client.ts";
import {
  grantOperator,
  listOperators,
  type OperatorWallet,
  revokeOperator,
} from "../trade/moderation/operators.ts";

const usage = `npm run operator -- grant <address> [--chain <id>]    makes the owner of the wallet an operator
npm run operator -- revoke <address> [--chain <id>]   takes the role back, from the next request on
npm run operator -- list                              lists the operators

--chain is the chain of a contract wallet, such as a passkey's account. The wallet may sign in later.`;

class UsageError extends Error {}

/**
 * Runs a command, as in `["grant", "0x..."]`, with the settings of an environment.
 *
 * @returns the exit code, the lines for standard output, and the message for standard error
 */
export async function runOperator(
  args: string[],
  env: Environment = process.env,
): Promise<{ code: number; out: string[]; err: string }> {
  try {
    return { code: 0, out: await run(args, env), err: "" };
  } catch (error) {
    if (error instanceof UsageError) return { code: 2, out: [], err: `${error.message}\n\n${usage}` };
    if (error instanceof ConfigError) return { code: 1, out: [], err: error.message };
    throw error;
  }
}

async function run(args: string[], env: Environment): Promise<string[]> {
  const { positionals, values } = parse(args);
  const [command, address, ...rest] = positionals;
  if (values.help) return [usage];
  const takesWallet = command === "grant" || command === "revoke";
  if (!takesWallet && command !== "list") throw new UsageError("Give a command, as in `operator list`.");
  if (rest.length > 0 || (address !== undefined) !== takesWallet) {
    throw new UsageError(takesWallet ? "Give one address." : "`list` takes no address.");
  }
  const wallet = takesWallet ? readWallet(address ?? "", values.chain) : null;
  const db = openDatabase(readConfig(env).databaseDirectUrl, { max: 1 });
  try {
    if (wallet === null) return await list(db);
    return [await (command === "grant" ? grant : revoke)(db, wallet)];
  } finally {
    await db.$client.end();
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: "boolean", short: "h" }, chain: { type: "string" } },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readWallet(address: string, chain: string | undefined): OperatorWallet {
  if (!isAddress(address, { strict: false })) throw new UsageError(`${address} is no address.`);
  if (chain !== undefined && !/^[1-9]\d{0,9}$/.test(chain)) {
    throw new UsageError("--chain must be the id of a chain, as in 8453.");
  }
  return { address: getAddress(address), chainId: chain === undefined ? null : Number(chain) };
}

async function grant(db: Database, wallet: OperatorWallet): Promise<string> {
  const isNew = await grantOperator(db, wallet);
  return `${describe(wallet)} ${isNew ? "is an operator now" : "was an operator already"}.`;
}

async function revoke(db: Database, wallet: OperatorWallet): Promise<string> {
  const had = await revokeOperator(db, wallet);
  return `${describe(wallet)} ${had ? "is no operator any more" : "was no operator"}.`;
}

async function list(db: Database): Promise<string[]> {
  const operators = await listOperators(db);
  if (operators.length === 0) return ["There are no operators."];
  return operators.map(({ address, chainId, since, accountId }) => {
    const account = accountId ?? "never signed in";
    return `${describe({ address, chainId })}  since ${since.toISOString()}  ${account}`;
  });
}

function describe({ address, chainId }: OperatorWallet): string {
  return chainId === null ? getAddress(address) : `${getAddress(address)} on chain ${chainId}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { code, out, err } = await runOperator(process.argv.slice(2));
  for (const line of out) console.log(line);
  if (err) console.error(err);
  process.exitCode = code;
}
