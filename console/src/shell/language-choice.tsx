import { ChoiceField } from "../parts/choice-field.tsx";
import { type Language, languages } from "../text/catalogues.ts";
import { i18n } from "../text/i18n.ts";
import { chooseLanguage } from "../text/language.ts";

/** Chooses the language of the console. Each language has its own name. */
export function LanguageChoice() {
  return (
    <ChoiceField
      label={i18n.t("Language")}
      value={i18n.locale as Language}
      onChange={chooseLanguage}
      choices={Object.entries(languages) as [Language, string][]}
    />
  );
}
