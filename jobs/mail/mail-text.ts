import type { Texts } from "../../console/src/text/i18n.ts";
import { timeText } from "../../console/src/text/service-texts.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { describeEvent } from "./event-words.ts";
import type { MailContent } from "./mail-template.ts";
import type { MailedEvent } from "./mailed-events.ts";

/** A mail's content without its sender. */
export type MailText = { subject: string; text: string; html: string };

/** The most events that a mail lists. Further events are counted. */
const mostNamed = 50;

type About = { accountId: string; publicUrl: string; link: string };

/**
 * Writes the mail that asks a person to confirm an address.
 *
 * @param about.link confirms the address, and works once
 */
export function writeVerification(
  i18n: Texts,
  { accountId: account, publicUrl: site, link }: About,
): Promise<MailText> {
  return compose(i18n, i18n.t("Confirm your address for Earnest"), {
    paragraphs: [
      i18n.t("Somebody asked to send the events of the account {account} at {site} to this address.", {
        account,
        site,
      }),
      i18n.t("If that was you, open this page and confirm the address within a day."),
      i18n.t("If not, do nothing: you get no further mail."),
    ],
    button: { label: i18n.t("Confirm address"), url: link },
    unsubscribe: null,
  });
}

/**
 * Writes the mail about events.
 *
 * @param about.link stops all mail to the address
 */
export function writeEvents(
  i18n: Texts,
  events: readonly MailedEvent[],
  { accountId: account, publicUrl: site, link }: About,
): Promise<MailText> {
  const notes = [
    i18n.t("Check {site} before you act. We never ask for a key, a password or a payment by mail.", { site }),
    i18n.t("You get this mail because the account {account} sends its events to this address.", { account }),
  ];
  const unsubscribe = { label: i18n.t("Unsubscribe from all mail"), url: link };
  const [first] = events;
  if (first && events.length === 1) {
    const { headline, facts, action } = describeEvent(i18n, first);
    const button = { label: action.label, url: `${site}${action.path}` };
    return compose(i18n, headline, { facts, button, notes, unsubscribe });
  }
  const more = events.length - mostNamed;
  return compose(i18n, i18n.t("{count} updates on Earnest", { count: events.length }), {
    items: events.slice(0, mostNamed).map((event) => {
      const { headline, action } = describeEvent(i18n, event);
      return {
        text: headline,
        time: timeText(i18n, event.createdAt),
        link: { label: i18n.t("Open page"), url: `${site}${action.path}` },
      };
    }),
    button: { label: i18n.t("Open Earnest"), url: `${site}/` },
    notes: [
      ...(more > 0
        ? [i18n.t("There are {more} more events: {url}.", { more, url: `${site}${apiPath}/events` })]
        : []),
      ...notes,
    ],
    unsubscribe,
  });
}

async function compose(
  { locale: language }: Texts,
  subject: string,
  content: Partial<MailContent> & Pick<MailContent, "button" | "unsubscribe">,
): Promise<MailText> {
  // The template is loaded with the first mail, because its packages take some 50 MB.
  const { renderMail } = await import("./mail-template.ts");
  const rendered = await renderMail({
    language,
    heading: subject,
    paragraphs: [],
    facts: [],
    items: [],
    notes: [],
    ...content,
  });
  return { subject, ...rendered };
}
