// Writes dist/: each entry of package.json as a module with types, for Node 20, browsers, Deno, Bun and workers.
// It bundles the shared code of the service (protocol/, receipts/ and a file of untrusted/) and all packages except viem.
// The command line, dist/bin/earnest.js, is for Node. `node build.ts <folder>` writes to another folder.
// Run `npm ci` at the root of the repository first.

import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";

const entries = ["execution", "index", "receipts", "sessions", "settlement", "tlog", "webhooks"];
/** The entries of agent frameworks, each with the packages that its users have. */
const frameworks = {
  "ai-sdk": ["ai"],
  langchain: ["@langchain/core/*"],
  "openai-agents": ["@openai/agents"],
};
const here = import.meta.dirname;
const modules = resolve(here, "../../node_modules");
/** The file of the service that sessions share: it says which addresses are not public. */
const specialAddresses = resolve(here, "../../untrusted/outbound/special-addresses.ts");
const folder = resolve(process.argv[2] ?? join(here, "dist"));

rmSync(folder, { recursive: true, force: true });
await build({
  entryPoints: [
    ...entries.map((name) => ({ in: join(here, "src", `${name}.ts`), out: name })),
    ...Object.keys(frameworks).map((name) => ({ in: join(here, "frameworks", `${name}.ts`), out: name })),
  ],
  outdir: folder,
  bundle: true,
  splitting: true,
  format: "esm",
  // No platform is assumed. Only sessions, whose state is in files, import `node:`; any other import of it fails the build.
  platform: "neutral",
  plugins: [
    {
      name: "node-for-sessions",
      setup: ({ onResolve }) =>
        onResolve({ filter: /^node:/ }, ({ importer, path }) =>
          relative(join(here, "src/sessions"), importer).startsWith("..") && importer !== specialAddresses
            ? undefined
            : { path, external: true },
        ),
    },
  ],
  mainFields: ["browser", "module", "main"],
  conditions: ["browser"],
  target: ["node20", "chrome120", "firefox124", "safari17.4"],
  external: ["viem", "viem/*", ...Object.values(frameworks).flat()],
  chunkNames: "shared-[hash]",
});
await build({
  entryPoints: { earnest: join(here, "cli", "main.ts") },
  outdir: join(folder, "bin"),
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  chunkNames: "shared-[hash]",
  external: ["viem", "viem/*"],
});
const types = join(folder, "types");
// One thread reads nothing twice and takes half the processor time.
const args = ["--singleThreaded", "--project", join(here, "tsconfig.build.json"), "--outDir", types];
const { status } = spawnSync(join(modules, ".bin", "tsc"), args, { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

/** The packages whose types the client's types use: the files of these types, their entry first. */
const bundled: Record<string, string[]> = {
  zod: ["index.d.ts", "v4/classic/*.d.ts", "v4/core/*.d.ts", "v4/locales/*.d.ts", "LICENSE"],
  "did-resolver": ["lib/index.d.ts", "LICENSE"],
};
const declarations = globSync("**/*.d.ts", { cwd: types });
for (const [name, patterns] of Object.entries(bundled)) {
  for (const file of globSync(patterns, { cwd: join(modules, name) })) {
    const copy = join(types, "packages", name, file);
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(join(modules, name, file), copy);
  }
}
for (const file of declarations) {
  const text = readFileSync(join(types, file), "utf8").replaceAll(
    /(from |import\()"([^"]+)"/g,
    (_, before: string, name: string) => {
      const entry = bundled[name]?.[0];
      const path = entry && relative(dirname(file), join("packages", name, entry)).replaceAll("\\", "/");
      // Every compiler finds a module's types by the name of its JavaScript file.
      return `${before}"${(path ?? name).replace(/^(\..*?)(\.d)?\.ts$/, "$1.js")}"`;
    },
  );
  writeFileSync(join(types, file), text);
}
