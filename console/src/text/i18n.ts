import { I18n, type MessageDescriptor, type MessageOptions } from "@lingui/core";

type Values = Record<string, unknown>;

/**
 * The texts of Earnest in one language. Lingui decodes escapes such as `\u202e` in a finished text. A user could
 * hide characters by it, and `showHidden` writes such escapes on purpose. So the backslashes of values are escaped themselves.
 */
export class Texts extends I18n {
  override _(descriptor: MessageDescriptor): string;
  override _(id: string, values?: Values, options?: MessageOptions): string;
  override _(message: MessageDescriptor | string, values?: Values, options?: MessageOptions): string {
    return typeof message === "string"
      ? super._(message, escaped(values), options)
      : super._({ ...message, values: escaped(message.values) });
  }
}

const escaped = (values: Values | undefined): Values | undefined =>
  values &&
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "string" ? value.replaceAll("\\", "\\u005c") : value,
    ]),
  );

/** The texts of the console in the language of the page. */
export const i18n = new Texts({});
