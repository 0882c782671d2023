import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

type Loader = { inPlaceOf: Record<string, string>; registry: string };

/** Ponder, and what it loads by name, as parts of the indexer's one file: what `indexer/loader.ts` does for the sources. */
export const withPonder = (root: string, readText: (path: string) => string): Plugin => ({
  name: "with-ponder",
  async setup({ onLoad, onResolve }) {
    const { inPlaceOf, registry }: Loader = await import(pathToFileURL(join(root, "indexer/loader.ts")).href);
    const made: Record<string, () => string> = {
      ...Object.fromEntries(Object.entries(inPlaceOf).map(([name, source]) => [name, () => source])),
      "ponder:registry": () => registry,
      "ponder:schema": () => 'export * from "./ponder.schema.ts";',
      "vite-node/client": () => writeRunner(root),
    };
    onResolve({ filter: /.*/ }, ({ path, importer }) => {
      const isAsked = path.startsWith("ponder:") || importer.includes("/node_modules/ponder/");
      return isAsked && path in made ? { path, namespace: "made" } : null;
    });
    onLoad({ filter: /.*/, namespace: "made" }, ({ path }) => ({
      contents: made[path]?.() ?? "",
      resolveDir: root,
    }));
    // These have Node itself load what they need, which the file has.
    onLoad({ filter: /\/ponder\.(config|schema)\.ts$/ }, ({ path }) => {
      const contents = readText(path).replace(
        /^const (\{[^}]*\}) = load\(\s*("[^"]*"),?\s*\) as typeof .*;$/gm,
        "import $1 from $2;",
      );
      if (contents.includes("load(")) throw new Error(`${relative(root, path)} loads in an unknown way.`);
      return { contents: contents.replace(/^const load = .*$/m, ""), loader: "ts" };
    });
  },
});

/** What runs the files that Ponder finds. */
function writeRunner(root: string): string {
  const handlers = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `src/${name}`);
  const all = ["ponder.config.ts", "ponder.schema.ts", ...handlers];
  return `
    const files = { ${all.map((file) => `${JSON.stringify(file)}: () => import("./${file}")`).join(", ")} };
    export class ViteNodeRunner {
      executeFile = (path) => files[Object.keys(files).find((file) => pathOfSource(file) === path)]();
      executeId = (id) => import("ponder:registry");
    }`;
}
