// The texts that the service writes into pages and mails.

import { shortAmount } from "../../../protocol/settlement/money.ts";
import { activate, type Language, readMessages } from "./catalogues.ts";
import { Texts } from "./i18n.ts";

/** The locale of numbers and times in each language. */
const locales: Record<Language, string> = { en: "en-GB", de: "de-DE" };

const loaded = new Map<Language, Promise<Texts>>();

/** Returns the texts of a language. The catalogue is loaded once. */
export function textsOf(language: Language): Promise<Texts> {
  const known = loaded.get(language) ?? load(language);
  loaded.set(language, known);
  return known;
}

async function load(language: Language): Promise<Texts> {
  const texts = new Texts({});
  activate(texts, language, await readMessages(language), locales[language]);
  return texts;
}

const localeOf = ({ locale }: Texts): string => locales[locale as Language];

/** Writes an exact amount with the separators of the language: `1250.500000` is `1.250,50` in German. */
export function amountText(texts: Texts, amount: string): string {
  const parts = new Intl.NumberFormat(localeOf(texts)).formatToParts(10_000.5);
  const separator = (type: "group" | "decimal") => parts.find((part) => part.type === type)?.value ?? "";
  return shortAmount(amount, separator("group"), separator("decimal"));
}

/** Writes a time in UTC, because the time zone of the reader is unknown. */
export function timeText(texts: Texts, time: Date): string {
  const format = new Intl.DateTimeFormat(localeOf(texts), {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  return `${format.format(time)} UTC`;
}
