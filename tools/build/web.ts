import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type WebFile, webFiles, webFolder } from "../../api/http/web-files.ts";

type Recipe = {
  /** the folders of ours that it is made of */
  rooms: string[];
  /** writes it, as a whole */
  make: (file: string, rooms: string[]) => Promise<void>;
};

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The inputs of every build besides its own folders: the build code and the packages. */
const always = ["tools/build", "package-lock.json"];

const recipes: Record<WebFile, Recipe> = {
  "receipt-page.js": {
    rooms: ["abis", "protocol/json", "receipts", "protocol/tlog"],
    make: async (file, rooms) =>
      writeWhole(file, await (await loadBundler()).bundle("protocol/tlog/page-script.ts", rooms)),
  },
  console: {
    rooms: [
      "abis",
      "untrusted/schemas/dialect",
      "clients/typescript/src",
      "console",
      "protocol/json",
      "protocol/settlement",
      "protocol/tlog",
      "receipts",
    ],
    make: async (file, rooms) => (await import("./console.ts")).makeConsole(file, rooms),
  },
};

// Most starts build nothing, and need no bundler.
const loadBundler = () => import("./bundle.ts");

/**
 * Builds what the API serves to browsers: each part only where its sources are not those that it was made of.
 *
 * @returns the parts that were built
 */
export async function buildWeb(): Promise<WebFile[]> {
  const stale = findStale();
  for (const { name, file, stamp, sources } of stale) {
    const { rooms, make } = recipes[name];
    mkdirSync(webFolder, { recursive: true });
    await make(file, rooms);
    writeWhole(stamp, sources);
  }
  return stale.map(({ name }) => name);
}

/**
 * The same in a process of its own, where there is anything to build: the bundlers keep some 400 MB of a process that goes
 * on.
 *
 * @throws where it fails; what it says is on our own standard error by then
 */
export async function buildWebApart(): Promise<WebFile[]> {
  const stale = findStale();
  if (stale.length === 0) return [];
  const builder = spawn(process.execPath, [join(root, "scripts/build.ts"), "--web"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code, signal] = await once(builder, "exit");
  if (code !== 0) throw new Error(`The web files cannot be built (${signal ?? `code ${code}`}).`);
  return stale.map(({ name }) => name);
}

/** The parts whose sources are not those that they were made of. */
function findStale() {
  return webFiles.flatMap((name) => {
    const file = join(webFolder, name);
    const stamp = `${file}.sources`;
    const sources = hashFiles([...always, ...recipes[name].rooms]);
    const isFresh = existsSync(file) && existsSync(stamp) && readFileSync(stamp, "utf8") === sources;
    return isFresh ? [] : [{ name, file, stamp, sources }];
  });
}

/** A hash of the names and the content of files, and of all files in folders. */
function hashFiles(paths: string[]): string {
  const hash = createHash("sha256");
  const files = paths.flatMap((path) => {
    if (!statSync(join(root, path)).isDirectory()) return [path];
    return readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
      .map((name) => join(path, name))
      .filter((name) => statSync(join(root, name)).isFile());
  });
  for (const file of files.sort()) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\n${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/** Writes a file so that nobody ever reads a part of it: two commands may build at once. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
