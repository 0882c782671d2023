import type { BillingInterval, PricingModel, Service, ServiceChange } from "earnest-client";
import type { ReactNode } from "react";
import { parseJson } from "../../../protocol/json/parse.ts";
import { wordsOf } from "./agent-draft.ts";

/** The values of the service form. All are texts. */
export type ServiceDraft = {
  slug: string;
  title: string;
  summary: string;
  description: string;
  category: string;
  tags: string;
  pricing_model: PricingModel;
  price: string;
  price_unit: string;
  interval: BillingInterval | "";
  min_quantity: string;
  max_quantity: string;
  delivery_time_hours: string;
  acceptance_hours: string;
  arbiters: string;
  execution: string;
  execution_seconds: string;
  input_schema: string;
  output_schema: string;
};

/** The whole numbers of the form. */
export const wholeNumbers = [
  "min_quantity",
  "max_quantity",
  "delivery_time_hours",
  "acceptance_hours",
  "execution_seconds",
] as const;

export function serviceDraftOf(service: Service | null): ServiceDraft {
  const json = (schema: unknown) => (schema ? JSON.stringify(schema, null, 2) : "");
  return {
    slug: service?.slug ?? "",
    title: service?.title ?? "",
    summary: service?.summary ?? "",
    description: service?.description ?? "",
    category: service?.category ?? "",
    tags: service?.tags.join(", ") ?? "",
    pricing_model: service?.pricing_model ?? "fixed",
    price: service?.price ?? "",
    price_unit: service?.price_unit ?? "",
    interval: service?.interval ?? "",
    min_quantity: String(service?.min_quantity ?? 1),
    max_quantity: String(service?.max_quantity ?? ""),
    delivery_time_hours: String(service?.delivery_time_hours ?? 24),
    acceptance_hours: String(service?.acceptance_hours ?? 72),
    arbiters: service?.arbiters.join("\n") ?? "",
    execution: service?.execution?.endpoint ?? "",
    execution_seconds: String(service?.execution?.timeout_seconds ?? 30),
    input_schema: json(service?.input_schema),
    output_schema: json(service?.output_schema),
  };
}

/** Returns the error of a whole-number field. Only `max_quantity` may be empty. */
export function numberFault(draft: ServiceDraft, name: (typeof wholeNumbers)[number]): string | null {
  if (name === "max_quantity" && draft[name].trim() === "") return null;
  return /^[1-9]\d{0,8}$/.test(draft[name].trim()) ? null : "Enter a whole number above zero.";
}

/**
 * Converts a draft to the API's request, with only the fields that its pricing model takes.
 *
 * @param service as it was read; null for a new one
 */
export function serviceChangeOf(draft: ServiceDraft, service: Service | null) {
  const model = draft.pricing_model;
  const hasQuantity = model === "per_unit" || model === "hourly" || model === "fixed";
  const arbiters = wordsOf(draft.arbiters);
  const price = draft.price.trim();
  return {
    title: draft.title,
    summary: draft.summary.trim() || null,
    description: draft.description.trim() || null,
    category: draft.category || null,
    tags: wordsOf(draft.tags),
    pricing_model: model,
    ...(price === "" ? {} : { price }),
    price_unit: model === "per_unit" ? draft.price_unit.trim() || null : null,
    interval: model === "subscription" ? draft.interval || null : null,
    min_quantity: hasQuantity ? Number(draft.min_quantity) : 1,
    max_quantity: hasQuantity && draft.max_quantity.trim() !== "" ? Number(draft.max_quantity) : null,
    delivery_time_hours: Number(draft.delivery_time_hours),
    acceptance_hours: Number(draft.acceptance_hours),
    // An unchanged list may be the chain's default, which must not be frozen into the service.
    ...(String(arbiters) === String(service?.arbiters ?? [])
      ? {}
      : { arbiters: arbiters.length > 0 ? arbiters : null }),
    execution:
      draft.execution.trim() === ""
        ? null
        : { endpoint: draft.execution.trim(), timeout_seconds: Number(draft.execution_seconds) },
    input_schema: schemaOf(draft.input_schema),
    output_schema: schemaOf(draft.output_schema),
  } satisfies ServiceChange;
}

/** Tells whether the draft removes the price. The service decides whether it may. */
export const clearsPrice = (draft: ServiceDraft, service: Service): boolean =>
  draft.price.trim() === "" && service.price !== null;

/** @throws SyntaxError if the text is not JSON */
const schemaOf = (text: string) => (text.trim() === "" ? null : (parseJson(text) as Record<string, unknown>));

/** Shows one field of the draft. */
export type DraftField = (
  name: keyof ServiceDraft,
  label: string,
  more?: { help?: string; isLong?: boolean; inputMode?: "numeric" | "decimal"; most?: number },
) => ReactNode;
