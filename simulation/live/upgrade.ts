import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Program } from "./parts.ts";
import type { Course } from "./simulation.ts";

/** Orders enough that some are at each stage at each step of the upgrade. */
export const usualUpgrade = { orders: 20, over: 30_000 };

/** What time has opened is sent once a minute: until then the last orders have ended, too. */
const duePeriod = 70_000;

/**
 * An upgrade while people trade: the database is migrated under the old release, then API and worker of both run side by
 * side, then the old ones end, one after the other, as docs/operations.md tells operators.
 *
 * @param over milliseconds from the first order to the last, in all of which something of it goes on
 * @returns as wrong: each error in a program's log, each answer of an error, and each program that did not end as it should
 */
export function courseOfUpgrade({ over }: { over: number }): Course {
  return async (parts, say) => {
    const wrong: string[] = [];
    const began = performance.now();
    const tell = (what: string) =>
      say(`${String(Math.round(performance.now() - began)).padStart(6)} ms  ${what}`);
    const old = ["indexer", "api", "worker"] as const;
    const added = ["second api", "second worker"] as const;

    await sleep(over * 0.25);
    tell("the database is migrated, and the old release runs on");
    await parts.migrate();
    tell("migrated");
    await sleep(over * 0.15);

    for (const name of added) parts.program(name).release = null;
    await Promise.all(added.map((name) => parts.program(name).start()));
    tell("API and worker of both releases run side by side");
    await sleep(over * 0.3);

    for (const name of old) {
      const exit = await parts.program(name).end();
      tell(`the old ${name} has ended`);
      if (exit?.code !== 0) wrong.push(`the old ${name} ended with ${exit?.signal ?? exit?.code}`);
      parts.program(name).release = null;
      if (name === "indexer") await parts.program(name).start();
    }
    await sleep(over * 0.3);
    // One that says to come again is none: a new indexer begins where the old one ended.
    for (const [what, times] of parts.refused)
      if (!what.startsWith("503 ")) wrong.push(`${times} requests were answered ${what}`);
    for (const ending of parts.endings) wrong.push(`by itself: ${ending}`);
    for (const program of parts.programs.values()) wrong.push(...errorsOf(program));
    return { wrong, heals: duePeriod };
  };
}

/** What a program wrote into its logs as an error, and what no program of ours writes. */
function errorsOf({ name, logs }: Program): string[] {
  return Object.entries(logs).flatMap(([release, file]) => {
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").trim().split("\n");
    return lines.filter(isError).map((line) => `the ${release} ${name} says: ${line.slice(0, 600)}`);
  });
}

/** Of pino's levels, 50 and 60 are errors; what is no JSON at all is the last word of a program that died. */
function isError(line: string): boolean {
  if (line === "") return false;
  try {
    const { level } = JSON.parse(line) as { level?: unknown };
    return level === 50 || level === 60;
  } catch {
    return true;
  }
}
