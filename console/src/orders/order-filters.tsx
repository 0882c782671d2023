import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { orderStatuses } from "../../../protocol/settlement/vocabulary.ts";
import { useAfterPause } from "../parts/after-pause.ts";
import { cutSearch } from "../parts/cut-text.ts";
import { DateField } from "../parts/date-field.tsx";
import { ListTabs } from "../parts/list-tabs.tsx";
import { PhoneFold } from "../parts/phone-fold.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { locale } from "../text/language.ts";
import { type OrderSearch, orderCountsQuery, type Side } from "./order-queries.ts";
import { orderStatusText } from "./order-words.ts";

type Change = (search: OrderSearch) => void;

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
  const counted = orderStatuses.flatMap((status) => {
    const count = data.find((item) => item.status === status && item.total > 0);
    if (!count && status !== search.status) return [];
    const more = count?.total_relation === "gte" ? "+" : "";
    const text = count && `${count.total.toLocaleString(locale())}${more}`;
    return [{ id: status as string, title: orderStatusText(status), count: text }];
  });
  return (
    <ListTabs
      label={i18n.t("Status")}
      value={search.status ?? ""}
      onChange={(status) => onChange({ ...search, status: status || undefined })}
      tabs={[{ id: "", title: i18n.t("All") }, ...counted]}
    />
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
      <PhoneFold>
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
      </PhoneFold>
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
  useAfterPause(
    useCallback(() => {
      const next = cutSearch(text);
      if (next !== value.trim()) onChange(next || undefined);
    }, [text, value, onChange]),
  );
  return <TextField label={label} value={text} onChange={setText} inputMode={inputMode} />;
}
