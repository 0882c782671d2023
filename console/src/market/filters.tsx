import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useId } from "react";
import { amountPattern } from "../../../settlement/money.ts";
import { Button } from "../parts/button.tsx";
import { durationText } from "../parts/times.ts";
import { useClient } from "../session/client.ts";
import { filtersQuery, type MarketSearch } from "./queries.ts";

/** Values with their words, in their order. */
type Choices = readonly (readonly [value: string, words: string])[];

const sorts: Choices = [
  ["", "Best first"],
  ["newest", "Newest"],
  ["price_low", "Cheapest"],
  ["price_high", "Dearest"],
  ["most_completed", "Most often done"],
  ["score", "Highest score"],
];

const verified: Choices = [
  ["", "Any"],
  ["domain", "By domain"],
  ["erc8004", "By on-chain identity"],
  ["domain,erc8004", "By both"],
];

const scores: Choices = [
  ["", "Any"],
  ["100", "100 and more"],
  ["300", "300 and more"],
  ["500", "500 and more"],
  ["700", "700 and more"],
];

const stars: Choices = [
  ["", "Any"],
  ["3", "3 and more"],
  ["4", "4 and more"],
  ["4.5", "4.5 and more"],
];

const orders: Choices = [
  ["", "Any"],
  ["1", "1 and more"],
  ["10", "10 and more"],
  ["100", "100 and more"],
];

const punctual: Choices = [
  ["", "Any"],
  ["80", "80 % and more"],
  ["95", "95 % and more"],
  ["100", "Always"],
];

const models: Record<string, string> = {
  fixed: "One price",
  per_unit: "By unit",
  hourly: "By hour",
  negotiated: "By quote",
  subscription: "Subscription",
};

/** The search: words, and what can be chosen, each with how many services it would leave. */
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
    const written = [...fields.entries()].map(([name, value]) => [name, String(value).trim()] as const);
    onChange(Object.fromEntries(written.filter(([, value]) => value !== "")));
  };
  const counted = (label: string, count: number) => `${label} (${count})`;
  return (
    <search>
      {/* A new form where another search came into the address. */}
      <form className="filters" onSubmit={submit} key={JSON.stringify(search)}>
        <Labelled label="Words">
          {(id) => <input id={id} type="search" name="q" defaultValue={search.q} maxLength={200} />}
        </Labelled>
        <Choice name="category" label="Category" value={search.category}>
          {data?.category.items.map(({ value, title, count }) => (
            <option key={value} value={value}>
              {counted(title, count)}
            </option>
          ))}
        </Choice>
        <Choice name="pricing" label="Price by" value={search.pricing}>
          {data?.pricing_model.items.map(({ value, count }) => (
            <option key={value} value={value}>
              {counted(models[value] ?? value, count)}
            </option>
          ))}
        </Choice>
        <Choice name="hours" label="Within" value={search.hours}>
          {data?.max_delivery_hours.items.map(({ value, count }) => (
            <option key={value} value={value}>
              {counted(durationText(value * 3600), count)}
            </option>
          ))}
        </Choice>
        <Labelled label="Price from">
          {(id) => (
            <input id={id} name="min" inputMode="decimal" pattern={decimal} defaultValue={search.min} />
          )}
        </Labelled>
        <Labelled label="Price to">
          {(id) => (
            <input id={id} name="max" inputMode="decimal" pattern={decimal} defaultValue={search.max} />
          )}
        </Labelled>
        <Fixed name="verified" label="Agent verified" value={search.verified} choices={verified} />
        <Fixed name="score" label="Score" value={search.score} choices={scores} />
        <Fixed name="rating" label="Rating" value={search.rating} choices={stars} />
        <Fixed name="orders" label="Orders done" value={search.orders} choices={orders} />
        <Fixed name="ontime" label="On time" value={search.ontime} choices={punctual} />
        <Fixed name="sort" label="Order" value={search.sort} choices={sorts} />
        <Button type="submit" className="primary">
          Search
        </Button>
      </form>
    </search>
  );
}

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
        // The choice of the address stands before its counts are there.
        <select id={id} name={name} defaultValue={value ?? ""} key={String(Boolean(children))}>
          <option value="">Any</option>
          {children ?? (value && <option value={value}>{value}</option>)}
        </select>
      )}
    </Labelled>
  );
}

/** A choice that is the same for every search. What the address has stays chosen, though it is none of these. */
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
