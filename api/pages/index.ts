import { textsOf } from "../../console/src/text/service-texts.ts";
import type { Context } from "../context.ts";
import type { Shell } from "../http/console-shell.ts";
import { readLanguage } from "../http/reader-language.ts";
import { hasSessionCookie } from "../http/session-cookie.ts";
import type { App } from "../variables.ts";
import { publicPages } from "./public-pages.ts";

/** Adds the console's public pages, each with a title and a description for crawlers, in the reader's language. */
export function addPages(app: App, { config, answers }: Context, shell: Shell): void {
  for (const [route, read] of Object.entries(publicPages(config))) {
    app.get(route, readLanguage, async (c) => {
      const language = c.get("language");
      if (route === "/" && hasSessionCookie(config, c))
        return shell.answer(c, await shell.writeOwn(language, "home"), 200);
      const texts = await textsOf(language);
      const found = await answers.readText(`page ${language} ${c.req.path}`, async (db) => {
        const page = await read(db, texts, (name) => c.req.param(name) ?? "");
        return page && shell.write(page, texts, route.replaceAll(":", "$"));
      });
      return shell.answer(c, found ?? (await shell.writeOwn(language)), found ? 200 : 404);
    });
  }
}
