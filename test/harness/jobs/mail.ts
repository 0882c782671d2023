import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { pino } from "pino";
import { insertEvents } from "../../../db/account-events.ts";
import { mailMessage, mailSetting } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { createMailer } from "../../../jobs/mail/send.ts";
import { expectStatus, type Session, signIn } from "../api.ts";
import { createDocumentedApi } from "../documented.ts";
import { startMailServer } from "../mail.ts";

export type MailBench = Awaited<ReturnType<typeof startMailBench>>;

export const log = pino({ level: "silent" });

/** The path of a link in a mail. */
export function linkIn(text: string, page: string): string {
  const [, path] = new RegExp(`http://localhost:42069(/mail/${page}\\?token=[\\w.-]+)`).exec(text) ?? [];
  if (!path) throw new Error(`There is no link to ${page} in ${text}`);
  return path;
}

/** An installation that sends mail, and the server that takes the mail. */
export async function startMailBench() {
  const mail = await startMailServer();
  const api = await createDocumentedApi({
    env: { SMTP_URL: mail.url, MAIL_FROM: "Earnest <mail@example.org>" },
  });

  function mailer({ perHour = 1000, silenceMs = 5000 } = {}) {
    const { mail: set } = api.config;
    if (!set) throw new Error("This installation sends no mail.");
    return createMailer(api.db, { ...api.config, mail: { ...set, perHour } }, { log, silenceMs });
  }
  const run = (options: Parameters<typeof mailer>[0] = {}) => mailer(options)();
  const addressOf = ({ accountId }: Session) => `${accountId}@example.org`;
  const to = (who: Session) => mail.taken.filter((one) => one.to === addressOf(who));
  const put = (who: Session, body: object) => api.request("PUT", "/me/email", { token: who.token, body });
  const post = (path: string, body = "") =>
    api.app.request(path, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body,
    });

  return {
    api,
    mail,
    mailer,
    run,
    addressOf,
    /** Returns the mails to an address of a person. */
    to,
    put,
    post,
    read: async (who: Session) =>
      expectStatus(200, await api.request("GET", "/me/email", { token: who.token })),
    /** Adds an event of an account. */
    tell: (who: Session, title: string, type = "request.matched") =>
      inTransaction(api.db, (tx) =>
        insertEvents(tx, [
          { accountId: who.accountId, type, orderId: null, key: randomUUID(), data: { title } },
        ]),
      ),
    /** Makes all waiting mails due. */
    async letTimePass(): Promise<void> {
      await api.db.execute(sql`update earnest.mail_setting set next_at = now()`);
      await api.db.execute(sql`update earnest.mail_message set next_attempt_at = now()`);
    },
    /** A person with a verified address. */
    async subscriber(settings: object = {}): Promise<Session> {
      const who = await signIn(api);
      expectStatus(200, await put(who, { address: addressOf(who), events: ["*"], ...settings }));
      await run();
      const answer = await post(linkIn(to(who)[0]?.text ?? "", "verify"));
      if (answer.status !== 200) throw new Error(`The address was not verified: ${answer.status}`);
      mail.taken.length = 0;
      return who;
    },
    async clear(): Promise<void> {
      mail.treat(() => null);
      await api.db.delete(mailMessage);
      await api.db.delete(mailSetting);
    },
    async close(): Promise<void> {
      await api.close();
      await mail.close();
    },
  };
}
