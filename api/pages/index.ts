import type { Context } from "../context.ts";
import { documentOf, type Shell } from "../http/shell.ts";
import type { App } from "../variables.ts";
import { publicPages } from "./public-pages.ts";

/** Adds the console's public pages, each with a title and a description for crawlers. */
export function addPages(app: App, { config, answers }: Context, shell: Shell): void {
  const missing = documentOf(shell.write(null));
  for (const [route, read] of Object.entries(publicPages(config))) {
    app.get(route, async (c) => {
      const found = await answers.readText(`page ${c.req.path}`, async (db) => {
        const page = await read(db, (name) => c.req.param(name) ?? "");
        return page && shell.write(page);
      });
      return shell.answer(c, found ?? missing, found ? 200 : 404);
    });
  }
}
