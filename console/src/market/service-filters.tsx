import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useId } from "react";
import { amountPattern } from "../../../protocol/settlement/money.ts";
import { Button } from "../parts/button.tsx";
import { cutText } from "../parts/cut-text.ts";
import { durationText } from "../parts/time-text.ts";
import { useClient } from "../session/client.ts";
import { filtersQuery, type MarketSearch } from "./market-queries.ts";

/** Values with their labels, in display order. */
type Choices = readonly (readonly [value: string, words: string])[];

const sorts: Choices = [
  ["", "Relevance"],
  ["newest", "Newest"],
  ["price_low", "Price: low to high"],
  ["price_high", "Price: high to low"],
  ["most_completed", "Most orders"],
  ["score", "Highest score"],
];

const verified: Choices = [
  ["", "Any"],
  ["domain", "Domain"],
  ["erc8004", "On-chain identity"],
  ["domain,erc8004", "Both"],
];

const models: Record<string, string> = {
  fixed: "Fixed price",
  per_unit: "Per unit",
  hourly: "Hourly",
  negotiated: "Custom quote",
  subscription: "Subscription",
};

/** The search form. Each choice shows how many services it would leave. */
export function Filters({
  search,
  onChange,
}: {
  search: MarketSearch;
  onChange: (search: MarketSearch) => void;
}) {
  const client = useClient();
  const { data } = useQuery({ ...filtersQuery(client, search), placeholderData: (before) => before });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const written = [...fields.entries()].map(
      ([name, value]) => [name, cutText(String(value).trim(), 200)] as const,
    );
    onChange(Object.fromEntries(written.filter(([, value]) => value !== "")));
  };
  const verifiedCounts: Record<string, number> = Object.fromEntries(
    data?.verified.items.map(({ value, count }) => [value, count]) ?? [],
  );
  return (
    <search>
      {/* The key resets the form when the URL has another search. */}
      <form className="filters" onSubmit={submit} key={JSON.stringify(search)}>
        <Labelled label="Search services">
          {(id) => <input id={id} type="search" name="q" defaultValue={search.q} />}
        </Labelled>
        <Choice name="category" label="Category" value={search.category}>
          {data?.category.items.map(({ value, title, count }) => (
            <option key={value} value={value}>
              {counted(title, count)}
            </option>
          ))}
        </Choice>
        <Choice name="pricing" label="Pricing model" value={search.pricing}>
          {data?.pricing_model.items.map(({ value, count }) => (
            <option key={value} value={value}>
              {counted(models[value] ?? value, count)}
            </option>
          ))}
        </Choice>
        <Choice name="hours" label="Delivery time" value={search.hours}>
          {data?.max_delivery_hours.items.map(({ value, count }) => (
            <option key={value} value={value}>
              {counted(durationText(value * 3600), count)}
            </option>
          ))}
        </Choice>
        <Labelled label="Min price">
          {(id) => (
            <input id={id} name="min" inputMode="decimal" pattern={decimal} defaultValue={search.min} />
          )}
        </Labelled>
        <Labelled label="Max price">
          {(id) => (
            <input id={id} name="max" inputMode="decimal" pattern={decimal} defaultValue={search.max} />
          )}
        </Labelled>
        <Fixed
          name="verified"
          label="Verification"
          value={search.verified}
          choices={verified.map(([value, words]) => [
            value,
            value in verifiedCounts ? counted(words, verifiedCounts[value]) : words,
          ])}
        />
        <Least name="score" label="Score" value={search.score} steps={data?.min_score.items} />
        <Least name="rating" label="Rating" value={search.rating} steps={data?.min_rating.items} />
        <Least name="orders" label="Completed orders" value={search.orders} steps={data?.min_orders.items} />
        <Least
          name="ontime"
          label="On-time rate"
          value={search.ontime}
          steps={data?.on_time.items}
          unit="%"
        />
        <Fixed name="sort" label="Sort" value={search.sort} choices={sorts} />
        <Button type="submit" variant="primary">
          Search
        </Button>
      </form>
    </search>
  );
}

const counted = (label: string, count: number | undefined) => `${label} (${count})`;

const decimal = amountPattern.source.replace(/^\^|\$$/g, "");

function Choice({
  name,
  label,
  value,
  children,
}: {
  name: string;
  label: string;
  value: string | undefined;
  children: ReactNode;
}) {
  return (
    <Labelled label={label}>
      {(id) => (
        // The URL's choice is shown before the counts have loaded.
        <select id={id} name={name} defaultValue={value ?? ""} key={String(Boolean(children))}>
          <option value="">Any</option>
          {children ?? (value && <option value={value}>{value}</option>)}
        </select>
      )}
    </Labelled>
  );
}

/** A minimum. A value of the URL stays selected even if it is not one of the steps. */
function Least({
  name,
  label,
  value,
  steps = [],
  unit = "",
}: {
  name: string;
  label: string;
  value: string | undefined;
  steps: readonly { value: string | number; count: number }[] | undefined;
  unit?: string;
}) {
  const isStep = steps.some((step) => String(step.value) === value);
  return (
    <Choice name={name} label={label} value={value}>
      {[
        ...steps.map((step) => (
          <option key={step.value} value={step.value}>
            {counted(`${step.value}${unit}+`, step.count)}
          </option>
        )),
        ...(value && !isStep ? [<option key={value} value={value}>{`${value}${unit}+`}</option>] : []),
      ]}
    </Choice>
  );
}

/** A choice with fixed options. A value of the URL stays selected even if it is not an option. */
function Fixed({
  name,
  label,
  value = "",
  choices,
}: {
  name: string;
  label: string;
  value: string | undefined;
  choices: Choices;
}) {
  const shown = choices.some(([each]) => each === value) ? choices : [...choices, [value, value] as const];
  return (
    <Labelled label={label}>
      {(id) => (
        <select id={id} name={name} defaultValue={value}>
          {shown.map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

function Labelled({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </div>
  );
}
