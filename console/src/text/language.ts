import type { Messages } from "@lingui/core";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import { i18n } from "./i18n.ts";

/** The languages of the console, each with its own name. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

const storageKey = "earnest.language";

/** Returns the chosen language, else the first of the browser's languages that the console has, else English. */
export function currentLanguage(): Language {
  const wanted = [localStorage.getItem(storageKey) ?? "", ...navigator.languages];
  return wanted.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? "en";
}

const isLanguage = (tag: string): tag is Language => tag in languages;

/** The catalogues. The English text of a message is its id, so English needs no catalogue. */
const catalogues: Record<Exclude<Language, "en">, () => Promise<{ messages: Messages }>> = {
  de: () => import("./de.ts"),
};

/** Loads the texts of the current language. Without its catalogue, the page is English. */
export async function startLanguage(): Promise<void> {
  const wanted = currentLanguage();
  const messages = await messagesOf(wanted);
  const language = messages ? wanted : "en";
  i18n.setMessagesCompiler(compileMessage);
  i18n.load(language, messages ?? {});
  i18n.activate(language, readerLocale(language));
  document.documentElement.lang = language;
}

/** Returns the texts of a language, or null if their file cannot be loaded. */
async function messagesOf(language: Language): Promise<Messages | null> {
  if (language === "en") return {};
  try {
    return (await catalogues[language]()).messages;
  } catch {
    return null;
  }
}

/** Chooses a language. The page loads again, so that every text follows. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(storageKey, language);
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
