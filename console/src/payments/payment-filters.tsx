import { claimWords } from "../orders/order-words.ts";
import { claims, type Filters, roles } from "./payment-queries.ts";

const roleWords: Record<string, string> = { buyer: "Purchases", provider: "Sales" };

/** The filters of payments, and of their receipts. */
export function PaymentFilters({ value, onChange }: { value: Filters; onChange: (next: Filters) => void }) {
  const change = (name: keyof Filters) => (text: string) => onChange({ ...value, [name]: text || undefined });
  return (
    <div className="filters">
      <Choice label="Type" value={value.role} words={roleWords} options={roles} onChange={change("role")} />
      <Choice
        label="Event"
        value={value.claim}
        words={claimWords}
        options={claims}
        onChange={change("claim")}
      />
      <Day label="From" value={value.since} onChange={change("since")} />
      <Day label="To" value={value.until} onChange={change("until")} />
    </div>
  );
}

function Choice(props: {
  label: string;
  value: string | undefined;
  words: Record<string, string>;
  options: readonly string[];
  onChange: (text: string) => void;
}) {
  const { label, value, words, options, onChange } = props;
  return (
    <label>
      {label}
      <select value={value ?? ""} onChange={({ target }) => onChange(target.value)}>
        <option value="">All</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {words[option]}
          </option>
        ))}
      </select>
    </label>
  );
}

function Day(props: { label: string; value: string | undefined; onChange: (text: string) => void }) {
  const { label, value, onChange } = props;
  return (
    <label>
      {label}
      <input type="date" value={value ?? ""} onChange={({ target }) => onChange(target.value)} />
    </label>
  );
}
