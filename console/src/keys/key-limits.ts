import type { Key, KeyChanges } from "earnest-client";

/** What bounds a key, as its form has it: text, empty where nothing does. */
export type KeyLimitDraft = Record<(typeof amounts)[number] | (typeof lists)[number], string> & {
  max_open_orders: string;
  allowed_ips: string;
  /** in the reader's own zone, as `<input type="datetime-local">` has it */
  expires_at: string;
};

const amounts = ["per_order", "per_day", "per_month", "approval_above"] as const;
const lists = ["agents", "services", "assets"] as const;

export const noLimits: KeyLimitDraft = {
  per_order: "",
  per_day: "",
  per_month: "",
  approval_above: "",
  max_open_orders: "",
  agents: "",
  services: "",
  assets: "",
  allowed_ips: "",
  expires_at: "",
};

export function limitsOf({ limits, allowed_ips, expires_at }: Key): KeyLimitDraft {
  const bounds = { ...noLimits };
  for (const name of amounts) bounds[name] = limits[name] ?? "";
  for (const name of lists) bounds[name] = limits[name]?.join("\n") ?? "";
  if (limits.max_open_orders !== null) bounds.max_open_orders = String(limits.max_open_orders);
  bounds.allowed_ips = allowed_ips?.join("\n") ?? "";
  if (expires_at) bounds.expires_at = localText(new Date(expires_at));
  return bounds;
}

/**
 * What is asked of the service: all of it, so that what was emptied is taken away.
 *
 * @param before what the form began with: an end that is not touched is not sent, since its seconds are not in the form
 */
export function requestOf(bounds: KeyLimitDraft, before: KeyLimitDraft): Omit<KeyChanges, "name"> {
  const count = bounds.max_open_orders.trim();
  const isSameEnd = bounds.expires_at === before.expires_at;
  const end = bounds.expires_at === "" ? null : new Date(bounds.expires_at).toISOString();
  return {
    limits: {
      per_order: bounds.per_order.trim() || null,
      per_day: bounds.per_day.trim() || null,
      per_month: bounds.per_month.trim() || null,
      approval_above: bounds.approval_above.trim() || null,
      // What is no number shall be refused, and not become null, which takes the limit away.
      max_open_orders: count === "" ? null : /^\d{1,9}$/.test(count) ? Number(count) : -1,
      agents: wordsOf(bounds.agents),
      services: wordsOf(bounds.services),
      assets: wordsOf(bounds.assets),
    },
    allowed_ips: wordsOf(bounds.allowed_ips),
    ...(isSameEnd ? {} : { expires_at: end }),
  };
}

function wordsOf(text: string): string[] | null {
  const words = text.split(/[\s,]+/).filter(Boolean);
  return words.length > 0 ? words : null;
}

function localText(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
