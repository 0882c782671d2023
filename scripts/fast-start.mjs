// Before a program of ours: compiled code is kept between runs, and packages' own files are found without looking into
// their manifests. Loading is most of a start.

import module from "node:module";
import { fileURLToPath } from "node:url";

module.enableCompileCache?.(fileURLToPath(new URL("../node_modules/.cache/earnest", import.meta.url)));
// For a program that will be killed.
setTimeout(() => module.flushCompileCache?.(), 20_000).unref();

/** The folders of packages in which a `.js` file is a module. */
const folders = new Set();
const folderOf = (url) => url.slice(0, url.lastIndexOf("/") + 1);

// For each file Node parses the manifest of its package again, and some list hundreds of names in it. Yet what a `.js`
// file is depends on its folder alone.
module.registerHooks?.({
  resolve(specifier, context, next) {
    if (context.parentURL && /^\.{1,2}\/.*\.js$/.test(specifier)) {
      const { href } = new URL(specifier, context.parentURL);
      if (folders.has(folderOf(href))) return { url: href, format: "module", shortCircuit: true };
    }
    const found = next(specifier, context);
    const { url, format } = found;
    if (format === "module" && url.includes("/node_modules/") && url.endsWith(".js"))
      folders.add(folderOf(url));
    return found;
  },
});
