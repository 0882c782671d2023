import { textsOf } from "../../console/src/text/written.ts";
import type { Context } from "../context.ts";
import { readLanguage } from "../http/reader-language.ts";
import type { Shell } from "../http/shell.ts";
import type { App } from "../variables.ts";
import { publicPages } from "./public-pages.ts";

/** Adds the console's public pages, each with a title and a description for crawlers, in the reader's language. */
export function addPages(app: App, { config, answers }: Context, shell: Shell): void {
  for (const [route, read] of Object.entries(publicPages(config))) {
    app.get(route, readLanguage, async (c) => {
      const language = c.get("language");
      const texts = await textsOf(language);
      const found = await answers.readText(`page ${language} ${c.req.path}`, async (db) => {
        const page = await read(db, texts, (name) => c.req.param(name) ?? "");
        return page && shell.write(page, texts);
      });
      return shell.answer(c, found ?? (await shell.writeOwn(language)), found ? 200 : 404);
    });
  }
}
