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
  /** the source folders of this part */
  rooms: string[];
  /** writes the part as a whole */
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
      "clients/generator",
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

// The bundlers are imported only if there is something to build.
const loadBundler = () => import("./bundle.ts");

/**
 * Builds the web files that the API serves. A part is built only if its sources have changed since its last build.
 *
 * @returns the built parts
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
 * Builds the web files in a separate process, because the bundlers keep about 400 MB of memory.
 *
 * @throws if the build fails. The process has written its errors to standard error
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

/** Returns the parts whose sources have changed since their last build. */
function findStale() {
  return webFiles.flatMap((name) => {
    const file = join(webFolder, name);
    const stamp = `${file}.sources`;
    const sources = hashFiles([...always, ...recipes[name].rooms]);
    const isFresh = existsSync(file) && existsSync(stamp) && readFileSync(stamp, "utf8") === sources;
    return isFresh ? [] : [{ name, file, stamp, sources }];
  });
}

/** Hashes the names and the content of files, and of all files in folders. */
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

/** Writes a file atomically, because two commands may build at once. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
