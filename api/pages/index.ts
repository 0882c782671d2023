import type { Context } from "../context.ts";
import { hasSessionCookie } from "../http/session-cookie.ts";
import { documentOf, type Shell } from "../http/shell.ts";
import type { App } from "../variables.ts";
import { publicPages } from "./public-pages.ts";

/** Adds the console's public pages, each with a title and a description for crawlers. */
export function addPages(app: App, { config, answers }: Context, shell: Shell): void {
  const missing = documentOf(shell.write(null));
  const home = documentOf(shell.write(null, shell.scripts.home));
  for (const [route, read] of Object.entries(publicPages(config))) {
    const scripts = shell.scripts.pages[route.replaceAll(":", "$")];
    app.get(route, async (c) => {
      if (route === "/" && hasSessionCookie(config, c)) return shell.answer(c, home, 200);
      const found = await answers.readText(`page ${c.req.path}`, async (db) => {
        const page = await read(db, (name) => c.req.param(name) ?? "");
        return page && shell.write(page, scripts);
      });
      return shell.answer(c, found ?? missing, found ? 200 : 404);
    });
  }
}
