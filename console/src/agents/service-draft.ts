import type {
  Agent,
  BillingInterval,
  ListedService,
  PricingModel,
  Service,
  ServiceChange,
} from "earnest-client";
import { parseJson } from "../../../protocol/json/parse.ts";
import { amountPattern } from "../../../protocol/settlement/money.ts";
import { hasFaults, type StageDraft, stageDraftsOf, stagesOf, totalsOf } from "../stages/stage-draft.ts";
import { i18n } from "../text/i18n.ts";
import { slugFault } from "./agent-draft.ts";
import { hasTokenChoice, type TokenDraft, tokenChangeOf, tokenDraftOf } from "./sale-tokens.ts";

/** The values of the service form, in the order of its fields. */
export type ServiceDraft = TokenDraft & {
  slug: string;
  title: string;
  summary: string;
  description: string;
  category: string;
  tags: string[];
  pricing_model: PricingModel;
  price: string;
  price_unit: string;
  interval: BillingInterval | "";
  min_quantity: string;
  max_quantity: string;
  /** none for a delivery in one piece */
  stages: StageDraft[];
  delivery_time_hours: string;
  acceptance_hours: string;
  input_schema: string;
  output_schema: string;
  arbiters: string;
  session_url: string;
  session_key: string;
  execution: string;
  execution_seconds: string;
};

/** The whole numbers of the form. */
const wholeNumbers = [
  "min_quantity",
  "max_quantity",
  "delivery_time_hours",
  "acceptance_hours",
  "execution_seconds",
] as const;

/** The numbers that the stages of a service determine. */
const ofStages: ReadonlySet<string> = new Set(["min_quantity", "max_quantity", "delivery_time_hours"]);

export function serviceDraftOf(service: Service | null): ServiceDraft {
  const json = (schema: unknown) => (schema ? JSON.stringify(schema, null, 2) : "");
  return {
    slug: service?.slug ?? "",
    title: service?.title ?? "",
    summary: service?.summary ?? "",
    description: service?.description ?? "",
    category: service?.category ?? "",
    tags: service?.tags ?? [],
    pricing_model: service?.pricing_model ?? "fixed",
    price: shortPrice(service?.price ?? ""),
    ...tokenDraftOf(service),
    price_unit: service?.price_unit ?? "",
    interval: service?.interval ?? "",
    min_quantity: String(service?.min_quantity ?? 1),
    max_quantity: String(service?.max_quantity ?? ""),
    stages: stageDraftsOf(service?.stages ?? null),
    delivery_time_hours: String(service?.delivery_time_hours ?? 24),
    acceptance_hours: String(service?.acceptance_hours ?? 72),
    input_schema: json(service?.input_schema),
    output_schema: json(service?.output_schema),
    arbiters: service?.arbiters.join("\n") ?? "",
    session_url: service?.session?.endpoint_url ?? "",
    session_key: service?.session?.session_key ?? "",
    execution: service?.execution?.endpoint ?? "",
    execution_seconds: String(service?.execution?.timeout_seconds ?? 30),
  };
}

/** Whether orders are in stages, which have a fixed price. The stages then determine price, time and quantity. */
export const isInStages = ({ pricing_model, stages }: ServiceDraft): boolean =>
  pricing_model === "fixed" && stages.length > 0;

/** Returns the price and the delivery time, which are those of the stages, if there are any. */
function wholeOf(draft: ServiceDraft): { price: string; hours: number } {
  if (isInStages(draft)) return totalsOf(draft.stages);
  return { price: draft.price.trim(), hours: Number(draft.delivery_time_hours) };
}

/** Drops the zeros beyond two decimals: `12.500000` becomes `12.50`. */
const shortPrice = (price: string): string => price.replace(/(\.\d\d\d*?)0+$/, "$1");

/** Returns the faults of a draft that keep it from being sent. The service checks the rest. */
export function serviceFaults(
  draft: ServiceDraft,
  isNew: boolean,
): Partial<Record<keyof ServiceDraft, string>> {
  const isStaged = isInStages(draft);
  const numbers = wholeNumbers.filter((name) => !(isStaged && ofStages.has(name)) && !isWhole(draft, name));
  const schemas = (["input_schema", "output_schema"] as const).filter((name) => !isJson(draft[name]));
  return {
    ...(isNew ? slugFault(draft.slug) : {}),
    ...(draft.title.trim() === "" ? { title: i18n.t("Enter a title.") } : {}),
    ...(isStaged && hasFaults(draft.stages) ? { stages: i18n.t("Complete all stages.") } : {}),
    ...(!isStaged && draft.price.trim() !== "" && !amountPattern.test(draft.price.trim())
      ? { price: i18n.t("Enter an amount, for example 2.50.") }
      : {}),
    ...(hasTokenChoice && draft.accepts.length === 0
      ? { accepts: i18n.t("Choose at least one token.") }
      : {}),
    ...Object.fromEntries(numbers.map((name) => [name, i18n.t("Enter a whole number above zero.")])),
    ...Object.fromEntries(schemas.map((name) => [name, i18n.t("Fix the schema before saving.")])),
  };
}

/** Tells whether a field has a whole number that the form can send. Only `max_quantity` may be empty. */
function isWhole(draft: ServiceDraft, name: (typeof wholeNumbers)[number]): boolean {
  if (name === "max_quantity" && draft[name].trim() === "") return true;
  return /^[1-9]\d{0,8}$/.test(draft[name].trim());
}

function isJson(text: string): boolean {
  try {
    schemaOf(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Converts a draft to the API's request, with only the fields that its pricing model takes.
 *
 * @param service as it was read; null for a new one
 */
export function serviceChangeOf(draft: ServiceDraft, service: Service | null) {
  const model = draft.pricing_model;
  const isStaged = isInStages(draft);
  const hasQuantity = model !== "negotiated" && model !== "subscription" && !isStaged;
  const arbiters = wordsOf(draft.arbiters);
  const { price, hours } = wholeOf(draft);
  return {
    title: draft.title,
    summary: draft.summary.trim() || null,
    description: draft.description.trim() || null,
    category: draft.category || null,
    tags: draft.tags,
    pricing_model: model,
    ...(price === "" ? {} : { price }),
    ...tokenChangeOf(draft, service),
    price_unit: model === "per_unit" || model === "metered" ? draft.price_unit.trim() || null : null,
    interval: model === "subscription" ? draft.interval || null : null,
    min_quantity: hasQuantity ? Number(draft.min_quantity) : 1,
    max_quantity: hasQuantity && draft.max_quantity.trim() !== "" ? Number(draft.max_quantity) : null,
    stages: isStaged ? stagesOf(draft.stages) : null,
    delivery_time_hours: hours,
    acceptance_hours: Number(draft.acceptance_hours),
    // An unchanged list may be the chain's default, which must not be frozen into the service.
    ...(String(arbiters) === String(service?.arbiters ?? [])
      ? {}
      : { arbiters: arbiters.length > 0 ? arbiters : null }),
    session:
      model === "per_call" && draft.session_url.trim() !== ""
        ? { endpoint_url: draft.session_url.trim(), session_key: draft.session_key.trim() }
        : null,
    execution:
      draft.execution.trim() === ""
        ? null
        : { endpoint: draft.execution.trim(), timeout_seconds: Number(draft.execution_seconds) },
    input_schema: schemaOf(draft.input_schema),
    output_schema: schemaOf(draft.output_schema),
  } satisfies ServiceChange;
}

/** Splits a text at commas and line breaks. */
const wordsOf = (text: string): string[] =>
  text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** Tells whether the draft removes the price. The service decides whether it may. */
export const clearsPrice = (draft: ServiceDraft, service: Service): boolean =>
  wholeOf(draft).price === "" && service.price !== null;

/** @throws SyntaxError if the text is not JSON */
const schemaOf = (text: string) => (text.trim() === "" ? null : (parseJson(text) as Record<string, unknown>));

/** Builds the public service that a draft would be, for a preview of its card. */
export function previewOf(draft: ServiceDraft, agent: Agent, service: Service | null): ListedService {
  const { price, hours } = wholeOf(draft);
  return {
    id: service?.id ?? "",
    slug: draft.slug,
    title: draft.title || i18n.t("Title"),
    summary: draft.summary || null,
    description: null,
    category: null,
    tags: draft.tags,
    pricing_model: draft.pricing_model,
    price: amountPattern.test(price) ? price : null,
    price_base_units: null,
    price_currency: draft.price_currency,
    price_unit: draft.price_unit || null,
    interval: draft.interval || null,
    min_quantity: 1,
    max_quantity: null,
    delivery_time_hours: Number.isFinite(hours) ? hours : 0,
    acceptance_hours: 0,
    accepts: [],
    arbiters: [],
    status: service?.status ?? "draft",
    available: service?.available ?? true,
    answers_at_once: draft.execution.trim() !== "",
    buy_url: null,
    completed_order_count: service?.completed_order_count ?? 0,
    reputation: service?.reputation ?? { score: null, orders: 0, on_time: null, rating: null, reviews: 0 },
    agent: {
      id: agent.id,
      slug: agent.slug,
      name: agent.name,
      verified: agent.verified,
      score: agent.reputation.score?.value ?? null,
    },
    created_at: service?.created_at ?? agent.created_at,
  };
}
