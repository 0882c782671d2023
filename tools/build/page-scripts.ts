import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PageScripts } from "../../api/http/web-files.ts";

/** A script of the build. */
type Script = {
  fileName: string;
  /** the source file that the script was made for; null for a script that pages share */
  facadeModuleId: string | null;
  /** the scripts that it imports at once */
  imports: readonly string[];
};

/** A route, as in `ownPage("/orders/$orderId", () => import("./orders/order-page.tsx")`. */
const routePattern = /\b(?:openPage|ownPage)\(\s*"([^"]+)",\s*\(\) => import\("\.\/([^"]+)"\)/g;

/** The page at `/` of a visitor, and of a signed-in user. `firstPage` loads one of them. */
const [firstPage, landingPage, homePage] = [
  "home/first-page.tsx",
  "landing/landing-page.tsx",
  "home/home-page.tsx",
];

/**
 * Finds the scripts of each page for the page's HTML to name. Without the names, a browser learns of a page's scripts only
 * after the first script has run.
 *
 * @param routes the source file of the console's routes
 * @param html the built page, which names the scripts of every page
 * @throws if the build has no script for a page
 */
export function scriptsOfPages(routes: string, html: string, scripts: readonly Script[]): PageScripts {
  const folder = dirname(routes);
  const byName = new Map(scripts.map((script) => [script.fileName, script]));

  function withImports(names: readonly string[], found = new Set<string>()): Set<string> {
    for (const name of names) {
      if (found.has(name)) continue;
      found.add(name);
      withImports(byName.get(name)?.imports ?? [], found);
    }
    return found;
  }
  function scriptsOf(...sources: string[]): string[] {
    const names = sources.map((source) => {
      const made = scripts.find(({ facadeModuleId }) => facadeModuleId === join(folder, source));
      if (!made) throw new Error(`The console's build has no script for ${source}.`);
      return made.fileName;
    });
    return [...withImports(names)].filter((name) => !html.includes(name));
  }

  const sources = [...readFileSync(routes, "utf8").matchAll(routePattern)];
  const pages = sources.map(([, path = "", source = ""]) => [
    path,
    source === firstPage ? scriptsOf(source, landingPage) : scriptsOf(source),
  ]);
  return {
    pages: { ...Object.fromEntries(pages), home: scriptsOf(firstPage, homePage) },
    catalogues: { de: scriptsOf("text/de.ts") },
  };
}
