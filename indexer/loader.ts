import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

/**
 * Ponder loads our files by a development server, Vite's, which costs a second of each start and memory for good. Node
 * reads TypeScript itself: these take the places of the packages by which Ponder loads files, and of the database within
 * the process that we never choose.
 */
export const inPlaceOf: Record<string, string> = {
  vite: `
    export const createServer = async ({ root }) => ({
      config: { root },
      pluginContainer: { buildStart: async () => {} },
      close: async () => {},
    });`,
  "vite-node/server": "export class ViteNodeServer {}",
  "vite-node/client": `
    import { pathToFileURL } from "node:url";
    export class ViteNodeRunner {
      executeFile = (file) => import(pathToFileURL(file).href);
      executeId = (id) => import(id);
    }`,
  "vite-node/source-map": "export const installSourcemapsSupport = () => {};",
  "vite-node/utils":
    "export const normalizeModuleId = (id) => id; export const toFilePath = (path) => ({ path });",
  "vite-tsconfig-paths": "export default () => null;",
  "@electric-sql/pglite": "export class PGlite {}",
  // It would write a file of types beside the program, where a service may not write.
  "../utils/codegen.js": "export const runCodegen = () => {};",
  "drizzle-orm/pglite": 'export const drizzle = () => { throw new Error("There is no PGlite here."); };',
};

/** Where handlers register, as Ponder's own loader makes it. */
export const registry = "export const ponder = { fns: [], on(name, fn) { this.fns.push({ name, fn }); } };";

/** The modules that Ponder makes for handlers. */
const ofPonder = (schemaFile: string): Record<string, string> => ({
  "ponder:registry": registry,
  "ponder:schema": `export * from ${JSON.stringify(pathToFileURL(schemaFile).href)};`,
});

/** Has Node load Ponder and the files that it runs. From here on, in this process. */
export function loadByNode({ schemaFile }: { schemaFile: string }): void {
  const made = new Map(
    Object.entries({ ...inPlaceOf, ...ofPonder(schemaFile) }).map(([name, source]) => [
      name,
      { url: `earnest-indexer:${name}`, source },
    ]),
  );
  const sources = new Map([...made.values()].map(({ url, source }) => [url, source]));
  registerHooks({
    resolve(name, context, next) {
      const url = made.get(name)?.url;
      return url ? { url, format: "module", shortCircuit: true } : next(name, context);
    },
    load(url, context, next) {
      const source = sources.get(url);
      return source === undefined ? next(url, context) : { source, format: "module", shortCircuit: true };
    },
  });
}
