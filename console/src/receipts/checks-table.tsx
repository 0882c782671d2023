import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";
import type { Check } from "./receipt-checks.ts";

/** The checks of one part of a receipt, each with its outcome. */
export function Checks({ title, checks }: { title: string; checks: readonly Check[] }) {
  return (
    <table className="checks">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{i18n.t("Check")}</th>
          <th scope="col">{i18n.t("Outcome")}</th>
          <th scope="col">{i18n.t("Details")}</th>
        </tr>
      </thead>
      <tbody>
        {checks.map(({ name, outcome, message }) => (
          <tr key={name} data-outcome={outcome}>
            <th scope="row">{name}</th>
            <td>{outcomeText(outcome)}</td>
            <td>
              <UserText>{message}</UserText>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const outcomeText = (outcome: Check["outcome"]): string =>
  ({ good: i18n.t("✓ Valid"), bad: i18n.t("✗ Not valid"), unknown: i18n.t("? Unknown") })[outcome];
