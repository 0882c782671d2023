import type { Call, RequestOptions } from "./call.ts";
import { writeExact } from "./exact-amounts.ts";
import { userAgent } from "./user-agent.ts";

/** The path of the API below the service's URL. */
export const apiPath = "/api/v1";

/** A request, which is the same for every attempt except for the token. */
export interface HttpRequest {
  verb: string;
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/**
 * Writes the request of a call.
 *
 * @param client.baseUrl with `/api/v1`
 * @throws TypeError for an inexact amount
 */
export function writeRequest(
  call: Call,
  options: RequestOptions,
  client: {
    baseUrl: string;
    organisation: string | null | undefined;
    headers: Record<string, string> | undefined;
  },
  idempotencyKey: string | null,
): HttpRequest {
  const exact = call.exact ?? {};
  const base = call.root ? client.baseUrl.slice(0, -apiPath.length) : client.baseUrl;
  const url = new URL(base + call.path);
  for (const [name, value] of Object.entries(writeExact(exact, call.query ?? {}))) {
    for (const item of [value].flat()) {
      if (item !== undefined && item !== null) url.searchParams.append(name, String(item));
    }
  }
  const organisation = options.organisation === undefined ? client.organisation : options.organisation;
  const agent = userAgent();
  const headers = {
    accept: call.accept ?? "application/json",
    ...(agent ? { "user-agent": agent } : {}),
    ...(call.body === undefined ? {} : { "content-type": "application/json" }),
    ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
    ...(organisation && !call.open ? { "x-organisation": organisation } : {}),
    ...definedOf(call.headers ?? {}),
    ...lowerCase(client.headers),
    ...lowerCase(options.headers),
  };
  const body = isPlain(call.body) ? writeExact(exact, call.body) : call.body;
  return {
    verb: call.verb,
    url: url.href,
    headers,
    ...(body === undefined ? {} : { body: writeJson(body) }),
  };
}

/** Writes JSON with each bigint as text, which the API accepts for large integers. */
function writeJson(body: unknown): string {
  return JSON.stringify(body, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the values that are not undefined. */
export function definedOf<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function lowerCase(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
