import { apiPath, type EventType, eventTypes } from "../../protocol/settlement/vocabulary.ts";

/** What is said, before it has a sender. */
export type MailText = { subject: string; text: string; html: string };

/** An event as far as a mail tells of it: nothing that a stranger wrote. */
export type ToldEvent = { type: string; createdAt: Date; orderId: string | null };

/** Events that one message names; of more it says how many. */
const mostNamed = 50;

/** @param link confirms the address, and is good once */
export function writeVerification(accountId: string, link: string, publicUrl: string): MailText {
  return compose("Earnest: confirm your address", [
    `Somebody who acts for the account ${accountId} at ${publicUrl} wants its events told to this address.`,
    "If that was you, open this page and confirm it within a day:",
    link,
    "If it was not, do nothing: without that you get no further mail.",
  ]);
}

/** @param link stops all mail to the address */
export function writeEvents(
  events: readonly ToldEvent[],
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
    `This happened to the account ${accountId}:`,
    ...named,
    ...(more > 0 ? [`And ${more} more: read them at ${publicUrl}${apiPath}/events.`] : []),
    `Look at ${publicUrl} before you act on it. No mail of ours asks for a key, a password or a payment.`,
    `To get no more of these, open ${link}`,
  ]);
}

const isKnown = (type: string): type is EventType => Object.hasOwn(eventTypes, type);
const nameOf = (type: string) => (isKnown(type) ? type : "an event");
const meaningOf = (type: string) => (isKnown(type) ? eventTypes[type] : "it was added after this program");

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
