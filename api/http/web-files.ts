import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigError } from "../../config/config.ts";

/** The files that the API serves to browsers. `console` is a folder with the owner's console. */
export const webFiles = ["receipt-page.js", "console"] as const;
export type WebFile = (typeof webFiles)[number];

/** The folder that `npm run build` writes these files to. Git ignores it. */
export const webFolder = fileURLToPath(new URL("../../dist/web", import.meta.url));

/** Reads the text of a built file. Throws ConfigError if the file is not built. */
export function readWebFile(name: Exclude<WebFile, "console">): string {
  return readFileSync(pathOf(name), "utf8");
}

/** The file of the built console that holds its `PageScripts`. */
export const pageScriptsFile = "pages.json";

/** The scripts that a page loads besides those of every page. */
export type PageScripts = {
  /** by the page's route; `home` has those of `/` for a signed-in user */
  pages: Record<string, string[]>;
  /** the texts of a language, by its code. English needs none */
  catalogues: Record<string, string[]>;
};

/** The built console. */
export type Console = {
  /** the page, the same at every path of the console */
  index: string;
  scripts: PageScripts;
  /** by name, as in `index-4f2a.js` */
  assets: Map<string, Asset>;
};
/** The encodings of compressed copies, the smallest first, with the endings of their files. */
export const encodings = { br: ".br", gzip: ".gz" } as const;
export type Encoding = keyof typeof encodings;

export type Asset = {
  type: string;
  body: Uint8Array<ArrayBuffer>;
  /** compressed copies by their encoding; none for a type that is compressed already */
  packed: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>;
};

const types: Record<string, string> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/** Whether a file has compressed copies beside it. */
export const isCompressible = (name: string) => !/\.(png|woff2)$/.test(name);

/** Reads the built console into memory. Throws ConfigError if it is not built. */
export function readConsole(): Console {
  const folder = pathOf("console");
  const assets = join(folder, "assets");
  const names = readdirSync(assets).filter((name) => !/\.(br|gz)$/.test(name));
  return {
    index: readFileSync(join(folder, "index.html"), "utf8"),
    scripts: JSON.parse(readFileSync(join(folder, pageScriptsFile), "utf8")) as PageScripts,
    assets: new Map(
      names.map((name) => [
        name,
        {
          type: types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
          body: Uint8Array.from(readFileSync(join(assets, name))),
          packed: isCompressible(name)
            ? {
                br: Uint8Array.from(readFileSync(join(assets, name + encodings.br))),
                gzip: Uint8Array.from(readFileSync(join(assets, name + encodings.gzip))),
              }
            : {},
        },
      ]),
    ),
  };
}

/** Throws ConfigError if a file is not built. */
export function checkWebFiles(): void {
  for (const name of webFiles) pathOf(name);
}

function pathOf(name: WebFile): string {
  const file = join(webFolder, name);
  if (existsSync(file)) return file;
  throw new ConfigError(`${file}, which browsers get, is not built: run \`npm run build\`.`);
}
