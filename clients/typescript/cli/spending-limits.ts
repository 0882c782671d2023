import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { getAddress } from "viem";
import { RefusedCall } from "../mcp/tool-context.ts";
import { fromBaseUnits, type TokenName, toBaseUnits } from "../src/index.ts";
import { UsageError } from "./settings.ts";

/** Decimals of the sums. No payment token has more. */
const decimals = 36;
const dayMs = 86_400_000;

/**
 * Opens the spending limits of a wallet. Each order's reservation is a file in a folder that only its owner can read.
 * A payment is reserved before it is signed, under a lock, and stays reserved. The limits hold for each token by itself.
 *
 * The limits apply only to payments by this program. They do not stop a program that can read the wallet's key or change
 * the folder.
 */
export function openSpendingLimits(folder: string, limits: { perOrder: string; perDay: string }) {
  const perOrder = read("EARNEST_MAX_PER_ORDER", limits.perOrder);
  const perDay = read("EARNEST_MAX_PER_DAY", limits.perDay);
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  return {
    limits,
    async listSpent() {
      const tokens = new Set(read24Hours().map(({ token }) => token));
      return [...tokens].sort().map((name) => {
        const [chainId, token = ""] = name.split(":");
        return { chain_id: Number(chainId), token: getAddress(token), amount: write(sum(name)) };
      });
    },
    async spent(token: TokenName): Promise<string> {
      return write(sum(nameOf(token)));
    },
    async reserve(orderId: string, amount: string, paidWith: TokenName): Promise<void> {
      const token = nameOf(paidWith);
      const units = toBaseUnits(amount, decimals);
      if (units > perOrder) {
        throw refuse(`${amount} exceeds the limit of ${limits.perOrder} per order (EARNEST_MAX_PER_ORDER).`);
      }
      await withLock(join(folder, ".lock"), () => {
        const file = join(folder, `${orderId}.json`);
        if (existsSync(file)) return;
        const total = sum(token) + units;
        if (total > perDay) {
          throw refuse(
            `${amount} would make ${write(total)} within 24 hours, above the limit of ${limits.perDay} (EARNEST_MAX_PER_DAY).`,
          );
        }
        writeFileSync(file, JSON.stringify({ token, amount, at: Date.now() } satisfies Reservation), {
          mode: 0o600,
        });
      });
    },
  };

  function sum(token: string): bigint {
    const amounts = read24Hours().filter((one) => one.token === token);
    return amounts.reduce((total, { amount }) => total + toBaseUnits(amount, decimals), 0n);
  }

  function read24Hours(): Reservation[] {
    const since = Date.now() - dayMs;
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Reservation)
      .filter(({ at }) => at >= since);
  }
}

/** A token's name as reservations have it. */
const nameOf = ({ chain_id, token }: TokenName) => `${chain_id}:${token.toLowerCase()}`;

type Reservation = { token: string; amount: string; at: number };

const write = (units: bigint) => fromBaseUnits(units, decimals).replace(/(\.\d\d\d*?)0+$/, "$1");

function read(name: string, text: string): bigint {
  try {
    return toBaseUnits(text, decimals);
  } catch {
    throw new UsageError(`${name} has to be an amount, for example 5.00.`);
  }
}

const refuse = (why: string) =>
  new RefusedCall("local_limit_exceeded", `Nothing was paid: ${why} The wallet's owner sets this limit.`);

/** Milliseconds after which a lock is stale: its holder was killed. A holder needs one or two milliseconds. */
const staleLockMs = 5_000;

/** Runs `act` under a lock that all programs of this machine respect. */
async function withLock(lock: string, act: () => void): Promise<void> {
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - since > staleLockMs) remove(lock);
      await setTimeout(20);
    }
  }
  try {
    act();
  } finally {
    remove(lock);
  }
}

function remove(lock: string): void {
  try {
    rmdirSync(lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
