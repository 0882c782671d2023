import { createHash } from "node:crypto";
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

/** What the API serves to browsers: `console` is a folder, the owner's console. */
export const webFiles = ["receipt-page.js", "console"] as const;
export type WebFile = (typeof webFiles)[number];

/** Where they are built; git ignores it. */
export const webFolder = fileURLToPath(new URL("../dist/web", import.meta.url));

type Recipe = {
  /** the folders of ours that it is made of */
  rooms: string[];
  /** writes it, as a whole */
  make: (file: string, rooms: string[]) => Promise<void>;
};

const root = fileURLToPath(new URL("..", import.meta.url));
/** What everything is made of, besides its rooms: how it is made, and the packages. */
const always = ["build", "package-lock.json"];

const recipes: Record<WebFile, Recipe> = {
  "receipt-page.js": {
    rooms: ["abis", "json", "receipts", "tlog"],
    make: async (file, rooms) => writeWhole(file, await (await loadBundler()).bundle("tlog/page.ts", rooms)),
  },
  console: {
    rooms: ["abis", "clients/typescript/src", "console", "json", "receipts", "settlement", "tlog"],
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
  const built: WebFile[] = [];
  for (const name of webFiles) {
    const { rooms, make } = recipes[name];
    const file = join(webFolder, name);
    const stamp = `${file}.sources`;
    const sources = hashFiles([...always, ...rooms]);
    if (existsSync(file) && existsSync(stamp) && readFileSync(stamp, "utf8") === sources) continue;
    mkdirSync(webFolder, { recursive: true });
    await make(file, rooms);
    writeWhole(stamp, sources);
    built.push(name);
  }
  return built;
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
