import * as z from "zod";
import { Rejection } from "./errors.ts";

const HOST = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;
const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/**
 * Returns the did:web name of a public URL: `did:web:host[%3Aport][:path]`. Throws for a URL without such a name
 * (credentials, query, IPv6, special characters). Source: https://w3c-ccg.github.io/did-method-web/
 */
export function issuerOf(publicUrl: string): string {
  const url = new URL(publicUrl);
  const path = url.pathname.replace(/^\/|\/$/g, "");
  const segments = path === "" ? [] : path.split("/");
  const nameable =
    /^https?:$/.test(url.protocol) &&
    HOST.test(url.hostname) &&
    segments.every((segment) => SEGMENT.test(segment)) &&
    url.username + url.password + url.search + url.hash === "";
  if (!nameable) throw new TypeError(`did:web cannot name ${publicUrl}: give https://host[:port][/path].`);
  const host = url.port === "" ? url.hostname : `${url.hostname}%3A${url.port}`;
  return ["did:web", host, ...segments].join(":");
}

/** The service types of a DID document, and the paths of these services below the issuer's URL. */
export const keyLogService = "KeyLog";
export const statusService = "ReceiptStatusList";
export const keyLogPath = "/.well-known/earnest-key-log.json";
export const statusPath = "/.well-known/earnest-receipt-status.json";

/** The location of an issuer. */
export interface IssuerLocation {
  /** The issuer's URL, without a trailing slash. */
  baseUrl: string;
  didDocumentUrl: string;
}

/** Parses a did:web name. Only `localhost` and `127.0.0.1` use plain http, as in x402's verifier. */
export function locateIssuer(issuer: string): IssuerLocation | null {
  const [encodedHost, ...segments] = issuer.startsWith("did:web:") ? issuer.slice(8).split(":") : [];
  if (encodedHost === undefined || issuer.length > 512) return null;
  const [hostname = "", port] = encodedHost.split("%3A");
  const scheme = hostname === "localhost" || hostname === "127.0.0.1" ? "http" : "https";
  const origin = `${scheme}://${hostname}${port === undefined ? "" : `:${port}`}`;
  const path = segments.map((segment) => `/${segment}`).join("");
  try {
    // Comparison with the canonical name refuses other spellings: case, default port, dots, escapes.
    if (issuerOf(origin + path) !== issuer) return null;
  } catch {
    return null;
  }
  return {
    baseUrl: origin + path,
    didDocumentUrl: path === "" ? `${origin}/.well-known/did.json` : `${origin}${path}/did.json`,
  };
}

/** Reads the expected issuer. Throws `invalid_issuer` unless it is a did:web name in its normal form. */
export function expectedIssuer(issuer: unknown): { name: string; baseUrl: string } {
  const location = typeof issuer === "string" ? locateIssuer(issuer) : null;
  if (!location)
    throw new Rejection("invalid_issuer", "Give a name such as did:web:example.com or did:web:host%3A8080.");
  return { name: issuer as string, baseUrl: location.baseUrl };
}

/** A did:web name in its normal form. */
export const issuerSchema = z
  .string()
  .max(512)
  .refine((issuer) => locateIssuer(issuer) !== null, "must be a did:web identifier in its normal form");
