import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { describeEvent, timeText } from "./event-words.ts";
import type { MailContent } from "./mail-template.ts";
import type { MailedEvent } from "./mailed-events.ts";

/** A mail's content without its sender. */
export type MailText = { subject: string; text: string; html: string };

/** The most events that a mail lists; it counts the others. */
const mostNamed = 50;

/** @param link confirms the address, and works once */
export function writeVerification(accountId: string, link: string, publicUrl: string): Promise<MailText> {
  return compose("Confirm your address for Earnest", {
    paragraphs: [
      `Somebody asked to send the events of the account ${accountId} at ${publicUrl} to this address.`,
      "If that was you, open this page and confirm the address within a day.",
      "If not, do nothing: you get no further mail.",
    ],
    button: { label: "Confirm address", url: link },
    unsubscribe: null,
  });
}

/** @param link stops all mail to the address */
export function writeEvents(
  events: readonly MailedEvent[],
  { accountId, publicUrl, link }: { accountId: string; publicUrl: string; link: string },
): Promise<MailText> {
  const notes = [
    `Check ${publicUrl} before you act. We never ask for a key, a password or a payment by mail.`,
    `You get this mail because the account ${accountId} sends its events to this address.`,
  ];
  const [first] = events;
  if (first && events.length === 1) {
    const { headline, facts, action } = describeEvent(first);
    const button = { label: action.label, url: `${publicUrl}${action.path}` };
    return compose(headline, { facts, button, notes, unsubscribe: link });
  }
  const more = events.length - mostNamed;
  return compose(`${events.length} updates on Earnest`, {
    items: events.slice(0, mostNamed).map((event) => {
      const { headline, action } = describeEvent(event);
      return { text: headline, time: timeText(event.createdAt), url: `${publicUrl}${action.path}` };
    }),
    button: { label: "Open Earnest", url: `${publicUrl}/` },
    notes: [...(more > 0 ? [`There are ${more} more events: ${publicUrl}${apiPath}/events.`] : []), ...notes],
    unsubscribe: link,
  });
}

async function compose(
  subject: string,
  content: Partial<MailContent> & Pick<MailContent, "button" | "unsubscribe">,
): Promise<MailText> {
  // The template is loaded with the first mail, because its packages take some 50 MB.
  const { renderMail } = await import("./mail-template.ts");
  const rendered = await renderMail({
    heading: subject,
    paragraphs: [],
    facts: [],
    items: [],
    notes: [],
    ...content,
  });
  return { subject, ...rendered };
}
