import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useId } from "react";
import { amountPattern } from "../../../settlement/money.ts";
import { Button } from "../parts/button.tsx";
import { durationText } from "../parts/times.ts";
import { useClient } from "../session/client.ts";
import { filtersQuery, type MarketSearch } from "./queries.ts";

const sorts = {
  "": "Best first",
  newest: "Newest",
  price_low: "Cheapest",
  price_high: "Dearest",
  most_completed: "Most often done",
};

const verified = {
  "": "Any",
  domain: "By domain",
  erc8004: "By on-chain identity",
  "domain,erc8004": "By both",
};

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
        <Labelled label="Agent verified">
          {(id) => (
            <select id={id} name="verified" defaultValue={search.verified ?? ""}>
              {Object.entries(verified).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Labelled>
        <Labelled label="Order">
          {(id) => (
            <select id={id} name="sort" defaultValue={search.sort ?? ""}>
              {Object.entries(sorts).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Labelled>
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

function Labelled({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </div>
  );
}
