// Installs the packages of package-lock.json if node_modules differs from it. Runs before any package is installed and on
// the machine's own Node, so this file is plain JavaScript without packages.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const stamp = join(modules, ".installed");
/** npm's list of the installed packages. */
const installedList = join(modules, ".package-lock.json");
const system = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const networkError =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b/;

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

/** Tells whether exactly the locked versions are installed. Packages for other systems may be missing. */
function matchesLock(lock) {
  const installed = read(installedList);
  if (installed === null) return false;
  const present = JSON.parse(installed).packages;
  return Object.entries(JSON.parse(lock).packages).every(
    ([path, { version, optional }]) =>
      path === "" || (present[path] ? present[path].version === version : optional === true),
  );
}

/** Writes a new file: the old one may be a hard link, which another checkout shares. */
function writeStamp(lockHash) {
  rmSync(stamp, { force: true });
  writeFileSync(stamp, lockHash);
}

function install(lockHash) {
  // npm would change a list that another checkout shares by a hard link. Without a list, npm reads the packages themselves.
  rmSync(installedList, { force: true });
  console.log("Installing what Earnest needs (npm install). This takes a minute the first time.");
  // With --no-save, npm never changes the lock file.
  const npm = spawn("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", "inherit", "pipe"],
    shell: process.platform === "win32",
  });
  let errors = "";
  npm.stderr.on("data", (text) => {
    errors += text;
    process.stderr.write(text);
  });
  npm.on("error", (error) => fail(`npm could not be started: ${error.message}`));
  npm.on("close", (code) => {
    if (code === 0) return writeStamp(lockHash);
    fail(
      networkError.test(errors)
        ? "The packages could not be fetched: npm's registry is not reachable from here. Go online (or set npm's `registry` or `proxy`), then try again."
        : `npm install failed (code ${code}): the output above has the cause. Correct it, then try again.`,
    );
  });
}

/** Puts npm's Node on the PATH of the scripts. npm 10 removes the link together with the packages of other systems. */
function linkNode() {
  const link = join(modules, ".bin", "node");
  const binary = join(modules, `node-${system}`, "bin", "node");
  if (existsSync(link) || !existsSync(binary)) return;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(relative(dirname(link), binary), link);
}

/** Sets `core.hooksPath` if it is unset and the checkout has no hooks, so that git checks the message of each commit. */
function activateHooks() {
  if (!existsSync(join(root, ".git"))) return;
  const git = (...args) => spawnSync("git", args, { cwd: root, encoding: "utf8" });
  // git exits with 1 for a key that is not set.
  if (git("config", "--get", "core.hooksPath").status !== 1) return;
  const folder = resolve(root, git("rev-parse", "--git-path", "hooks").stdout.trim());
  const hooks = existsSync(folder) ? readdirSync(folder) : [];
  if (hooks.every((file) => file.endsWith(".sample"))) git("config", "core.hooksPath", "scripts/hooks");
}

function fail(sentence) {
  console.error(`\n${sentence}`);
  process.exit(1);
}

function main() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 20) fail(`Earnest needs Node 20 or newer; this is Node ${process.versions.node}.`);
  const lock = read(join(root, "package-lock.json"));
  if (lock === null) fail("package-lock.json is missing: clone the repository again.");
  // npm's Node leads the PATH of every script. If npm has none for this system, the machine's own Node must be new enough.
  if (major < 24 && !JSON.parse(lock).packages[`node_modules/node-${system}`]) {
    fail(
      `npm has no Node 24 for this system (${system}): install it from https://nodejs.org, then try again.`,
    );
  }
  const lockHash = createHash("sha256").update(lock).digest("hex");
  linkNode();
  activateHooks();
  if (read(stamp) === lockHash) return;
  if (matchesLock(lock)) writeStamp(lockHash);
  else install(lockHash);
}

// `--link`: npm calls this program after its own installation.
if (process.argv.includes("--link")) {
  linkNode();
  activateHooks();
} else main();
