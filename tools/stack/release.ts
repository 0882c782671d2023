import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = fileURLToPath(new URL("../..", import.meta.url));

/** Another version of the program, in a folder of its own. */
export type Release = {
  /** its folder, as a URL that ends with a slash */
  root: URL;
  /** Brings a database up to date as that version does. */
  migrate(databaseUrl: string): void;
  remove(): void;
};

/**
 * Checks out a version of this repository, ready to run. Its packages are installed, or linked if its lock file equals ours,
 * and its web files are built.
 *
 * @param ref a commit, a tag or a branch
 * @throws if the history lacks it, as in a shallow clone
 */
export function unpackRelease(ref: string): Release {
  const folder = mkdtempSync(join(tmpdir(), "earnest-release-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, "release.tar");
    const files = join(folder, "files");
    mkdirSync(files);
    run("git", ["archive", "--format=tar", `--output=${archive}`, ref], here);
    run("tar", ["-xf", archive, "-C", files], folder);
    rmSync(archive);
    const lockOf = (root: string) => readFileSync(join(root, "package-lock.json"), "utf8");
    if (lockOf(files) === lockOf(here)) symlinkSync(join(here, "node_modules"), join(files, "node_modules"));
    else run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], files);
    const node = (script: string, args: string[], env?: Record<string, string>) =>
      run(process.execPath, [join(files, script), ...args], files, env);
    node("scripts/build.ts", ["--web"]);
    return {
      root: pathToFileURL(`${files}/`),
      migrate: (databaseUrl) => node("scripts/migrate.ts", [], { DATABASE_URL: databaseUrl }),
      remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

function run(file: string, args: string[], cwd: string, env: Record<string, string> = {}): void {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...env },
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${file} ${args.join(" ")} failed in ${cwd}:\n${stdout}${stderr}`);
}
