import { createHash } from "node:crypto";
import type { Context as RequestContext } from "hono";
import { apiPath, exportsPath, streamsPath } from "../../protocol/settlement/vocabulary.ts";
import { issuerOf } from "../../receipts/issuer.ts";
import type { Context } from "../context.ts";
import type { App, Variables } from "../variables.ts";
import { ApiError } from "./api-error.ts";
import { constantDocument } from "./constant-document.ts";
import { type Console, readConsole } from "./web-files.ts";

/**
 * Serves the owner's console: its page at `/` and at every path that no other route serves, and its files. A file never
 * changes under its name.
 */
export function addConsole(app: App, { config }: Context): void {
  const { index, assets } = readConsole();
  const page = fillPage(index, config);
  const etag = `"${createHash("sha256").update(page).digest("hex").slice(0, 32)}"`;
  const policy = policyOfConsole(config.publicUrl);

  const answerPage = (c: RequestContext<{ Variables: Variables }>) => {
    c.header("Content-Security-Policy", policy);
    c.header("Cross-Origin-Resource-Policy", "same-origin");
    c.header("Cross-Origin-Opener-Policy", "same-origin-allow-popups");
    // The page names the files of one build, so browsers revalidate it each time.
    c.header("Cache-Control", "no-cache");
    c.header("Vary", "Accept");
    c.header("ETag", etag);
    return c.req.header("if-none-match") === etag ? c.body(null, 304) : c.html(page);
  };

  app.get("/", answerPage);
  app.get("/assets/:name", (c) => {
    const asset = assets.get(c.req.param("name"));
    if (!asset) throw new ApiError("not_found", "There is nothing at this path.");
    c.header("Cache-Control", "public, max-age=31536000, immutable");
    c.header("Cross-Origin-Resource-Policy", "same-origin");
    c.header("Content-Type", asset.type);
    c.header("Vary", "Accept-Encoding");
    if (!/\bgzip\b/.test(c.req.header("accept-encoding") ?? "")) return c.body(asset.body);
    c.header("Content-Encoding", "gzip");
    return c.body(asset.gzip);
  });
  app.get("/favicon.ico", constantDocument("image/svg+xml", readIcon(assets)));
  // Requests that no route has handled. Programs get the API's 404.
  app.use(async (c, next) => {
    if (!["GET", "HEAD"].includes(c.req.method) || !takesHtml(c.req.header("accept"))) return next();
    const { path } = c.req;
    const elsewhere = [apiPath, exportsPath, streamsPath, "/.well-known", "/assets"].some(
      (item) => path === item || path.startsWith(`${item}/`),
    );
    return elsewhere ? next() : answerPage(c);
  });
}

/** The console's icon, which browsers request by this name for every page that names no icon. */
function readIcon(assets: Console["assets"]): () => string {
  const name = [...assets.keys()].find((item) => /^icon-.*\.svg$/.test(item));
  const icon = assets.get(name ?? "");
  if (!icon) throw new Error("The built console has no icon.");
  return () => new TextDecoder().decode(icon.body);
}

/** Whether the request accepts HTML by name, as a browser's navigation does. */
const takesHtml = (accept = "") => /(^|[\s,])text\/html\b/.test(accept);

/** Writes into the page its base path and the settings that it needs at once: the chains and the issuer of receipts. */
function fillPage(index: string, { publicUrl, chains, defaultChain }: Context["config"]): string {
  const settings = {
    issuer: issuerOf(publicUrl),
    chain_id: defaultChain?.chain_id ?? null,
    chains: chains.map(({ chain_id, network_name }) => ({ chain_id, network_name })),
  };
  const base = `${new URL(publicUrl).pathname.replace(/\/+$/, "")}/`;
  return index
    .replace('<base href="/">', () => `<base href="${escapeAttribute(base)}">`)
    .replace(
      '<meta name="earnest" content="{}">',
      () => `<meta name="earnest" content="${escapeAttribute(JSON.stringify(settings))}">`,
    );
}

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
    "trusted-types earnest",
  ].join("; ");
}
