import { i18n } from "../text/i18n.ts";
import type { FaultCode, PlacedFault } from "./schema-check.ts";
import type { Violation } from "./value-check.worker.ts";

/** Returns the sentence of a fault in a schema. */
export function faultText({ code, message }: PlacedFault): string {
  if (code === null) return message;
  const comment = i18n.t("JSON has no comments.");
  const texts: Record<FaultCode, string> = {
    InvalidSymbol: i18n.t("This word is not valid JSON. Put text in double quotes."),
    InvalidNumberFormat: i18n.t("This is not a number."),
    PropertyNameExpected: i18n.t("Expected a name in double quotes."),
    ValueExpected: i18n.t("Expected a value."),
    ColonExpected: i18n.t("Expected a colon."),
    CommaExpected: i18n.t("Expected a comma."),
    CloseBraceExpected: i18n.t("Expected a closing brace."),
    CloseBracketExpected: i18n.t("Expected a closing ]."),
    EndOfFileExpected: i18n.t("Nothing may follow the schema."),
    InvalidCommentToken: comment,
    UnexpectedEndOfComment: comment,
    UnexpectedEndOfString: i18n.t("A closing double quote is missing."),
    UnexpectedEndOfNumber: i18n.t("This number is incomplete."),
    InvalidUnicode: i18n.t("Four hexadecimal digits must follow \\u."),
    InvalidEscapeCharacter: i18n.t("This escape sequence is not valid."),
    InvalidCharacter: i18n.t("Escape this character with a backslash."),
    NotJson: i18n.t("This is not valid JSON."),
    TooLong: i18n.t("This schema is too long for the service."),
    WholeSchema: i18n.t("The schema {message}.", { message }),
  };
  return texts[code];
}

/** Returns the sentence of a value's violation. Rules without a sentence here keep the checker's English one. */
export function violationText({ keyword, limit, message }: Violation): string {
  if (keyword === "required") return i18n.t("This is required.");
  if (keyword === "enum") return i18n.t("Choose one of the listed values.");
  if (limit === null) return message;
  const texts: Record<string, string> = {
    minLength: i18n.t("Enter at least {limit, plural, one {# character} other {# characters}}.", { limit }),
    maxLength: i18n.t("Enter at most {limit, plural, one {# character} other {# characters}}.", { limit }),
    minItems: i18n.t("Add at least {limit, plural, one {# entry} other {# entries}}.", { limit }),
    maxItems: i18n.t("Keep at most {limit, plural, one {# entry} other {# entries}}.", { limit }),
    minimum: i18n.t("Enter {limit, number} or more.", { limit }),
    maximum: i18n.t("Enter {limit, number} or less.", { limit }),
  };
  return texts[keyword] ?? message;
}
