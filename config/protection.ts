import { z } from "zod";

/**
 * Whose `X-Forwarded-For` is believed: so many proxies in a row before this process, those in these networks, or (null)
 * nobody's.
 */
export type TrustedProxies = { hops: number } | { networks: readonly string[] } | null;

export const trustedProxies = z.string().transform((text, check): TrustedProxies => {
  if (/^\d$/.test(text)) return text === "0" ? null : { hops: Number(text) };
  const networks = text.split(",").map((item) => item.trim());
  if (networks.every((item) => z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).safeParse(item).success))
    return { networks };
  check.addIssue("must be how many proxies stand before this process, or their addresses or CIDR networks");
  return z.NEVER;
});

/** Requests that a client may send in a minute, by policy (`api/rate-limit.ts` says which requests each counts). */
export const usualRates = {
  credential: 600,
  account: 1800,
  address: 300,
  sign_in: 30,
  search: 240,
  schema: 60,
  payment: 60,
  verify: 60,
};
export type RatePolicy = keyof typeof usualRates;
export type RateLimits = Record<RatePolicy, number> | null;

export const rateLimits = z.string().transform((text, check): RateLimits => {
  if (text === "off") return null;
  const limits = { ...usualRates };
  for (const item of text.split(",")) {
    const [, policy, rate] = /^\s*(\w+)\s*=\s*([1-9]\d{0,6})\s*$/.exec(item) ?? [];
    if (policy === undefined || !Object.hasOwn(usualRates, policy)) {
      check.addIssue(
        `must be off, or a list such as credential=600,address=300, of requests a minute, with any of ${Object.keys(usualRates).join(", ")}`,
      );
      return z.NEVER;
    }
    limits[policy as RatePolicy] = Number(rate);
  }
  return limits;
});
