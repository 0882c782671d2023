/** A skill as it is kept and searched: lower case, one blank between words. */
export function normaliseSkill(text: string): string {
  return text.trim().toLowerCase().replace(/\s+/g, " ");
}

/** A language tag in its canonical form (BCP 47), as in `pt-BR`, or null for what is none. */
export function canonicalLanguage(text: string): string | null {
  // Longer first subtags are well-formed and name no language: "english" is a mistake for "en".
  if (!/^[a-z]{2,3}(-|$)/i.test(text)) return null;
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}
