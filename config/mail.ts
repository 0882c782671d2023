import { z } from "zod";
import { ConfigError } from "./environment.ts";
import { settingNotes } from "./settings.ts";

/** How mail is sent; null where none is. */
export type MailConfig = {
  /** `smtp://` or `smtps://`, with user and password */
  smtpUrl: string;
  from: string;
  /** the most messages an hour to all accounts */
  perHour: number;
} | null;

export const mailEnvironment = {
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: "must be an smtp:// or smtps:// URL" })
    .optional()
    .register(settingNotes, {
      for: "worker, API",
      is: "the server that sends mail, as in `smtps://user:password@mail.example.org`; without it, no mail is sent",
    }),
  MAIL_FROM: z
    .string()
    .regex(
      /^(?:[\w .-]{1,64} <[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/,
      "must be as in `Earnest <mail@example.org>`",
    )
    .optional()
    .register(settingNotes, {
      for: "worker, API",
      is: "the sender, as in `Earnest <mail@example.org>`; set together with `SMTP_URL`",
    }),
  MAIL_PER_HOUR: z.coerce.number().int().min(1).max(1_000_000).default(1000).register(settingNotes, {
    for: "worker",
    is: "the most messages an hour to all accounts, half of them kept for parties",
  }),
};

/** @throws ConfigError if only one of `SMTP_URL` and `MAIL_FROM` is set */
export function readMailConfig(values: {
  SMTP_URL?: string | undefined;
  MAIL_FROM?: string | undefined;
  MAIL_PER_HOUR: number;
}): MailConfig {
  const { SMTP_URL: smtpUrl, MAIL_FROM: from, MAIL_PER_HOUR: perHour } = values;
  if (smtpUrl && from) return { smtpUrl, from, perHour };
  if (!smtpUrl && !from) return null;
  throw new ConfigError("Set SMTP_URL and MAIL_FROM together, or neither. Without both, no mail is sent.");
}
