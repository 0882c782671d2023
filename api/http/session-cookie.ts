import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { CookieOptions } from "hono/utils/cookie";
import { exportsPath } from "../../protocol/settlement/vocabulary.ts";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { ApiError } from "./api-error.ts";

/**
 * The header of the console's requests. A page of another origin needs a preflight for it, and no preflight is granted
 * with credentials.
 */
export const consoleHeader = "Earnest-Console";

/** The name of the cookie that holds a browser's session, and its attributes. */
type CookieForm = { name: string; attributes: CookieOptions };

/**
 * The form of the session's cookie. On https its prefix keeps other hosts from setting it: a page of a sibling host could
 * sign the browser in to another account. The prefix needs the path `/`, so a service below a path has the path in the name.
 * All ports of a host share cookies, so on http the name has the port.
 */
function formOf(publicUrl: string): CookieForm {
  const { protocol, port, pathname } = new URL(publicUrl);
  const below = pathname.replace(/\/+$/, "");
  const name = `earnest${below && encodeURIComponent(below)}`;
  const attributes: CookieOptions = { path: "/", httpOnly: true, sameSite: "Strict" };
  if (protocol !== "https:") return { name: `${name}${port && `-${port}`}`, attributes };
  return { name: `__Host-${name}`, attributes: { ...attributes, secure: true } };
}

/** Reads the session's cookie into the request. */
export function readSessionCookie({ config }: Context): MiddlewareHandler<{ Variables: Variables }> {
  const { name } = formOf(config.publicUrl);
  return async (c, next) => {
    // Another page of the browser may send the request, and the browser adds the cookie.
    const isOwn = c.req.header("cookie") !== undefined && (isFromConsole(c) || isExportLink(c));
    c.set("cookieToken", (isOwn && getCookie(c, name)) || undefined);
    await next();
  };
}

/** Gives a browser its session. No script can read the cookie, and no request that another site starts has it. */
export function giveSessionCookie({ config }: Context, c: HonoContext, token: string, endsAt: Date): void {
  const { name, attributes } = formOf(config.publicUrl);
  setCookie(c, name, token, { ...attributes, expires: endsAt });
}

/** Makes a browser forget its session. */
export function removeSessionCookie({ config }: Context, c: HonoContext): void {
  const { name, attributes } = formOf(config.publicUrl);
  setCookie(c, name, "", { ...attributes, maxAge: 0 });
}

/**
 * Whether a page of this service sent the request. Browsers send `Sec-Fetch-Site` on https and to this machine, and no
 * script can change it.
 */
function isFromConsole(c: HonoContext): boolean {
  const site = c.req.header("sec-fetch-site");
  return (
    c.req.header(consoleHeader) !== undefined &&
    (site === undefined || site === "same-origin" || site === "none")
  );
}

/** Whether a link or a form of this service's pages requests an export. A link has no header of its own. */
function isExportLink(c: HonoContext): boolean {
  return (
    ["GET", "HEAD"].includes(c.req.method) &&
    c.req.path.startsWith(`${exportsPath}/`) &&
    c.req.header("sec-fetch-site") === "same-origin"
  );
}

/**
 * Refuses a sign-in into a cookie by a page of another origin. Otherwise the page could sign the browser in to the account of its author.
 *
 * @throws ApiError `forbidden_origin`
 */
export function requireConsole(c: HonoContext): void {
  if (isFromConsole(c)) return;
  throw new ApiError(
    "forbidden_origin",
    `Only pages of this service may call this operation, with the header ${consoleHeader}. Programs sign in with POST /auth/signin.`,
  );
}
