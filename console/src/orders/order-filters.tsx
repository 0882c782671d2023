import { i18n } from "@lingui/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { orderStatuses } from "../../../protocol/settlement/vocabulary.ts";
import { cutText } from "../parts/cut-text.ts";
import { DateField } from "../parts/date-field.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import { locale } from "../text/language.ts";
import { type OrderSearch, orderCountsQuery, type Side } from "./order-queries.ts";
import { statusText } from "./order-words.ts";

type Change = (search: OrderSearch) => void;

/** The longest text of a search, in characters. */
const longestText = 200;
/** Milliseconds without a key press after which a typed search takes effect. */
const typingPauseMs = 250;

/** The statuses as tabs, each with the number of orders that match the other filters. */
export function StatusTabs({
  side,
  search,
  onChange,
}: {
  side: Side;
  search: OrderSearch;
  onChange: Change;
}) {
  const { data = [] } = useQuery(orderCountsQuery(useClient(), side, search));
  const countOf = (status: string) => data.find((item) => item.status === status && item.total > 0);
  return (
    <nav className="tabs" aria-label={i18n.t("Status")}>
      <ul className="tab-line">
        <Tab isCurrent={!search.status} onPress={() => onChange({ ...search, status: undefined })}>
          {i18n.t("All")}
        </Tab>
        {orderStatuses
          .filter((status) => countOf(status) || status === search.status)
          .map((status) => {
            const count = countOf(status);
            return (
              <Tab
                key={status}
                isCurrent={status === search.status}
                onPress={() => onChange({ ...search, status })}
              >
                {statusText(status)}
                {count && (
                  <span className="quiet">
                    {`${count.total.toLocaleString(locale())}${count.total_relation === "gte" ? "+" : ""}`}
                  </span>
                )}
              </Tab>
            );
          })}
      </ul>
    </nav>
  );
}

function Tab({
  isCurrent,
  onPress,
  children,
}: {
  isCurrent: boolean;
  onPress: () => void;
  children: ReactNode;
}) {
  return (
    <li>
      <button
        type="button"
        className="tab bare"
        aria-current={isCurrent ? "page" : undefined}
        onClick={onPress}
      >
        {children}
      </button>
    </li>
  );
}

/** The search box, the days and the amounts of a list of orders. They take effect while the reader types. */
export function OrderFilters({ search, onChange }: { search: OrderSearch; onChange: Change }) {
  return (
    <search className="filters">
      <TypedField
        label={i18n.t("Search orders")}
        value={search.q}
        onChange={(q) => onChange({ ...search, q })}
      />
      <DateField
        label={i18n.t("From")}
        value={search.since ?? ""}
        onChange={(since) => onChange({ ...search, since: since || undefined })}
      />
      <DateField
        label={i18n.t("To")}
        value={search.until ?? ""}
        onChange={(until) => onChange({ ...search, until: until || undefined })}
      />
      <TypedField
        label={i18n.t("Min amount")}
        inputMode="decimal"
        value={search.min}
        onChange={(min) => onChange({ ...search, min })}
      />
      <TypedField
        label={i18n.t("Max amount")}
        inputMode="decimal"
        value={search.max}
        onChange={(max) => onChange({ ...search, max })}
      />
    </search>
  );
}

/** A text field that reports its text after a pause in typing. */
function TypedField({
  label,
  value = "",
  inputMode,
  onChange,
}: {
  label: string;
  value: string | undefined;
  inputMode?: "decimal";
  onChange: (value: string | undefined) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    const next = cutText(text.trim(), longestText);
    if (next === value.trim()) return;
    const timer = setTimeout(() => onChange(next || undefined), typingPauseMs);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return <TextField label={label} value={text} onChange={setText} inputMode={inputMode} />;
}
