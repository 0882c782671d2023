import { z } from "zod";

/**
 * The proxies whose `X-Forwarded-For` is believed: so many in a row before this process, those in these networks, or none
 * (null).
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

/**
 * The limits of a minute, by policy. `api/http/rate-limit.ts` applies them. `api/http/special-rates.ts` lists the requests that
 * have a policy of their own. The last eight policies count bytes: of one client, and of all together.
 */
export const usualRates = {
  credential: 600,
  account: 1800,
  address: 300,
  sign_in: 30,
  search: 240,
  schema: 60,
  payment: 60,
  verify: 60,
  balances: 120,
  content: 16 * 1024 * 1024,
  content_in_all: 1024 * 1024 * 1024,
  uploads: 2 * 1024 * 1024 * 1024,
  uploads_in_all: 32 * 1024 * 1024 * 1024,
  downloads: 2 * 1024 * 1024 * 1024,
  downloads_in_all: 32 * 1024 * 1024 * 1024,
  answers: 256 * 1024 * 1024,
  answers_in_all: 16 * 1024 * 1024 * 1024,
};
export type RatePolicy = keyof typeof usualRates;
export type RateLimits = Record<RatePolicy, number> | null;

export const rateLimits = z.string().transform((text, check): RateLimits => {
  if (text === "off") return null;
  const limits = { ...usualRates };
  for (const item of text.split(",")) {
    const [, policy, rate] = /^\s*(\w+)\s*=\s*([1-9]\d{0,11})\s*$/.exec(item) ?? [];
    if (policy === undefined || !Object.hasOwn(usualRates, policy)) {
      check.addIssue(
        `must be off, or a list such as credential=600,address=300, of requests or bytes a minute, with any of ${Object.keys(usualRates).join(", ")}`,
      );
      return z.NEVER;
    }
    limits[policy as RatePolicy] = Number(rate);
  }
  return limits;
});

/** Webhook deliveries a second, by all workers together: to a host over all accounts, and of an account over all hosts. */
export const usualDeliveries = { hostPerSecond: 100, accountPerSecond: 20 };

/** Orders that may wait for their money: of one buyer, and of buyers who never paid, with one provider and in all. */
export const unpaidCaps = { ofNewBuyer: 50, ofBuyer: 1000, withProvider: 1000, inAll: 20_000 };

/** Requests of buyers without an account that may wait for their order at once: of one address (of IPv6, one /64) and in one process. */
export const buyerWaits = { address: 8, process: 200 };

/** Requests that send bytes of files at once: of one account, of one address, and in one process. */
export const uploadSlots = { account: 6, address: 12, total: 100 };

/**
 * The bounds of downloads. The first three count downloads at once: of one account, of one address, and in one process. A
 * download that sends less than `least` bytes in `seconds` is cut, and any other after `lifetime` seconds.
 */
export const downloadBounds = {
  account: 8,
  address: 24,
  total: 120,
  seconds: 20,
  least: 160 * 1024,
  lifetime: 4 * 3600,
};

/** Payments of buyers without an account that are checked at once, of one address and in one process: each asks the node. */
export const buyerChecks = { address: 8, process: 64 };

/**
 * The bounds of unread answers. Their connection ends after `seconds`. The next three are bytes, held for one address (of
 * IPv6, one /64), for one account and in one process. `pipelined` counts the requests of one connection that may wait.
 */
export const unreadBounds = {
  seconds: 20,
  address: 16 * 1024 * 1024,
  account: 16 * 1024 * 1024,
  process: 128 * 1024 * 1024,
  pipelined: 32,
};

/**
 * The bounds of event streams. The first three count open streams of one account, of one address (of IPv6, one /64) and in
 * one process. The others are seconds: between two signs of life, until a reader takes its data, without an event, in all.
 */
export const usualStreams = {
  account: 10,
  address: 50,
  process: 1000,
  heartbeat: 15,
  slow: 20,
  idle: 1800,
  lifetime: 14_400,
};
export type StreamBounds = typeof usualStreams;

export const streamBounds = z.string().transform((text, check): StreamBounds => {
  const bounds = { ...usualStreams };
  for (const item of text.split(",")) {
    const [, name, value] = /^\s*(\w+)\s*=\s*([1-9]\d{0,5})\s*$/.exec(item) ?? [];
    if (name === undefined || !Object.hasOwn(usualStreams, name)) {
      check.addIssue(
        `must be a list such as account=20,process=2000, with any of ${Object.keys(usualStreams).join(", ")}`,
      );
      return z.NEVER;
    }
    bounds[name as keyof StreamBounds] = Number(value);
  }
  return bounds;
});

/** Seconds after its funding deadline that an unpaid order keeps its payload, its schemas and its files. */
export const unpaidPayloadSeconds = 7 * 24 * 3600;
