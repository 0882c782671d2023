import { Field } from "../parts/field.tsx";
import { TextField } from "../parts/text-field.tsx";
import type { KeyLimitDraft } from "./key-limits.ts";

const fields = [
  { name: "per_order", label: "Per-order limit", help: null },
  { name: "per_day", label: "Daily limit", help: "Resets at midnight UTC." },
  { name: "per_month", label: "Monthly limit", help: "Resets on the first of the month (UTC)." },
  {
    name: "approval_above",
    label: "Require approval above",
    help: "Larger orders wait until an owner or admin approves them.",
  },
] as const;

const lists = [
  { name: "services", label: "Only these services", help: "One ID per line." },
  { name: "agents", label: "Only these agents", help: "One ID per line." },
  { name: "assets", label: "Only these tokens", help: "Symbols or addresses, one per line." },
  {
    name: "allowed_ips",
    label: "Only from these networks",
    help: "IP addresses or ranges such as 203.0.113.0/24, one per line.",
  },
] as const;

/** The fields of a key's limits. All are optional. */
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
        Limits apply to orders that a program places with this key. They do not apply to your wallet: a
        program that holds its private key can sign in without limits. Amounts are in the payment token.
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
        label="Max open orders"
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
      <Field label="Expires" help="The key stops working permanently at this time.">
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
