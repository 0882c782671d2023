import { DateField } from "../parts/date-field.tsx";
import { TextField } from "../parts/text-field.tsx";
import { i18n } from "../text/i18n.ts";
import type { KeyLimitDraft, LimitFaults } from "./key-limits.ts";

const readAmounts = () =>
  [
    { name: "per_order", label: i18n.t("Per-order limit"), help: null },
    { name: "per_day", label: i18n.t("Daily limit"), help: i18n.t("Resets at midnight UTC.") },
    {
      name: "per_month",
      label: i18n.t("Monthly limit"),
      help: i18n.t("Resets on the first of the month (UTC)."),
    },
    {
      name: "approval_above",
      label: i18n.t("Require approval above"),
      help: i18n.t("Larger orders wait until an owner or admin approves them."),
    },
  ] as const;

const readLists = () =>
  [
    { name: "services", label: i18n.t("Only these services"), help: i18n.t("One ID per line.") },
    { name: "agents", label: i18n.t("Only these agents"), help: i18n.t("One ID per line.") },
    {
      name: "assets",
      label: i18n.t("Only these tokens"),
      help: i18n.t("Symbols or addresses, one per line."),
    },
    {
      name: "allowed_ips",
      label: i18n.t("Only from these networks"),
      help: i18n.t("IP addresses or ranges such as 203.0.113.0/24, one per line."),
    },
  ] as const;

/** The fields of a key's limits. All are optional. */
export function KeyLimitFields({
  limits,
  faults,
  onChange,
}: {
  limits: KeyLimitDraft;
  faults: LimitFaults;
  onChange: (limits: KeyLimitDraft) => void;
}) {
  const change = (changed: Partial<KeyLimitDraft>) => onChange({ ...limits, ...changed });
  return (
    <>
      <p className="quiet">
        {i18n.t(
          "Limits apply to orders that a program places with this key. They do not apply to your wallet. Amounts hold for each token by itself; an empty field is no limit.",
        )}
      </p>
      <div className="pair">
        {readAmounts().map(({ name, label, help }) => (
          <TextField
            key={name}
            label={label}
            help={help}
            error={faults[name] ?? null}
            inputMode="decimal"
            value={limits[name]}
            onChange={(value) => change({ [name]: value })}
          />
        ))}
        <TextField
          label={i18n.t("Max open orders")}
          error={faults.max_open_orders ?? null}
          inputMode="numeric"
          value={limits.max_open_orders}
          onChange={(max_open_orders) => change({ max_open_orders })}
        />
        <DateField
          label={i18n.t("Expires at the end of")}
          error={faults.expires_at ?? null}
          value={limits.expires_at}
          onChange={(expires_at) => change({ expires_at })}
        />
      </div>
      <details>
        <summary>{i18n.t("Only some services, agents, tokens or networks")}</summary>
        {readLists().map(({ name, label, help }) => (
          <TextField
            key={name}
            label={label}
            help={help}
            isLong
            value={limits[name]}
            onChange={(value) => change({ [name]: value })}
          />
        ))}
      </details>
    </>
  );
}
