// Node loads this file before a program of the stack. For each import within a package, Node 24 parses the package's
// `exports`, which have 170 KB in drizzle-orm: 0.3 s of processor time a start. Its relative imports need no `exports`.

import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    const isWithin = context.parentURL?.includes("/node_modules/drizzle-orm/");
    if (!isWithin || !specifier.startsWith(".") || !specifier.endsWith(".js"))
      return next(specifier, context);
    return {
      url: new URL(specifier, context.parentURL).href,
      format: "module",
      shortCircuit: true,
    };
  },
});
