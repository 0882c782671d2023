import { claimText } from "../orders/order-words.ts";
import { ChoiceField } from "../parts/choice-field.tsx";
import { DateField } from "../parts/date-field.tsx";
import { PhoneFold } from "../parts/phone-fold.tsx";
import { i18n } from "../text/i18n.ts";
import { type Filters, settlementClaims } from "./payment-queries.ts";

/** The filters of payments, and of their receipts. */
export function PaymentFilters({ value, onChange }: { value: Filters; onChange: (next: Filters) => void }) {
  const change = (name: keyof Filters) => (text: string) => onChange({ ...value, [name]: text || undefined });
  return (
    <div className="filters">
      <PhoneFold>
        <ChoiceField
          label={i18n.t("Type")}
          value={value.role ?? ""}
          onChange={change("role")}
          choices={[
            ["", i18n.t("All")],
            ["buyer", i18n.t("Purchases")],
            ["provider", i18n.t("Sales")],
          ]}
        />
        <ChoiceField
          label={i18n.t("Event")}
          value={value.claim ?? ""}
          onChange={change("claim")}
          choices={[
            ["", i18n.t("All")],
            ...settlementClaims.map((claim) => [claim, claimText(claim)] as const),
          ]}
        />
        <DateField label={i18n.t("From")} value={value.since ?? ""} onChange={change("since")} />
        <DateField label={i18n.t("To")} value={value.until ?? ""} onChange={change("until")} />
      </PhoneFold>
    </div>
  );
}
