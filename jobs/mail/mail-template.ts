// The one template of all mails. Its elements are created by calls, because Node runs no JSX.

import { Body, Button, Container, Head, Heading, Hr, Html, Link, Text } from "@react-email/components";
import { plainTextSelectors, render, toPlainText } from "@react-email/render";
import { type CSSProperties, createElement as h } from "react";

/** A mail's content. React escapes every text, and no text becomes a link. */
export type MailContent = {
  /** the language of the texts */
  language: string;
  heading: string;
  paragraphs: string[];
  facts: { name: string; value: string }[];
  /** lines with a time, each with a link to open its page */
  items: { text: string; time: string; link: MailLink }[];
  button: MailLink;
  notes: string[];
  /** the link that ends all mail; null for a mail without one */
  unsubscribe: MailLink | null;
};

export type MailLink = { label: string; url: string };

/** Milliseconds for which a mail may be rendered. */
const renderTimeoutMs = 10_000;

const font = "system-ui, -apple-system, 'Segoe UI', sans-serif";
const styles = {
  body: { backgroundColor: "#f2f3f1", fontFamily: font, margin: 0, padding: "24px 12px" },
  card: { backgroundColor: "#ffffff", borderRadius: 8, padding: 32, maxWidth: 560 },
  heading: { color: "#1b1f1c", fontSize: 20, lineHeight: "28px", margin: "0 0 16px" },
  text: { color: "#1b1f1c", fontSize: 14, lineHeight: "22px", margin: "0 0 8px" },
  button: {
    backgroundColor: "#14532d",
    borderRadius: 6,
    color: "#ffffff",
    fontSize: 14,
    fontWeight: 600,
    margin: "16px 0",
    padding: "12px 20px",
  },
  line: { borderColor: "#cfd5d1", margin: "16px 0" },
  quiet: { color: "#55605a", fontSize: 12, lineHeight: "18px", margin: "0 0 8px" },
} satisfies Record<string, CSSProperties>;

/** Renders a mail as HTML and as plain text. */
export async function renderMail(content: MailContent): Promise<{ html: string; text: string }> {
  const html = await withinRenderTimeout(render(element(content)));
  const selectors = [
    ...plainTextSelectors,
    { selector: "h1", options: { uppercase: false } },
    { selector: "a", options: { hideLinkHrefIfSameAsText: true } },
  ];
  return { html, text: `${toPlainText(html, { selectors }).trim()}\n` };
}

function element({ language, heading, paragraphs, facts, items, button, notes, unsubscribe }: MailContent) {
  return h(
    Html,
    { lang: language },
    h(
      Head,
      null,
      // Programs make no links of numbers, dates and addresses in the texts.
      h("meta", { name: "format-detection", content: "telephone=no,date=no,address=no,email=no,url=no" }),
      h("meta", { name: "color-scheme", content: "light" }),
    ),
    h(
      Body,
      { style: styles.body },
      h(
        Container,
        { style: styles.card },
        h(Heading, { as: "h1", style: styles.heading }, h("bdi", null, heading)),
        ...paragraphs.map((text) => h(Text, { style: styles.text }, text)),
        ...facts.map(({ name, value }) =>
          h(Text, { style: styles.text }, `${name}: `, h("bdi", null, value)),
        ),
        ...items.map(({ text, time, link }) =>
          h(
            Text,
            { style: styles.text },
            h("bdi", null, text),
            ` (${time}) `,
            h(Link, { href: link.url }, link.label),
          ),
        ),
        h(Button, { href: button.url, style: styles.button }, button.label),
        h(Hr, { style: styles.line }),
        ...notes.map((text) => h(Text, { style: styles.quiet }, text)),
        unsubscribe === null
          ? null
          : h(Text, { style: styles.quiet }, h(Link, { href: unsubscribe.url }, unsubscribe.label)),
      ),
    ),
  );
}

async function withinRenderTimeout(rendering: Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The mail was not rendered in time.")), renderTimeoutMs);
  });
  try {
    return await Promise.race([rendering, late]);
  } finally {
    clearTimeout(timer);
  }
}
