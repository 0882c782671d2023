import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useId } from "react";
import { amountPattern } from "../../../protocol/settlement/money.ts";
import { Button } from "../parts/button.tsx";
import { cutText } from "../parts/cut-text.ts";
import { durationText } from "../parts/time-text.ts";
import { useClient } from "../session/client.ts";
import { filtersQuery, type MarketSearch } from "./market-queries.ts";

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
    const written = [...fields.entries()].map(
      ([name, value]) => [name, cutText(String(value).trim(), 200)] as const,
    );
    onChange(Object.fromEntries(written.filter(([, value]) => value !== "")));
  };
  const proved: Record<string, number> = Object.fromEntries(
    data?.verified.items.map(({ value, count }) => [value, count]) ?? [],
  );
  return (
    <search>
      {/* A new form where another search came into the address. */}
      <form className="filters" onSubmit={submit} key={JSON.stringify(search)}>
        <Labelled label="UserText">
          {(id) => <input id={id} type="search" name="q" defaultValue={search.q} />}
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
        <Fixed
          name="verified"
          label="Agent verified"
          value={search.verified}
          choices={verified.map(([value, words]) => [
            value,
            value in proved ? counted(words, proved[value]) : words,
          ])}
        />
        <Least name="score" label="Score" value={search.score} steps={data?.min_score.items} />
        <Least name="rating" label="Rating" value={search.rating} steps={data?.min_rating.items} />
        <Least name="orders" label="Orders done" value={search.orders} steps={data?.min_orders.items} />
        <Least name="ontime" label="On time" value={search.ontime} steps={data?.on_time.items} unit=" %" />
        <Fixed name="sort" label="Order" value={search.sort} choices={sorts} />
        <Button type="submit" className="primary">
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
        // The choice of the address stands before its counts are there.
        <select id={id} name={name} defaultValue={value ?? ""} key={String(Boolean(children))}>
          <option value="">Any</option>
          {children ?? (value && <option value={value}>{value}</option>)}
        </select>
      )}
    </Labelled>
  );
}

/** How much of something there must be. What the address has stays chosen, though it is none of the steps. */
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
            {counted(`${step.value}${unit} and more`, step.count)}
          </option>
        )),
        ...(value && !isStep
          ? [<option key={value} value={value}>{`${value}${unit} and more`}</option>]
          : []),
      ]}
    </Choice>
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
