import { spawnSync } from "node:child_process";
import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { root, startProgram } from "../harness/programs.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earnest-install-"));
  mkdirSync(join(folder, "scripts"));
  cpSync(join(root, "scripts", "install.mjs"), join(folder, "scripts", "install.mjs"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A project with one dependency beside it, so that npm needs no network. */
function writeProject(version: string): void {
  const dependency = join(folder, "packages", "dep");
  mkdirSync(dependency, { recursive: true });
  writeFileSync(join(dependency, "package.json"), JSON.stringify({ name: "dep", version }));
  const manifest = { name: "project", version: "1.0.0", dependencies: { dep: "file:packages/dep" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({
      name: "project",
      version: "1.0.0",
      lockfileVersion: 3,
      requires: true,
      packages: {
        "": manifest,
        "node_modules/dep": { resolved: "packages/dep", link: true },
        "packages/dep": { name: "dep", version },
      },
    }),
  );
}

async function install(env: Record<string, string> = {}, nodeOptions: string[] = []) {
  const program = startProgram(process.execPath, [...nodeOptions, join(folder, "scripts", "install.mjs")], {
    env: { ...process.env, ...env },
    cwd: folder,
  });
  return { code: await program.ended, output: program.output() };
}
const installedVersion = () =>
  JSON.parse(readFileSync(join(folder, "node_modules", "dep", "package.json"), "utf8")).version;

test("installs missing packages once, and leaves the lock file unchanged", async () => {
  writeProject("1.0.0");
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  const first = await install();
  expect(first.code, first.output).toBe(0);
  expect(first.output).toContain("npm install");
  expect(installedVersion()).toBe("1.0.0");
  expect(readFileSync(join(folder, "package-lock.json"), "utf8")).toBe(lock);

  // Without npm in reach, so it cannot have run.
  expect(await install({ PATH: "" })).toEqual({ code: 0, output: "" });
});

test("installs again when the lock file changed", async () => {
  writeProject("1.0.0");
  await install();
  writeProject("1.1.0");
  const again = await install();
  expect(again.code, again.output).toBe(0);
  expect(again.output).toContain("npm install");
  expect(installedVersion()).toBe("1.1.0");
});

test("installs for one checkout alone when another one shares its packages by hard links", async () => {
  writeProject("1.0.0");
  await install();
  const shared = join(folder, "shared");
  mkdirSync(shared);
  const files = [".installed", ".package-lock.json"];
  for (const file of files) linkSync(join(folder, "node_modules", file), join(shared, file));
  const readShared = () => files.map((file) => readFileSync(join(shared, file), "utf8"));
  const before = readShared();

  writeProject("1.1.0");
  const { code, output } = await install();
  expect(code, output).toBe(0);
  expect(readShared()).toEqual(before);
  expect(await install({ PATH: "" })).toEqual({ code: 0, output: "" });
});

test("accepts a tree that npm itself installed", async () => {
  writeProject("1.0.0");
  const npm = startProgram("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder });
  expect(await npm.ended, npm.output()).toBe(0);
  expect(await install({ PATH: "" })).toEqual({ code: 0, output: "" });
});

test("reports an unreachable registry", async () => {
  const manifest = { name: "project", version: "1.0.0", dependencies: { "left-pad": "1.3.0" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({
      name: "project",
      version: "1.0.0",
      lockfileVersion: 3,
      packages: { "": manifest, "node_modules/left-pad": { version: "1.3.0" } },
    }),
  );
  const { code, output } = await install({
    npm_config_registry: "http://127.0.0.1:9",
    npm_config_fetch_retries: "0",
    npm_config_cache: join(folder, "cache"),
  });
  expect(code).toBe(1);
  expect(output).toContain("npm's registry is not reachable from here");
});

test("reports a missing npm", async () => {
  writeProject("1.0.0");
  const { code, output } = await install({ PATH: "" });
  expect(code).toBe(1);
  expect(output).toContain("npm could not be started");
});

test("puts npm's Node on the PATH of the scripts where npm has removed its link", async () => {
  const { platform, arch } = process;
  const binary = join(folder, "node_modules", `node-${platform}-${arch}`, "bin", "node");
  mkdirSync(dirname(binary), { recursive: true });
  writeFileSync(binary, "");
  const args = [join(folder, "scripts", "install.mjs"), "--link"];
  for (const _ of ["missing", "there already"]) {
    const program = startProgram(process.execPath, args, { cwd: folder });
    expect(await program.ended, program.output()).toBe(0);
    expect(realpathSync(join(folder, "node_modules", ".bin", "node"))).toBe(realpathSync(binary));
  }
});

describe("the hooks of git", () => {
  const git = (...args: string[]) => spawnSync("git", args, { cwd: folder, encoding: "utf8" }).stdout.trim();
  const hooksPath = () => git("config", "--get", "core.hooksPath");

  test("are those of the repository in a new checkout", async () => {
    writeProject("1.0.0");
    git("init", "--quiet");
    await install();
    expect(hooksPath()).toBe("scripts/hooks");
  });

  test("stay those that a checkout already has", async () => {
    writeProject("1.0.0");
    git("init", "--quiet");
    writeFileSync(join(folder, ".git", "hooks", "pre-push"), "#!/bin/sh\n");
    await install();
    expect(hooksPath()).toBe("");
    rmSync(join(folder, ".git", "hooks", "pre-push"));
    git("config", "core.hooksPath", "my-hooks");
    await install();
    expect(hooksPath()).toBe("my-hooks");
  });
});

test("reports that npm has no Node of the right version for this system", async () => {
  writeProject("1.0.0");
  const older = `data:text/javascript,
    Object.defineProperty(process, "versions", { value: { node: "20.20.2" } });
    Object.defineProperty(process, "platform", { value: "sunos" });`;
  const { code, output } = await install({}, ["--import", older]);
  expect(code).toBe(1);
  expect(output.trim()).toMatch(/^npm has no Node 24 for this system \(sunos-\w+\): install it from/);
});

test("reports that Node is too old", async () => {
  writeProject("1.0.0");
  const older =
    'data:text/javascript,Object.defineProperty(process, "versions", { value: { node: "18.20.8" } })';
  const { code, output } = await install({}, ["--import", older]);
  expect(code).toBe(1);
  expect(output.trim()).toBe("Earnest needs Node 20 or newer; this is Node 18.20.8.");
});
