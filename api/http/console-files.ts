import { hasPage, patternOf } from "../../console/src/paths.ts";
import { apiPath, exportsPath, streamsPath } from "../../protocol/settlement/vocabulary.ts";
import type { App } from "../variables.ts";
import { ApiError } from "./api-error.ts";
import type { Shell } from "./console-shell.ts";
import { constantDocument } from "./constant-document.ts";
import { readLanguage } from "./reader-language.ts";
import { type Console, type Encoding, encodings } from "./web-files.ts";

/**
 * Serves the console's files, and its page at every path that no other route serves. A path without a page is answered 404
 * with the console, which shows its own error page. A file never changes under its name.
 */
export function addConsole(app: App, shell: Shell): void {
  const { assets } = shell;
  const pages = Object.keys(shell.scripts.pages).map((route) => [patternOf(route), route] as const);

  app.get("/assets/:name", (c) => {
    const asset = assets.get(c.req.param("name"));
    if (!asset) throw new ApiError("not_found", "There is nothing at this path.");
    c.header("Cache-Control", "public, max-age=31536000, immutable");
    c.header("Cross-Origin-Resource-Policy", "same-origin");
    c.header("Content-Type", asset.type);
    const { packed } = asset;
    if (Object.keys(packed).length === 0) return c.body(asset.body);
    c.header("Vary", "Accept-Encoding");
    const encoding = chooseEncoding(c.req.header("accept-encoding"));
    const body = encoding && packed[encoding];
    if (!encoding || !body) return c.body(asset.body);
    c.header("Content-Encoding", encoding);
    return c.body(body);
  });
  app.get("/favicon.ico", constantDocument("image/svg+xml", readIcon(assets)));
  // Requests that no route has handled. Programs get the API's 404.
  app.use(readLanguage, async (c, next) => {
    if (!["GET", "HEAD"].includes(c.req.method) || !takesHtml(c.req.header("accept"))) return next();
    const { path } = c.req;
    const elsewhere = [apiPath, exportsPath, streamsPath, "/.well-known", "/assets"].some(
      (item) => path === item || path.startsWith(`${item}/`),
    );
    if (elsewhere) return next();
    const [, route] = pages.find(([pattern]) => pattern.test(path)) ?? [];
    return shell.answer(c, await shell.writeOwn(c.get("language"), route), hasPage(path) ? 200 : 404);
  });
}

/** The console's icon, which browsers request by this name for every page that names no icon. */
function readIcon(assets: Console["assets"]): () => string {
  const name = [...assets.keys()].find((item) => /^icon-.*\.svg$/.test(item));
  const icon = assets.get(name ?? "");
  if (!icon) throw new Error("The built console has no icon.");
  return () => new TextDecoder().decode(icon.body);
}

/** The first of the service's encodings that a client accepts. */
function chooseEncoding(accepted = ""): Encoding | undefined {
  const names = accepted
    .split(",")
    .filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item))
    .map((item) => item.replace(/;.*/, "").trim());
  return (Object.keys(encodings) as Encoding[]).find((encoding) => names.includes(encoding));
}

/** Whether the request accepts HTML by name, as a browser's navigation does. */
const takesHtml = (accept = "") => /(^|[\s,])text\/html\b/.test(accept);
