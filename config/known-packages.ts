// Node loads this before a program, which then starts with a third less work.

import module from "node:module";

/** The argument of Node's `--import` with which another program loads this too. */
export const knownPackages = import.meta.url;

/** At each import of this package, and of a file of it, Node parses the package's 170 KB of package.json. */
const name = /^drizzle-orm(\/|$)/;
const folder = "/node_modules/drizzle-orm/";
const places = new Map<string, module.ResolveFnOutput>();

// Ponder's tables and ours are in one query, so the package exists once. Node 20 has no such hooks.
module.registerHooks?.({
  resolve(specifier, context, resolve) {
    const { conditions, parentURL } = context;
    if (specifier.startsWith(".") && parentURL?.includes(folder) && conditions.includes("import")) {
      return { url: new URL(specifier, parentURL).href, format: "module", shortCircuit: true };
    }
    if (!name.test(specifier)) return resolve(specifier, context);
    const key = `${specifier} ${conditions.join()}`;
    const place = places.get(key) ?? { ...resolve(specifier, context), shortCircuit: true };
    places.set(key, place);
    return place;
  },
});
