import { apiPath, type EventType, eventTypes } from "../../protocol/settlement/vocabulary.ts";

/** A mail's content without its sender. */
export type MailText = { subject: string; text: string; html: string };

/** The fields of an event that a mail names. None has text that another account wrote. */
export type MailedEvent = { type: string; createdAt: Date; orderId: string | null };

/** The most events that a mail lists; it counts the others. */
const mostNamed = 50;

/** @param link confirms the address, and works once */
export function writeVerification(accountId: string, link: string, publicUrl: string): MailText {
  return compose("Earnest: confirm your address", [
    `Somebody asked to send the events of the account ${accountId} at ${publicUrl} to this address.`,
    "If that was you, open this page and confirm the address within a day:",
    link,
    "If not, do nothing: you get no further mail.",
  ]);
}

/** @param link stops all mail to the address */
export function writeEvents(
  events: readonly MailedEvent[],
  { accountId, publicUrl, link }: { accountId: string; publicUrl: string; link: string },
): MailText {
  const [first] = events;
  const subject =
    events.length === 1 && first ? `Earnest: ${nameOf(first.type)}` : `Earnest: ${events.length} events`;
  const named = events.slice(0, mostNamed).map(({ type, createdAt, orderId }) => {
    const order = orderId === null ? "" : ` (${orderId})`;
    return `${createdAt.toISOString()} ${nameOf(type)}${order}: ${meaningOf(type)}.`;
  });
  const more = events.length - named.length;
  return compose(subject, [
    `New events of the account ${accountId}:`,
    ...named,
    ...(more > 0 ? [`There are ${more} more events: ${publicUrl}${apiPath}/events.`] : []),
    `Check ${publicUrl} before you act. We never ask for a key, a password or a payment by mail.`,
    `To stop these mails, open ${link}`,
  ]);
}

const isKnown = (type: string): type is EventType => Object.hasOwn(eventTypes, type);
const nameOf = (type: string) => (isKnown(type) ? type : "an event");
const meaningOf = (type: string) =>
  isKnown(type) ? eventTypes[type] : "this program does not know its type";

function compose(subject: string, paragraphs: readonly string[]): MailText {
  const html = paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join("\n");
  return {
    subject,
    text: `${paragraphs.join("\n\n")}\n`,
    html: `<!doctype html><html lang="en"><body>\n${html}\n</body></html>\n`,
  };
}

function escapeHtml(text: string): string {
  const escaped = text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(`"`, "&quot;");
  return escaped.replaceAll(/https?:\/\/[^\s]+(?<![.,])/g, (url) => `<a href="${url}">${url}</a>`);
}
