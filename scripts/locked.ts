// Whether package-lock.json names every package with the hash of what it holds, for every system, and node_modules holds
// nothing else: what an installer fetched besides would be looked at by nobody.

import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const names = z.record(z.string(), z.string()).default({});
const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      hasInstallScript: z.boolean().default(false),
      dependencies: names,
      optionalDependencies: names,
    }),
  ),
});
type Lock = z.infer<typeof lockFile>;

/** The name of a package by its place: `node_modules/a/node_modules/@b/c` is `@b/c`. */
const nameOf = (place: string) => place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);

/** Whether what a package asks for is in the lock file, where Node would look for it. */
function isLocked(lock: Lock, place: string, name: string): boolean {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    if (lock.packages[`${at}${at && "/"}node_modules/${name}`]) return true;
    if (at === "") return false;
  }
}

/**
 * What is wrong with a lock file, a line each.
 *
 * @param allowed the packages that may run a script when they are installed
 */
export function findUnlocked(content: unknown, allowed: readonly string[]): string[] {
  const lock = lockFile.parse(content);
  return Object.entries(lock.packages).flatMap(([place, entry]) => {
    const missing = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
      .filter((name) => !isLocked(lock, place, name))
      .map((name) => `${place || "package.json"} asks for ${name}, which is not locked`);
    if (place === "") return missing;
    return [
      ...missing,
      ...(entry.integrity?.startsWith("sha512-") ? [] : [`${place} has no SHA-512`]),
      ...(entry.resolved === undefined ? [] : [`${place} names a registry`]),
      ...(entry.hasInstallScript && !allowed.includes(nameOf(place))
        ? [`${place} runs a script when it is installed, and allowScripts does not list it`]
        : []),
    ];
  });
}

/** The packages that lie in a project's node_modules in other versions than the lock file's, or not by its word at all. */
export function findStrays(root: string, content: unknown): string[] {
  const { packages } = lockFile.parse(content);
  const look = (folder: string): string[] =>
    list(folder).flatMap((place) => {
      const file = join(root, place, "package.json");
      if (!existsSync(file)) return [];
      const { version } = JSON.parse(readFileSync(file, "utf8")) as { version?: string };
      const stray = packages[place]?.version === version ? [] : [`${place} ${version ?? ""}`];
      return [...stray, ...look(`${place}/node_modules`)];
    });
  const list = (folder: string): string[] => {
    if (!existsSync(join(root, folder))) return [];
    return readdirSync(join(root, folder))
      .filter((name) => !name.startsWith("."))
      .flatMap((name) => (name.startsWith("@") ? list(`${folder}/${name}`) : [`${folder}/${name}`]));
  };
  return look("node_modules");
}

/** Where this program's Node has to lie, or null where npm has none for this system. */
function nodeOf(root: string, content: unknown): string | null {
  const system = process.platform === "win32" ? "win" : process.platform;
  const place = `node_modules/node-${system}-${process.arch}`;
  return lockFile.parse(content).packages[place] ? join(realpathSync(root), place) : null;
}

function main(): void {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));
  const lock = read("package-lock.json");
  const node = nodeOf(root, lock);
  const running = realpathSync(process.execPath);
  const faults = [
    ...findUnlocked(lock, Object.keys(read("package.json").allowScripts)),
    ...findStrays(root, lock).map((stray) => `${stray} is installed, and not by package-lock.json`),
    ...(node && !running.startsWith(node + sep)
      ? [`${running} runs this, which is not the locked Node`]
      : []),
  ];
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

if (import.meta.main) main();
