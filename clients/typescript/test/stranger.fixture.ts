import { execFile } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { inject } from "vitest";

const run = promisify(execFile);
const here = resolve(import.meta.dirname, "..");
const root = resolve(here, "../..");

export type Stranger = Awaited<ReturnType<typeof installPackage>>;

/** A stranger's folder, with the package as npm would put it there, viem, and other packages. */
export async function installPackage(packages: string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), "earnest-client-"));
  const installed = join(folder, "node_modules", "earnest-client");
  await mkdir(installed, { recursive: true });
  for (const name of ["viem", ...packages]) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, "node_modules", name), link);
  }
  await cp(join(here, "package.json"), join(installed, "package.json"));
  await cp(inject("clientPackage"), join(installed, "dist"), { recursive: true });
  return {
    folder,
    installed,
    /** Writes a program into the folder, as any Node runs it. */
    async place(name: string, program: string): Promise<string> {
      const file = join(folder, `${name}.mjs`);
      await writeFile(file, (await transform(program, { loader: "ts", format: "esm" })).code);
      return file;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Every Node of this machine that the package is made for, each once. */
export async function findNodes(): Promise<string[]> {
  const onPath = (process.env.PATH ?? "").split(delimiter).map((part) => join(part, "node"));
  const files = new Set([process.execPath, ...onPath.filter(existsSync)].map((file) => realpathSync(file)));
  const nodes = new Map<string, string>();
  for (const file of files) nodes.set((await run(file, ["--version"])).stdout.trim(), file);
  return [...nodes].filter(([name]) => Number(/^v(\d+)/.exec(name)?.[1]) >= 20).map(([, file]) => file);
}

const readme = readFileSync(join(here, "README.md"), "utf8");

/** The README's programs, each with its heading. */
export const blocks = [...readme.matchAll(/^## (.+)$(?:(?!^## )[\s\S])*?^```ts\n([\s\S]*?)^```$/gm)].map(
  ([, heading, program]) => [String(heading), String(program)] as const,
);
