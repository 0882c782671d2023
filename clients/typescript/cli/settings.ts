import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { Earnest, type OrderWallet } from "../src/index.ts";

/** Wrong words on the command line: exit code 2. */
export class UsageError extends Error {}

/** What `login` keeps: only its owner may read the file. */
type Login = { url: string; key: string };

const { env } = process;
const file =
  env.EARNEST_CONFIG ?? join(env.XDG_CONFIG_HOME ?? join(homedir(), ".config"), "earnest", "login.json");

export function storeLogin(login: Login): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify(login)}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return file;
}

function readLogin(): Partial<Login> {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Login) : {};
}

/** Where the service is: EARNEST_URL, else where `login` was. */
export function readUrl(): string {
  return env.EARNEST_URL ?? readLogin().url ?? "http://localhost:42069";
}

/** The key of EARNEST_KEY, else that of `login`. */
export function readKey(): string | undefined {
  return env.EARNEST_KEY ?? readLogin().key;
}

/** Where this program keeps what it has to remember: beside the file of `login`. */
export function stateFolder(): string {
  return dirname(file);
}

/** A client with the key of `login`, or EARNEST_KEY. */
export function openClient(): Earnest {
  const key = readKey();
  if (!key) throw new UsageError("There is no key: run `earnest login`, or set EARNEST_KEY.");
  return new Earnest({ baseUrl: readUrl(), apiKey: key });
}

/** The account of WALLET_KEY. A key on the command line would stand in lists of processes. */
export function openAccount() {
  const key = env.WALLET_KEY;
  if (!/^0x[0-9a-fA-F]{64}$/.test(key ?? "")) {
    throw new UsageError("Set WALLET_KEY to the wallet's private key: 0x and 64 hex digits.");
  }
  return privateKeyToAccount(key as Hex);
}

/** The wallet of WALLET_KEY, which sends through the node of `--rpc` or RPC_URL. */
export function openWallet(rpc: string | undefined): OrderWallet {
  const url = rpc ?? env.RPC_URL;
  if (!url) throw new UsageError("Say which node is asked about the chain: --rpc <url>, or RPC_URL.");
  return createWalletClient({ account: openAccount(), transport: http(url) });
}

/** Signs WALLET_KEY's wallet in for as long as `act` takes: what makes keys is no key. */
export async function withSession<T>(
  { url, host, organisation }: { url: string; host: string | undefined; organisation: string | undefined },
  act: (earnest: Earnest) => Promise<T>,
): Promise<T> {
  const earnest = new Earnest({ baseUrl: url, organisation });
  const { chain_id: chainId } = await earnest.chain.getStatus();
  if (chainId === null) throw new UsageError(`${url} serves no chain.`);
  await earnest.signIn({ wallet: openAccount(), chainId, host });
  try {
    return await act(earnest);
  } finally {
    await earnest.signOut();
  }
}

/** For a program that does the work: the keys are ours alone. */
export function environmentWithoutKeys(): Record<string, string | undefined> {
  const { EARNEST_KEY: _, WALLET_KEY: __, ...rest } = env;
  return rest;
}
