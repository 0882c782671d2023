import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "vite";
import { encodings, isCompressible } from "../../api/http/web-files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const from = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Modules that an order's page and most others load at once. The rest of their folders loads on demand. */
const parts = [
  "console/src/parts/(?!agent|choice|data-table|date|event|long|chart|tag|switch)",
  "console/src/orders/(?!order-page|order-queries|orders-page|order-filters|provider-work|pay-by-phone|agreement-check)",
  "console/src/signing/(act-button|escrow-acts)",
  "console/src/(form/schema|wallet/wallet-kind)\\.ts",
  "protocol/settlement/(text-limits|vocabulary|money)\\.ts",
  "node_modules/(lucide-react|use-sync-external-store|@tanstack/(react-query|query-core))/",
];

/**
 * The files that pages share, the more common first. Each request costs a round trip, so a page loads few files. Other
 * modules are split by page.
 */
const groups = [
  { name: "start", tags: ["$initial" as const] },
  { name: "parts", test: new RegExp(parts.join("|")) },
  {
    name: "menus",
    test: /console\/src\/(shell\/(session-tools|command-palette|drawer)|reviews\/order-review)/,
  },
  { name: "signing", test: /console\/src\/(signing\/(?!act-button|escrow-acts)|orders\/agreement-check)/ },
];

/**
 * Builds the owner's console: `index.html`, and `assets/` with a hash in each name and compressed copies of each file that
 * compression makes smaller.
 *
 * @param folder the folder of the build, which is replaced as a whole
 * @param rooms the only folders of this repository that the console may import
 */
export async function makeConsole(folder: string, rooms: readonly string[]): Promise<void> {
  const draft = `${folder}.${process.pid}`;
  await inProduction(() =>
    build({
      configFile: false,
      envFile: false,
      root: from("console"),
      // All URLs are relative, because the service may have a base path.
      base: "./",
      logLevel: "error",
      resolve: {
        alias: [
          { find: /^earnest-client$/, replacement: from("clients/typescript/src/index.ts") },
          { find: /^earnest-client\/(.*)$/, replacement: `${from("clients/typescript/src")}/$1.ts` },
        ],
      },
      plugins: [{ name: "rooms", generateBundle: refuseStrays }],
      build: {
        outDir: draft,
        emptyOutDir: true,
        target: ["chrome123", "firefox121", "safari17.5"],
        // The page's Content-Security-Policy forbids inline scripts and `data:` URLs.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        rolldownOptions: {
          output: { codeSplitting: { groups } },
        },
      },
    }),
  );
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
async function inProduction(work: () => Promise<unknown>): Promise<void> {
  // biome-ignore lint/style/noProcessEnv: Vite has no option for it
  const env = process.env;
  const before = env.NODE_ENV;
  env.NODE_ENV = "production";
  try {
    await work();
  } finally {
    if (before === undefined) delete env.NODE_ENV;
    else env.NODE_ENV = before;
  }
}
