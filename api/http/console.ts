import { createHash } from "node:crypto";
import type { Context as RequestContext } from "hono";
import { apiPath, exportsPath, streamsPath } from "../../protocol/settlement/vocabulary.ts";
import { issuerOf } from "../../receipts/issuer.ts";
import { type Console, readConsole } from "../../tools/build/output.ts";
import type { Context } from "../context.ts";
import type { App, Variables } from "../variables.ts";
import { ApiError } from "./api-error.ts";
import { constantDocument } from "./constant-document.ts";

/**
 * Serves the owner's console: its page at `/` and at every other address that a browser opens and nothing else has, and
 * its files, which never change under their names.
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
    // It names the files of one build: asked for anew each time, and sent only where it changed.
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
  // Reached by what no route has taken. Programs get the API's 404.
  app.use(async (c, next) => {
    if (!["GET", "HEAD"].includes(c.req.method) || !takesHtml(c.req.header("accept"))) return next();
    const { path } = c.req;
    const elsewhere = [apiPath, exportsPath, streamsPath, "/.well-known", "/assets"].some(
      (one) => path === one || path.startsWith(`${one}/`),
    );
    return elsewhere ? next() : answerPage(c);
  });
}

/** The console's icon, which browsers ask for by this name on every page that names none. */
function readIcon(assets: Console["assets"]): () => string {
  const name = [...assets.keys()].find((one) => /^icon-.*\.svg$/.test(one));
  const icon = assets.get(name ?? "");
  if (!icon) throw new Error("The built console has no icon.");
  return () => new TextDecoder().decode(icon.body);
}

/** Whether the page is what was asked for: as a browser asks that opens an address, not as a program that takes anything. */
const takesHtml = (accept = "") => /(^|[\s,])text\/html\b/.test(accept);

/** Tells the page where it lies, and what it has to know before its first request: the chains, and who signs receipts. */
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
    "worker-src 'self'",
    // A wallet's picture of itself is a `data:` address (EIP-6963).
    "img-src 'self' data:",
    // The keys of receipts are asked for at the service's public address, which need not be the one in the address bar.
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types earnest",
  ].join("; ");
}
