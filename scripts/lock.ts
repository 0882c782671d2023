// Whether package-lock.json names every package with its SHA-512 and without an address: which registry is asked is for
// whoever installs. lockfile-lint asks only packages that have an address.

import { readFileSync } from "node:fs";

type Entry = { integrity?: string; resolved?: string };

/** What is wrong with a lock file, a line each. */
export function findUnlocked({ packages }: { packages: Record<string, Entry> }): string[] {
  return Object.entries(packages).flatMap(([place, { integrity, resolved }]) => [
    ...(place === "" || integrity?.startsWith("sha512-") ? [] : [`${place} has no SHA-512`]),
    ...(resolved === undefined ? [] : [`${place} has an address: ${resolved}`]),
  ]);
}

if (import.meta.main) {
  const lock = new URL("../package-lock.json", import.meta.url);
  const faults = findUnlocked(JSON.parse(readFileSync(lock, "utf8")));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
