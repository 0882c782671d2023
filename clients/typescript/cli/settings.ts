import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createPublicClient, createWalletClient, type Hex, http, type PublicClient } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { Earnest, type HeldToken, type OrderWallet, toBaseUnits } from "../src/index.ts";

/** Invalid arguments on the command line, with exit code 2. */
export class UsageError extends Error {}

/** The contents of the file that `login` writes. Only its owner can read it. */
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

/** Returns the service's URL: EARNEST_URL, or the URL of `login`. */
export function readUrl(): string {
  return env.EARNEST_URL ?? readLogin().url ?? "http://localhost:42069";
}

/** Returns the key: EARNEST_KEY, or the key of `login`. */
export function readKey(): string | undefined {
  return env.EARNEST_KEY ?? readLogin().key;
}

/** Returns the folder of this program's state, which is the folder of the `login` file. */
export function stateFolder(): string {
  return dirname(file);
}

/** Opens a client with EARNEST_KEY or the key of `login`. */
export function openClient(): Earnest {
  const key = readKey();
  if (!key) throw new UsageError("No API key. Run `earnest login`, or set EARNEST_KEY.");
  return new Earnest({ baseUrl: readUrl(), apiKey: key });
}

/** Opens the account of WALLET_KEY. A key as an argument would be visible in process lists. */
export function openAccount() {
  const key = env.WALLET_KEY;
  if (!/^0x[0-9a-fA-F]{64}$/.test(key ?? "")) {
    throw new UsageError("Set WALLET_KEY to the wallet's private key: 0x and 64 hex digits.");
  }
  return privateKeyToAccount(key as Hex);
}

/** Opens the wallet of WALLET_KEY with the first node of `--rpc` or RPC_URL, and further nodes of other chains. */
export function openWallet(rpc: string[] | undefined): { wallet: OrderWallet; nodes: PublicClient[] } {
  const [url, ...others] = rpc ?? listOf(env.RPC_URL);
  if (!url) throw new UsageError("No node of the chain. Pass --rpc <url>, or set RPC_URL.");
  return {
    wallet: createWalletClient({ account: openAccount(), transport: http(url) }),
    nodes: others.map((other) => createPublicClient({ transport: http(other) })),
  };
}

/**
 * Reads the tokens of `--pay-with` or EARNEST_PAY_WITH, as in `8453:0x8335...=5.00`; undefined without any.
 *
 * @param most the purchase's own maximum, above which no token's maximum goes
 */
export function readPayWith(given: string[] | undefined, most?: string): HeldToken[] | undefined {
  const words = given ?? listOf(env.EARNEST_PAY_WITH);
  if (words.length === 0) return undefined;
  return words.map((word) => {
    const [, chainId, token = "", maxAmount] = payWithPattern.exec(word) ?? [];
    if (chainId === undefined) {
      throw new UsageError(
        `${word} is no token: write <chain id>:<token's address>, with =<the most you pay>.`,
      );
    }
    if (maxAmount === undefined) return { chainId: Number(chainId), token };
    return { chainId: Number(chainId), token, maxAmount: lowerOf(maxAmount, most) };
  });
}

/** Returns the lower of two amounts, of which the second may be missing. */
function lowerOf(amount: string, most: string | undefined): string {
  if (most === undefined) return amount;
  let units: bigint;
  try {
    units = toBaseUnits(most, mostDecimals);
  } catch {
    throw new UsageError(`--max-amount ${most} is no amount: write it as in 3.00.`);
  }
  return toBaseUnits(amount, mostDecimals) <= units ? amount : most;
}

/** The most decimals of a token. */
const mostDecimals = 36;

const payWithPattern = /^([1-9]\d{0,14}):(0x[0-9a-fA-F]{40})(?:=(\d+(?:\.\d+)?))?$/;

const listOf = (text: string | undefined) => (text ?? "").split(/[\s,]+/).filter((word) => word !== "");

/** Runs `act` with a session of WALLET_KEY's wallet, because API keys cannot create keys. */
export async function withSession<T>(
  { url, host, organisation }: { url: string; host: string | undefined; organisation: string | undefined },
  act: (earnest: Earnest) => Promise<T>,
): Promise<T> {
  const earnest = new Earnest({ baseUrl: url, organisation });
  const { chain_id: chainId } = await earnest.chain.getStatus();
  if (chainId === null) throw new UsageError(`${url} has no settlement chain.`);
  await earnest.signIn({ wallet: openAccount(), chainId, host });
  try {
    return await act(earnest);
  } finally {
    await earnest.signOut();
  }
}

/** Returns the environment without keys, for the command that does the work. */
export function environmentWithoutKeys(): Record<string, string | undefined> {
  const { EARNEST_KEY: _, WALLET_KEY: __, ...rest } = env;
  return rest;
}
