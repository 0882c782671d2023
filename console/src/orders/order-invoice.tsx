import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { saveFile } from "../parts/save-file.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import type { OrderView } from "./order-queries.ts";
import { Receipts } from "./order-receipts.tsx";

/** The receipts of an order, and its invoice once the provider is paid. */
export function OrderInvoice({ view: { order, options, receipts } }: { view: OrderView }) {
  const isParty = options.your_roles.some((role) => role !== "arbiter");
  const isPaid = receipts.some(({ claim, revoked }) => claim === "released" && !revoked);
  return (
    <div className="stack">
      <Receipts receipts={receipts} />
      {isParty && isPaid && <Invoice orderId={order.id} reference={order.reference} />}
    </div>
  );
}

function Invoice({ orderId, reference }: { orderId: string; reference: string }) {
  const client = useClient();
  const saving = useMutation({
    mutationFn: async (form: "pdf" | "csv") =>
      form === "pdf"
        ? saveFile(`invoice-${reference}.pdf`, await client.orders.exportInvoice(orderId), "application/pdf")
        : saveFile(`invoice-${reference}.csv`, await client.orders.exportInvoiceCsv(orderId), "text/csv"),
  });
  return (
    <section aria-label={i18n.t("Invoice")} className="stack">
      <p className="quiet">
        {i18n.t("The first invoice after the seller has billing details is final.")}{" "}
        <Link to="/settings/billing">{i18n.t("Billing details")}</Link>
      </p>
      {saving.error && <ProblemNote error={saving.error} />}
      <div className="buttons">
        {(["pdf", "csv"] as const).map((form) => (
          <Button
            key={form}
            icon={Download}
            isPending={saving.isPending && saving.variables === form}
            onPress={() => saving.mutate(form)}
          >
            {form === "pdf" ? i18n.t("Download invoice (PDF)") : i18n.t("Download invoice (CSV)")}
          </Button>
        ))}
      </div>
    </section>
  );
}
