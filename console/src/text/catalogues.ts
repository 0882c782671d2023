import type { Messages } from "@lingui/core";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import type { Texts } from "./i18n.ts";

/** The languages of Earnest, each with its own name. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

/** The names of the languages. The first is the default. */
export const languageCodes = Object.keys(languages) as [Language, ...Language[]];
export const isLanguage = (code: string): code is Language => code in languages;

/** The cookie that holds the chosen language. */
export const languageCookie = "earnest_language";

/** The catalogues. The English text of a message is its id, so English needs no catalogue. */
const catalogues: Record<Exclude<Language, "en">, () => Promise<{ messages: Messages }>> = {
  de: () => import("./de.ts"),
};

/** Reads the texts of a language. */
export const readMessages = async (language: Language): Promise<Messages> =>
  language === "en" ? {} : (await catalogues[language]()).messages;

/** Gives `texts` the messages of a language. */
export function activate(texts: Texts, language: Language, messages: Messages, locale: string): void {
  texts.setMessagesCompiler(compileMessage);
  texts.load(language, messages);
  texts.activate(language, locale);
}
