import type { Messages } from "@lingui/core";
import { basePath } from "../settings.ts";
import { activate, isLanguage, type Language, languageCookie, readMessages } from "./catalogues.ts";
import { i18n } from "./i18n.ts";

/** Returns the language of the page. The service chose it by the cookie or by the browser's languages. */
export function currentLanguage(): Language {
  const { lang } = document.documentElement;
  return isLanguage(lang) ? lang : "en";
}

/** Loads the texts of the page's language. Without its catalogue, the page is English. */
export async function startLanguage(): Promise<void> {
  const wanted = currentLanguage();
  const messages = await messagesOf(wanted);
  const language = messages ? wanted : "en";
  activate(i18n, language, messages ?? {}, readerLocale(language));
  document.documentElement.lang = language;
}

/** Returns the texts of a language, or null if their file cannot be loaded. */
async function messagesOf(language: Language): Promise<Messages | null> {
  try {
    return await readMessages(language);
  } catch {
    return null;
  }
}

/** Chooses a language. The page loads again, so that every text follows. */
export function chooseLanguage(language: Language): void {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing from some browsers and from plain HTTP
  document.cookie = `${languageCookie}=${language}; Path=${basePath}; Max-Age=31536000; SameSite=Lax${secure}`;
  location.reload();
}

/** The locale of dates and numbers: the reader's own, if it is of the language of the texts. */
function readerLocale(language: Language): string {
  return navigator.languages.find((tag) => tag.startsWith(language) && isLocale(tag)) ?? language;
}

/** Tells whether the browser takes a tag as a locale. Some browsers on Linux report tags such as `en-US@posix`. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

/** Returns the locale of dates and numbers, as a BCP 47 tag. */
export const locale = (): string => [i18n.locales ?? i18n.locale].flat()[0] ?? "en";
