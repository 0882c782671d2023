import { useQuery } from "@tanstack/react-query";
import type { MarketplaceFilters } from "earnest-client";
import { Search, X } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { amountPattern } from "../../../protocol/settlement/money.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { cutSearch } from "../parts/cut-text.ts";
import { PhoneFold } from "../parts/phone-fold.tsx";
import { durationText } from "../parts/time-text.ts";
import { useClient } from "../session/client.ts";
import { servedTokens, tokenText } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { filtersQuery, type MarketSearch } from "./market-queries.ts";

type Choices = readonly (readonly [value: string, text: string])[];
type Change = (search: MarketSearch) => void;

const sorts = (): Choices => [
  ["", i18n.t("Relevance")],
  ["newest", i18n.t("Newest")],
  ["price_low", i18n.t("Price: low to high")],
  ["price_high", i18n.t("Price: high to low")],
  ["most_completed", i18n.t("Most orders")],
  ["score", i18n.t("Highest score")],
];

function modelText(model: string): string {
  const texts: Record<string, string> = {
    fixed: i18n.t("Fixed price"),
    per_unit: i18n.t("Per unit"),
    hourly: i18n.t("Hourly"),
    metered: i18n.t("Metered"),
    per_call: i18n.t("Per call"),
    negotiated: i18n.t("Custom quote"),
    subscription: i18n.t("Subscription"),
  };
  return texts[model] ?? model;
}

/** The search box of the market and its sorting. */
export function SearchBox({ search, onChange }: { search: MarketSearch; onChange: Change }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("q") ?? "");
    onChange({ ...search, q: cutSearch(text) || undefined });
  };
  return (
    <search className="search-line">
      {/* The key resets the form when the URL has another search. */}
      <form onSubmit={submit} key={search.q}>
        <input
          type="search"
          name="q"
          aria-label={i18n.t("Search services")}
          placeholder={i18n.t("Search services")}
          defaultValue={search.q}
        />
        <Button type="submit" variant="primary" icon={Search}>
          {i18n.t("Search")}
        </Button>
      </form>
      <ChoiceField
        label={i18n.t("Sort")}
        value={search.sort ?? ""}
        onChange={(sort) => onChange({ ...search, sort: sort || undefined })}
        choices={withCurrent(sorts(), search.sort)}
      />
    </search>
  );
}

/** The filters of the market. A choice takes effect at once, and shows how many services it would leave. */
export function Facets({ search, onChange }: { search: MarketSearch; onChange: Change }) {
  const client = useClient();
  const { data } = useQuery({ ...filtersQuery(client, search), placeholderData: (before) => before });
  const { q, sort, ...chosen } = search;
  const facet = (name: keyof MarketSearch, label: string, choices: Choices) => (
    <ChoiceField
      key={name}
      label={label}
      value={search[name] ?? ""}
      onChange={(value) => onChange({ ...search, [name]: value || undefined })}
      choices={withCurrent([["", i18n.t("Any")], ...choices], search[name])}
    />
  );
  return (
    <div className="facets">
      <PhoneFold>
        {data && facetsOf(data).map(([name, label, choices]) => facet(name, label, choices))}
        {data &&
          servedTokens.length > 1 &&
          tokenFacetsOf(data).map(([name, label, choices]) => facet(name, label, choices))}
        <Price key={`${search.min} ${search.max}`} search={search} onChange={onChange} />
      </PhoneFold>
      {Object.values(chosen).some(Boolean) && (
        <Button variant="bare" icon={X} onPress={() => onChange({ q, sort })}>
          {i18n.t("Clear filters")}
        </Button>
      )}
    </div>
  );
}

function facetsOf(data: MarketplaceFilters): [keyof MarketSearch, string, Choices][] {
  const least = (items: readonly { value: string | number; count: number }[], unit = ""): Choices =>
    items.map(({ value, count }) => [String(value), counted(`${value}${unit}+`, count)]);
  const verified: Record<string, string> = {
    domain: i18n.t("Domain"),
    erc8004: i18n.t("On-chain identity"),
    "domain,erc8004": i18n.t("Both"),
  };
  return [
    [
      "category",
      i18n.t("Category"),
      data.category.items.map(({ value, title, count }) => [value, counted(title, count)]),
    ],
    [
      "pricing",
      i18n.t("Pricing model"),
      data.pricing_model.items.map(({ value, count }) => [value, counted(modelText(value), count)]),
    ],
    [
      "hours",
      i18n.t("Delivery time"),
      data.max_delivery_hours.items.map(({ value, count }) => [
        String(value),
        counted(durationText(value * 3600), count),
      ]),
    ],
    [
      "verified",
      i18n.t("Verification"),
      data.verified.items.map(({ value, count }) => [value, counted(verified[value] ?? value, count)]),
    ],
    ["rating", i18n.t("Rating"), least(data.min_rating.items)],
    ["score", i18n.t("Score"), least(data.min_score.items)],
    ["orders", i18n.t("Completed orders"), least(data.min_orders.items)],
    ["ontime", i18n.t("On-time rate"), least(data.on_time.items, "%")],
  ];
}

/** The filters of an installation with several tokens. */
function tokenFacetsOf({ currency, token }: MarketplaceFilters): [keyof MarketSearch, string, Choices][] {
  return [
    [
      "currency",
      i18n.t("Currency"),
      currency.items.map(({ value, count }) => [value, counted(value, count)]),
    ],
    [
      "token",
      i18n.t("Accepted token"),
      token.items.map(({ chain_id, token: address, symbol, count }) => [
        `${chain_id} ${address}`,
        counted(tokenText(symbol, chain_id), count),
      ]),
    ],
  ];
}

const counted = (label: string, count: number | undefined) => `${label} (${count})`;

/** Adds the URL's value if it is not one of the choices, so that the field shows it. */
const withCurrent = (choices: Choices, value = ""): Choices =>
  choices.some(([each]) => each === value) ? choices : [...choices, [value, value]];

/** The lowest and the highest price. They take effect when the reader leaves the field or presses Enter. */
function Price({ search, onChange }: { search: MarketSearch; onChange: Change }) {
  const [min, setMin] = useState(search.min ?? "");
  const [max, setMax] = useState(search.max ?? "");
  const isAmount = (text: string) => text === "" || amountPattern.test(text);
  const isGood = isAmount(min) && isAmount(max);
  const apply = () => {
    if (isGood && (min !== (search.min ?? "") || max !== (search.max ?? "")))
      onChange({ ...search, min: min || undefined, max: max || undefined });
  };
  return (
    <fieldset
      className="price-range"
      aria-label={i18n.t("Price")}
      onKeyDown={({ key }) => key === "Enter" && apply()}
      onBlur={(event) => event.currentTarget.contains(event.relatedTarget) || apply()}
    >
      <AmountInput label={i18n.t("Min price")} value={min} onChange={setMin} isInvalid={!isAmount(min)} />
      <AmountInput label={i18n.t("Max price")} value={max} onChange={setMax} isInvalid={!isAmount(max)} />
      {!isGood && (
        <p className="wrong" role="alert">
          {i18n.t("Enter a price as in 12.50.")}
        </p>
      )}
    </fieldset>
  );
}

function AmountInput({
  label,
  value,
  isInvalid,
  onChange,
}: {
  label: string;
  value: string;
  isInvalid: boolean;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        inputMode="decimal"
        value={value}
        aria-invalid={isInvalid}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}
