import type { Key, KeyChanges } from "earnest-client";
import { amountPattern } from "../../../protocol/settlement/money.ts";
import { i18n } from "../text/i18n.ts";

/** The values of a key's limits form. All are texts; an empty text means no limit. */
export type KeyLimitDraft = Record<(typeof amounts)[number] | (typeof lists)[number], string> & {
  max_open_orders: string;
  allowed_ips: string;
  /** a day in the user's time zone, such as `2026-11-28`; the key ends with this day */
  expires_at: string;
};

const amounts = ["per_order", "per_day", "per_month", "approval_above"] as const;
const lists = ["agents", "services", "assets"] as const;

/** The faults of a draft by its fields. */
export type LimitFaults = Partial<Record<keyof KeyLimitDraft, string>>;

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
  if (expires_at) bounds.expires_at = localDay(new Date(expires_at));
  return bounds;
}

/**
 * Converts a draft to the API's request. It names every limit, so an emptied field removes the limit.
 *
 * @param before the initial draft. An unchanged expiry is not sent, because the form has only its day
 */
export function requestOf(bounds: KeyLimitDraft, before: KeyLimitDraft): Omit<KeyChanges, "name"> {
  const count = bounds.max_open_orders.trim();
  const isSameEnd = bounds.expires_at === before.expires_at;
  const end = bounds.expires_at === "" ? null : endOf(bounds.expires_at).toISOString();
  return {
    limits: {
      per_order: bounds.per_order.trim() || null,
      per_day: bounds.per_day.trim() || null,
      per_month: bounds.per_month.trim() || null,
      approval_above: bounds.approval_above.trim() || null,
      max_open_orders: count === "" ? null : Number(count),
      agents: linesOf(bounds.agents),
      services: linesOf(bounds.services),
      assets: linesOf(bounds.assets),
    },
    allowed_ips: linesOf(bounds.allowed_ips),
    ...(isSameEnd ? {} : { expires_at: end }),
  };
}

function linesOf(text: string): string[] | null {
  const words = text.split(/[\s,]+/).filter(Boolean);
  return words.length > 0 ? words : null;
}

/** Finds the fields of a draft that the service would refuse. */
export function findLimitFaults(draft: KeyLimitDraft): LimitFaults {
  const faults: LimitFaults = {};
  for (const name of amounts) {
    const amount = draft[name].trim();
    if (amount !== "" && !amountPattern.test(amount))
      faults[name] = i18n.t("Enter an amount such as 250.00.");
  }
  if (!/^\d{0,9}$/.test(draft.max_open_orders.trim()))
    faults.max_open_orders = i18n.t("Enter a whole number.");
  if (draft.expires_at !== "" && endOf(draft.expires_at).getTime() <= Date.now())
    faults.expires_at = i18n.t("Choose today or a later day.");
  return faults;
}

const endOf = (day: string): Date => new Date(`${day}T23:59:59`);

function localDay(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
