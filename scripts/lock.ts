// Checks that package-lock.json has the SHA-512 of every package and no URL, so that the installer chooses the registry.
// lockfile-lint checks only packages that have a URL.

import { readFileSync } from "node:fs";

type Entry = { integrity?: string; resolved?: string };

/** Finds the faults of a lock file, a line each. */
export function findUnlocked({ packages }: { packages: Record<string, Entry> }): string[] {
  return Object.entries(packages).flatMap(([place, { integrity, resolved }]) => [
    ...(place === "" || integrity?.startsWith("sha512-") ? [] : [`${place} has no SHA-512`]),
    ...(resolved === undefined ? [] : [`${place} has a URL: ${resolved}`]),
  ]);
}

if (import.meta.main) {
  const lock = new URL("../package-lock.json", import.meta.url);
  const faults = findUnlocked(JSON.parse(readFileSync(lock, "utf8")));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
