import { openPaths, ownPaths, signInPaths } from "../../console/src/paths.ts";
import type { Context } from "../context.ts";
import { basePathOf } from "../http/console-shell.ts";
import { constantDocument } from "../http/constant-document.ts";
import type { App } from "../variables.ts";
import { sitemapPath } from "./sitemap.ts";

/** Adds `/robots.txt`, which allows the public pages and names the sitemap. */
export function addRobots(app: App, { config }: Context): void {
  const base = basePathOf(config.publicUrl);
  const closed = [...ownPaths, ...signInPaths, "/mail"];
  const firstOf = (path: string) => path.split("/")[1] ?? "";
  const open = new Set(openPaths.filter((path) => !closed.includes(path)).map(firstOf));
  const folders = new Set(closed.map(firstOf).filter((part) => !open.has(part)));
  // A folder with public pages stays open, but for its own pages.
  const single = closed.filter((path) => open.has(firstOf(path)) && !path.includes("$"));
  const lines = [
    "User-agent: *",
    `Allow: ${base}`,
    // `$` ends a path, so that no part closes a longer word that begins with it.
    ...[...folders].sort().flatMap((part) => [`Disallow: ${base}${part}$`, `Disallow: ${base}${part}/`]),
    ...single.map((path) => `Disallow: ${base}${path.slice(1)}$`),
    "",
    `Sitemap: ${config.publicUrl}${sitemapPath}`,
    "",
  ];
  app.get(
    "/robots.txt",
    constantDocument("text/plain; charset=utf-8", () => lines.join("\n")),
  );
}
