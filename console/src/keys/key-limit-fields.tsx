import { Field } from "../parts/field.tsx";
import { TextField } from "../parts/text-field.tsx";
import type { KeyLimitDraft } from "./key-limits.ts";

const fields = [
  { name: "per_order", label: "Most for one order", help: null },
  { name: "per_day", label: "Most for a day", help: "A day in UTC." },
  { name: "per_month", label: "Most for a month", help: "A calendar month in UTC." },
  {
    name: "approval_above",
    label: "Ask me above",
    help: "An order of more waits until an owner or admin approves it.",
  },
] as const;

const lists = [
  { name: "services", label: "Only these services", help: "Their ids, one a line." },
  { name: "agents", label: "Only these agents", help: "Their ids, one a line." },
  { name: "assets", label: "Only these tokens", help: "Symbols or addresses, one a line." },
  {
    name: "allowed_ips",
    label: "Only from these networks",
    help: "Addresses, or networks as in 203.0.113.0/24, one a line.",
  },
] as const;

/** What limits a key: money, orders, whom it buys of, from where, and until when. Nothing has to be filled in. */
export function KeyLimitFields({
  limits,
  onChange,
}: {
  limits: KeyLimitDraft;
  onChange: (limits: KeyLimitDraft) => void;
}) {
  const change = (changed: Partial<KeyLimitDraft>) => onChange({ ...limits, ...changed });
  return (
    <>
      <p className="quiet">
        A limit binds what the program orders and pays with this key. It does not bind a wallet: a program
        that holds a wallet of yours can sign in with it. Amounts are in the token that orders are paid in.
      </p>
      {fields.map(({ name, label, help }) => (
        <TextField
          key={name}
          label={label}
          help={help}
          inputMode="decimal"
          value={limits[name]}
          onChange={(value) => change({ [name]: value })}
        />
      ))}
      <TextField
        label="Most open orders"
        inputMode="numeric"
        value={limits.max_open_orders}
        onChange={(max_open_orders) => change({ max_open_orders })}
      />
      {lists.map(({ name, label, help }) => (
        <TextField
          key={name}
          label={label}
          help={help}
          isLong
          value={limits[name]}
          onChange={(value) => change({ [name]: value })}
        />
      ))}
      <Field label="Ends at" help="From then on the key is refused, for good.">
        {(wiring) => (
          <input
            {...wiring}
            type="datetime-local"
            value={limits.expires_at}
            onChange={({ target }) => change({ expires_at: target.value })}
          />
        )}
      </Field>
    </>
  );
}
