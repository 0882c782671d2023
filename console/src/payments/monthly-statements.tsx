import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { saveFile } from "../parts/save-file.ts";
import { monthText } from "../parts/time-text.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";

/** The months to choose from: this one and those before it, in UTC. */
const shownMonths = 24;

function listMonths(now = new Date()): string[] {
  return Array.from({ length: shownMonths }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}

/** The monthly statements, as files. */
export function MonthlyStatements() {
  const client = useClient();
  const [months] = useState(listMonths);
  const [month, setMonth] = useState(months[0] ?? "");
  const saving = useMutation({
    mutationFn: async (form: "pdf" | "csv") =>
      form === "pdf"
        ? saveFile(
            `statement-${month}.pdf`,
            await client.payments.exportStatement({ month }),
            "application/pdf",
          )
        : saveFile(`statement-${month}.csv`, await client.payments.exportStatementCsv({ month }), "text/csv"),
  });
  return (
    <section className="card" aria-labelledby="statements">
      <h2 id="statements">{i18n.t("Monthly statements")}</h2>
      <p className="quiet">{i18n.t("What you sold and bought in one month, with the sums of each token.")}</p>
      <ChoiceField
        label={i18n.t("Month (UTC)")}
        value={month}
        onChange={setMonth}
        choices={months.map((one) => [one, monthText(one)] as const)}
      />
      {saving.error && <ProblemNote error={saving.error} />}
      <div className="buttons">
        {(["pdf", "csv"] as const).map((form) => (
          <Button
            key={form}
            icon={Download}
            isPending={saving.isPending && saving.variables === form}
            onPress={() => saving.mutate(form)}
          >
            {form === "pdf" ? i18n.t("Download statement (PDF)") : i18n.t("Download statement (CSV)")}
          </Button>
        ))}
      </div>
    </section>
  );
}
