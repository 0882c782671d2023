// The HTML document in which the console runs, with a head for crawlers and a text for readers without JavaScript.

import type { Context as RequestContext } from "hono";
import { html, raw } from "hono/html";
import type { Token } from "../../config/config.ts";
import { isDemo, isLoopback } from "../../config/demo.ts";
import type { Language } from "../../console/src/text/catalogues.ts";
import type { Texts } from "../../console/src/text/i18n.ts";
import { textsOf } from "../../console/src/text/service-texts.ts";
import { issuerOf } from "../../receipts/issuer.ts";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { entityTagOf, isKnownTag } from "./etag.ts";
import { withoutScripts } from "./no-script.ts";
import { type Console, readConsole } from "./web-files.ts";

/** The head and the text of a public page. Every text is plain and is escaped here. */
export type PublicPage = {
  title: string;
  /** one line */
  description: string;
  /** the canonical path below the service's URL */
  path: string;
  /** the type of Open Graph */
  type: "website" | "profile" | "product";
  /** whether search engines may list the page */
  isIndexed: boolean;
  /** a description by schema.org */
  data?: object;
  /** the text for readers without JavaScript */
  body: ReturnType<typeof html>;
};

/** A whole HTML document with its entity tag. */
type Document = { text: string; tag: string };

const documentOf = (text: string): Document => ({ text, tag: entityTagOf(text) });

export type Shell = ReturnType<typeof createShell>;

/** Reads the built console, and returns what writes its documents. */
export function createShell({ config }: Pick<Context, "config">) {
  const { index, assets, scripts } = readConsole();
  const { publicUrl } = config;
  // The font of Latin letters, which every page shows.
  const fonts = [...assets.keys()].filter((name) => name.startsWith("inter-latin-wght-normal"));
  const [cardTag = "", card = ""] = /<meta property="og:image" content="\.\/([^"]+)">/.exec(index) ?? [];
  const page = [
    ['<html lang="en">', "<html>"],
    ["<title>Earnest</title>", "<title></title>"],
    [cardTag, ""],
    ['<base href="/">', `<base href="${escapeAttribute(basePathOf(publicUrl))}">`],
    [
      '<meta name="earnest" content="{}">',
      `<meta name="earnest" content="${escapeAttribute(JSON.stringify(settingsOf(config)))}">`,
    ],
  ].reduce((text, [from = "", to = ""]) => replaceOnce(text, from, to), index);
  const policy = policyOfConsole(publicUrl);

  /**
   * Writes the document of a public page, in the language of its texts; null for a page that crawlers leave out.
   *
   * @param route the page's route in `scripts`. The document names the scripts of the page
   */
  function write(shown: PublicPage | null, texts: Texts, route?: string): string {
    const named = [...(scripts.pages[route ?? ""] ?? []), ...(scripts.catalogues[texts.locale] ?? [])];
    const preloads = [
      ...fonts.map(
        (name) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="./assets/${name}">\n`,
      ),
      ...named.map((name) => `<link rel="modulepreload" crossorigin href="./${name}">\n`),
    ];
    const body = html`${shown?.body ?? ownBody}\n${withoutScripts(texts)}`;
    return [
      ["<html>", `<html lang="${texts.locale}">`],
      ["<title></title>", String(shown ? writeHead(shown) : ownHead)],
      ["</head>", `${preloads.join("")}</head>`],
      ["<noscript>", `<noscript>${String(body)}`],
    ].reduce((text, [from = "", to = ""]) => replaceOnce(text, from, to), page);
  }

  const own = new Map<string, Document>();

  /** Returns the document of a page that crawlers leave out, in a language. It is written once. */
  async function writeOwn(language: Language, route?: string): Promise<Document> {
    const key = `${language} ${route}`;
    const document = own.get(key) ?? documentOf(write(null, await textsOf(language), route));
    own.set(key, document);
    return document;
  }

  function writeHead({ title, description, path, type, isIndexed, data }: PublicPage) {
    const url = `${publicUrl}${path}`;
    return html`<title>${title}</title>
<meta name="description" content="${description}">
<link rel="canonical" href="${url}">
${isIndexed ? "" : raw(noIndex)}<meta property="og:site_name" content="Earnest">
<meta property="og:type" content="${type}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
<meta property="og:image" content="${publicUrl}/${card}">
<meta name="twitter:card" content="summary_large_image">${
      data
        ? html`
<script type="application/ld+json">${raw(scriptTextOf(data))}</script>`
        : ""
    }`;
  }

  function answer(c: RequestContext<{ Variables: Variables }>, { text, tag }: Document, status: 200 | 404) {
    c.header("Content-Security-Policy", policy);
    c.header("Cross-Origin-Resource-Policy", "same-origin");
    c.header("Cross-Origin-Opener-Policy", "same-origin-allow-popups");
    // The page names the files of one build, so browsers revalidate it each time.
    c.header("Cache-Control", "no-cache");
    c.header("Vary", "Accept, Accept-Language, Cookie");
    c.header("ETag", tag);
    return status === 200 && isKnownTag(c, tag) ? c.body(null, 304) : c.html(text, status);
  }

  return { assets: assets as Console["assets"], scripts, write, writeOwn, answer };
}

const noIndex = '<meta name="robots" content="noindex">\n';
const ownHead = `${noIndex}<title>Earnest</title>`;
const ownBody = "\n<h1>Earnest</h1>";

/** The JSON of a data block. No text in it can end the script element. */
function scriptTextOf(data: object): string {
  return JSON.stringify(data).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** @throws where the built page lacks the text */
function replaceOnce(text: string, from: string, to: string): string {
  if (from === "" || !text.includes(from))
    throw new Error(
      `The built console's page lacks ${from || "its picture"}. Build it again: npm run build.`,
    );
  return text.replace(from, () => to);
}

/** The settings that the console needs at once: the chains with their tokens, the issuer of receipts, and whether visitors may try orders. */
function settingsOf(config: Context["config"]) {
  const { publicUrl, chains, defaultChain } = config;
  const demo = isDemo(config);
  return {
    demo,
    issuer: issuerOf(publicUrl),
    chain_id: defaultChain?.chain_id ?? null,
    chains: chains.map((chain) => ({
      chain_id: chain.chain_id,
      network_name: chain.network_name,
      escrow_contract: chain.escrow_contract,
      tokens: chain.tokens.map(describeToken),
      retired_tokens: chain.retired_tokens.map(describeToken),
      passkey_factory: chain.passkey_factory ?? null,
      // The URL of another node may hold a secret.
      rpc_url: demo && isLoopback(chain.rpc_url) ? chain.rpc_url : null,
    })),
  };
}

const describeToken = ({ address, symbol, decimals, name, version, currency }: Token) => ({
  address,
  symbol,
  decimals,
  name,
  version,
  currency: currency ?? null,
});

/** The path of the service's URL, with a slash at its end. */
export const basePathOf = (publicUrl: string) => `${new URL(publicUrl).pathname.replace(/\/+$/, "")}/`;

const escapeAttribute = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

function policyOfConsole(publicUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "worker-src 'self'",
    // A wallet's icon is a `data:` URL (EIP-6963).
    "img-src 'self' data:",
    // The console fetches receipt keys at the public URL, which may differ from the page's origin.
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types earnest default",
  ].join("; ");
}
