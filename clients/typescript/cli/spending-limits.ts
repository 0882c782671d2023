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
import { RefusedCall } from "../mcp/tool-context.ts";
import { fromBaseUnits, toBaseUnits } from "../src/index.ts";
import { UsageError } from "./settings.ts";

/** Amounts are summed in units of so many decimals: no token that orders are paid in has more. */
const decimals = 18;
const dayMs = 86_400_000;

/**
 * What a wallet may pay through this program, with a book of what it was to pay: a file for each order, in a folder that only
 * its owner may read. A payment is booked before it is signed, by one program at a time, and stays booked.
 *
 * It binds payments that are asked of this program. Whoever can read the wallet's key, or change the folder, is not bound.
 */
export function openSpending(folder: string, limits: { perOrder: string; perDay: string }) {
  const perOrder = read("EARNEST_MAX_PER_ORDER", limits.perOrder);
  const perDay = read("EARNEST_MAX_PER_DAY", limits.perDay);
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  return {
    limits,
    async spent(): Promise<string> {
      return write(sum());
    },
    async book(orderId: string, amount: string): Promise<void> {
      const units = toBaseUnits(amount, decimals);
      if (units > perOrder) {
        throw refuse(`${amount} is over the limit of ${limits.perOrder} an order (EARNEST_MAX_PER_ORDER).`);
      }
      await alone(join(folder, ".lock"), () => {
        const file = join(folder, `${orderId}.json`);
        if (existsSync(file)) return;
        const total = sum() + units;
        if (total > perDay) {
          throw refuse(
            `${amount} would make ${write(total)} within 24 hours, over the limit of ${limits.perDay} (EARNEST_MAX_PER_DAY).`,
          );
        }
        writeFileSync(file, JSON.stringify({ amount, at: Date.now() }), { mode: 0o600 });
      });
    },
  };

  function sum(): bigint {
    const since = Date.now() - dayMs;
    return readdirSync(folder).reduce((total, name) => {
      if (!name.endsWith(".json")) return total;
      const file = join(folder, name);
      const { amount, at } = JSON.parse(readFileSync(file, "utf8")) as { amount: string; at: number };
      return at < since ? total : total + toBaseUnits(amount, decimals);
    }, 0n);
  }
}

const write = (units: bigint) => fromBaseUnits(units, decimals).replace(/(\.\d\d\d*?)0+$/, "$1");

function read(name: string, text: string): bigint {
  try {
    return toBaseUnits(text, decimals);
  } catch {
    throw new UsageError(`${name} is an amount, as in 5.00.`);
  }
}

const refuse = (why: string) =>
  new RefusedCall(
    "local_limit_exceeded",
    `Nothing was paid: ${why} The wallet's owner sets it for this program.`,
  );

/** Milliseconds after which a lock is left over by a program that was killed: what is done under it takes one or two. */
const leftOver = 5_000;

/** Acts while no other program does. */
async function alone(lock: string, act: () => void): Promise<void> {
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - since > leftOver) remove(lock);
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
