import type { MiddlewareHandler } from "hono";
import { languageDetector } from "hono/language";
import { languageCodes, languageCookie } from "../../console/src/text/catalogues.ts";
import type { Variables } from "../variables.ts";

/** Reads the language of a page's reader: the chosen one of the cookie, else the browser's first that Earnest has. */
export const readLanguage: MiddlewareHandler<{ Variables: Variables }> = languageDetector({
  order: ["cookie", "header"],
  lookupCookie: languageCookie,
  supportedLanguages: languageCodes,
  fallbackLanguage: languageCodes[0],
  caches: false,
});
