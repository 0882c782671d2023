/** Normalises a skill for storage and search: lower case, one space between words. */
export function normaliseSkill(text: string): string {
  return text.trim().toLowerCase().replace(/\s+/g, " ");
}

/** The canonical form (BCP 47) of a language tag, as in `pt-BR`; null for an invalid tag. */
export function canonicalLanguage(text: string): string | null {
  // Longer first subtags are well-formed but name no language: "english" is a mistake for "en".
  if (!/^[a-z]{2,3}(-|$)/i.test(text)) return null;
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}
