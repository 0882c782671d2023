import { createTransport, type SendMailOptions } from "nodemailer";
import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import { readWebhookKey } from "../../config/keys/webhook-key.ts";
import { textsOf } from "../../console/src/text/service-texts.ts";
import type { Database } from "../../db/client.ts";
import { and, eq, inArray, lte, sql } from "../../db/drizzle.ts";
import { mailMessage } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import {
  type MailSetting,
  readMailSetting,
  stopMail,
  unsubscribeToken,
} from "../../trade/mail/mail-settings.ts";
import { createMailToken } from "../../trade/mail/mail-tokens.ts";
import { findDueMail } from "./hourly-shares.ts";
import { queueMail } from "./mail-schedule.ts";
import { type MailText, writeEvents, writeVerification } from "./mail-text.ts";
import { readMailedEvents } from "./mailed-events.ts";

type Message = typeof mailMessage.$inferSelect;

/** Messages sent concurrently in one round. */
const atOnce = 5;

/** Seconds from each failed attempt to the next. After the last delay the message has failed. */
const delays = [60, 300, 900, 3600, 4 * 3600, 12 * 3600, 24 * 3600];

/** Milliseconds of silence after which the connection to the SMTP server is closed. */
const usualSilenceMs = 20_000;

/** Seconds after which a message of a dead sender is sent again: longer than the slowest delivery. */
const lease = 180;

/** Seconds between two searches for new events. */
const every = 10;

/**
 * Returns a function that writes and sends due mail until none is left, or the hour's messages are used up. Only one
 * mailer runs at a time, so it alone counts the hour's messages.
 */
export function createMailer(
  db: Database,
  config: Config & { mail: NonNullable<Config["mail"]> },
  { log, silenceMs = usualSilenceMs }: { log: Logger; silenceMs?: number },
): (signal?: AbortSignal) => Promise<number> {
  const key = readWebhookKey(config);
  const host = new URL(config.publicUrl).hostname;
  const transport = createTransport({
    url: config.mail.smtpUrl,
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
    dnsTimeout: silenceMs,
    // The mail's content comes from this program alone.
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  return async (signal) => {
    await queueMail(db, signal);
    while (!signal?.aborted) {
      const taken = await take();
      if (taken.length === 0) break;
      await Promise.all(taken.map(deliver));
    }
    return every;
  };

  /** Counts an attempt of each message before it is sent. A message of a dead sender is due again after the lease. */
  async function take(): Promise<Message[]> {
    const due = await findDueMail(db, { perHour: config.mail.perHour, most: atOnce });
    if (due.length === 0) return [];
    const ids = due.map(({ id }) => id);
    const ofParties = due.filter(({ forParty }) => forParty).map(({ id }) => id);
    return db
      .update(mailMessage)
      .set({
        attempts: sql`${mailMessage.attempts} + 1`,
        nextAttemptAt: inSeconds(lease),
        forParty: inArray(mailMessage.id, ofParties),
      })
      .where(
        and(
          inArray(mailMessage.id, ids),
          eq(mailMessage.status, "pending"),
          lte(mailMessage.nextAttemptAt, sql`now()`),
        ),
      )
      .returning();
  }

  async function deliver(message: Message): Promise<void> {
    const setting = await readMailSetting(db, message.accountId);
    if (!setting) return finish(message, "cancelled");
    try {
      const text = await write(message, setting);
      if (!text) return await finish(message, "cancelled");
      await within(lease - 30, transport.sendMail(envelope(message, setting, text)));
      await finish(message, "sent");
    } catch (error) {
      await fail(message, setting, error as SmtpError);
    }
  }

  /** Writes a message's current text; null if there is nothing to mail. */
  async function write(message: Message, setting: MailSetting): Promise<MailText | null> {
    const { accountId } = setting;
    const { publicUrl } = config;
    const texts = await textsOf(setting.language);
    if (setting.address !== message.address || setting.stoppedAt) return null;
    if (message.kind === "verification") {
      const nonce = setting.verificationNonce;
      if (nonce === null || message.key !== `verification:${nonce}`) return null;
      const token = createMailToken(key, "verify", accountId, [setting.address, nonce]);
      const link = `${publicUrl}/mail/verify?token=${token}`;
      return writeVerification(texts, { accountId, publicUrl, link });
    }
    if (!setting.verifiedAt) return null;
    const events = await readMailedEvents(db, message, setting.events);
    return events.length === 0
      ? null
      : writeEvents(texts, events, { accountId, publicUrl, link: stopLink(setting) });
  }

  function envelope({ id }: Message, setting: MailSetting, text: MailText): SendMailOptions {
    return {
      from: config.mail.from,
      to: { name: "", address: setting.address },
      // All attempts share this id, so that a server can recognise a repeated message.
      messageId: `<${id}@${host}>`,
      ...text,
      headers: {
        "Auto-Submitted": "auto-generated",
        "List-Unsubscribe": `<${stopLink(setting)}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      },
    };
  }

  function stopLink(setting: MailSetting): string {
    return `${config.publicUrl}/mail/unsubscribe?token=${unsubscribeToken(key, setting)}`;
  }

  /** Stops mail to an address that the server rejects for good. Retries all else with growing delays. */
  async function fail(message: Message, setting: MailSetting, error: SmtpError): Promise<void> {
    const isRejected = error.code === "EENVELOPE" && (error.responseCode ?? 0) >= 500;
    const delay = delays[message.attempts - 1];
    const lastError = [error.code, error.responseCode].filter(Boolean).join(" ") || "unknown";
    log.warn(
      { message_id: message.id, account_id: message.accountId, attempt: message.attempts, error: lastError },
      "a mail was not sent",
    );
    if (isRejected) await inTransaction(db, (tx) => stopMail(tx, setting, "rejected"));
    if (isRejected || delay === undefined) return finish(message, "failed", lastError);
    const nextAttemptAt = inSeconds(delay * (0.9 + Math.random() / 5));
    await db.update(mailMessage).set({ lastError, nextAttemptAt }).where(isAttempt(message));
  }

  async function finish(
    message: Message,
    status: "sent" | "failed" | "cancelled",
    lastError: string | null = null,
  ) {
    await db.update(mailMessage).set({ status, lastError, finishedAt: sql`now()` }).where(isAttempt(message));
  }
}

const inSeconds = (seconds: number) => sql`now() + make_interval(secs => ${seconds}::float8)`;

/** The condition that this attempt still owns the message: it is neither cancelled nor taken again. */
const isAttempt = ({ id, attempts }: Message) =>
  and(eq(mailMessage.id, id), eq(mailMessage.attempts, attempts), eq(mailMessage.status, "pending"));

/** Rejects after some seconds, so that a slow server does not block the mailer. */
async function within<T>(seconds: number, sending: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error("took too long"), { code: "ETIMEDOUT" })),
      seconds * 1000,
    );
  });
  try {
    return await Promise.race([sending, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An error of nodemailer, with its own code and the server's. The text may contain anything. */
type SmtpError = Error & { code?: string; responseCode?: number };
