import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { encodings, isCompressible, pageScriptsFile } from "../../api/http/web-files.ts";
import { scriptsOfPages } from "./page-scripts.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The page whose modules most others load too. */
const commonPage = fileOf("console/src/orders/order-page.tsx");

/**
 * Builds the owner's console: `index.html`, and `assets/` with a hash in each name and compressed copies of each file that
 * compression makes smaller.
 *
 * @param folder the folder of the build, which is replaced as a whole
 * @param rooms the only folders of this repository that the console may import
 */
export async function makeConsole(folder: string, rooms: readonly string[]): Promise<void> {
  const draft = `${folder}.${process.pid}`;
  /** the modules that the common page imports at once */
  const common = new Set<string>();
  const built = await inProduction(() =>
    build({
      configFile: false,
      envFile: false,
      root: fileOf("console"),
      // All URLs are relative, because the service may have a base path.
      base: "./",
      logLevel: "error",
      resolve: {
        alias: [
          { find: /^earnest-client$/, replacement: fileOf("clients/typescript/src/index.ts") },
          { find: /^earnest-client\/(.*)$/, replacement: `${fileOf("clients/typescript/src")}/$1.ts` },
        ],
      },
      plugins: [
        { name: "rooms", generateBundle: refuseStrays },
        { name: "common", buildEnd: findCommon },
      ],
      build: {
        outDir: draft,
        emptyOutDir: true,
        target: ["chrome123", "firefox121", "safari17.5"],
        // The page's Content-Security-Policy forbids inline scripts and `data:` URLs.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        rolldownOptions: {
          output: {
            codeSplitting: {
              // Each request costs a round trip, so pages share few files. Other modules are split by page.
              groups: [
                { name: "start", tags: ["$initial"] },
                { name: "parts", test: (id) => common.has(id) || /\/notification-row\.tsx$/.test(id) },
                { name: "wallet", test: /console\/src\/(session\/injected-wallets|wallet\/key-place)/ },
                { name: "overlays", test: /react-aria-components\/.*\/(ListBox|Modal|Popover)\./ },
                { name: "signing", test: /console\/src\/(signing\/|orders\/agreement-check)/ },
              ],
            },
          },
        },
      },
    }),
  );
  const chunks = (built as Rolldown.RolldownOutput).output.filter((part) => part.type === "chunk");
  const html = readFileSync(join(draft, "index.html"), "utf8");
  const scripts = scriptsOfPages(fileOf("console/src/routes.tsx"), html, chunks);
  writeFileSync(join(draft, pageScriptsFile), JSON.stringify(scripts));
  for (const name of readdirSync(join(draft, "assets"))) {
    if (!isCompressible(name)) continue;
    const file = join(draft, "assets", name);
    const body = readFileSync(file);
    writeFileSync(file + encodings.br, brotliCompressSync(body));
    writeFileSync(file + encodings.gzip, gzipSync(body, { level: 9 }));
  }
  rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    // Another process has built the same console meanwhile.
    rmSync(draft, { recursive: true, force: true });
  }

  function findCommon(this: Rolldown.PluginContext): void {
    const waiting = [commonPage];
    for (const id of waiting) {
      if (common.has(id)) continue;
      common.add(id);
      waiting.push(...(this.getModuleInfo(id)?.importedIds ?? []));
    }
  }
  function refuseStrays(this: { getModuleIds(): Iterable<string> }): void {
    for (const id of this.getModuleIds()) {
      const path = relative(root, id.replace(/[?\0].*/, ""));
      if (path.startsWith("..") || path === "" || /(^|\/)node_modules\//.test(path)) continue;
      if (rooms.some((room) => path.startsWith(`${room}/`))) continue;
      throw new Error(`The console imports ${path}, which is not in ${rooms.join(", ")}.`);
    }
  }
}

/** Runs the build in production mode, even in tests, so that every build is the one that users get. */
async function inProduction<Result>(work: () => Promise<Result>): Promise<Result> {
  // biome-ignore lint/style/noProcessEnv: Vite has no option for it
  const env = process.env;
  const before = env.NODE_ENV;
  env.NODE_ENV = "production";
  try {
    return await work();
  } finally {
    if (before === undefined) delete env.NODE_ENV;
    else env.NODE_ENV = before;
  }
}
