import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Returns the path of a program in node_modules, or its name in the PATH if npm has none for this system. */
export function toolPath(name: string): string {
  const installed = fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url));
  return existsSync(installed) ? installed : name;
}

/** Whether the program exists and runs on this system. */
export function isRunnable(name: string): boolean {
  return spawnSync(toolPath(name), ["--version"]).status === 0;
}
