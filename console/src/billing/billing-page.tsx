import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { BillingDetails } from "earnest-client";
import { type FormEvent, useRef, useState } from "react";
import { longestBilling, mostAddressLines, taxRatePattern } from "../../../protocol/settlement/billing.ts";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.ts";
import { useClient } from "../session/client.ts";
import { readIfThere } from "../session/read-if-there.ts";
import { i18n } from "../text/i18n.ts";

/** The details that the account's invoices state. */
export function BillingPage() {
  const client = useClient();
  const details = useQuery({
    queryKey: ["billing-details"],
    queryFn: () => readIfThere(client.billingDetails.get()),
  });
  return (
    <Page
      title={i18n.t("Billing details")}
      intro={i18n.t("Your invoices state them. The other party of an order sees them only there.")}
    >
      <Loaded query={details}>
        {(current) => (
          <>
            <DetailsForm key={current?.updated_at ?? ""} details={current} />
            {current && <Removal name={current.name} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function DetailsForm({ details }: { details: BillingDetails | null }) {
  const client = useClient();
  const queries = useQueryClient();
  const [name, setName] = useState(details?.name ?? "");
  const [address, setAddress] = useState(details?.address_lines.join("\n") ?? "");
  const [country, setCountry] = useState(details?.country ?? "");
  const [taxId, setTaxId] = useState(details?.tax_id ?? "");
  const [taxRate, setTaxRate] = useState(details?.tax_rate ?? "");
  const lines = address
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const saving = useMutation({
    mutationFn: () =>
      client.billingDetails.set({
        name: name.trim(),
        address_lines: lines,
        country: country.trim().toUpperCase(),
        tax_id: taxId.trim() || null,
        tax_rate: taxRate.trim() || null,
      }),
    onSuccess: async () => {
      announce(i18n.t("Billing details saved."));
      await queries.invalidateQueries({ queryKey: ["billing-details"] });
    },
  });
  const form = useRef<HTMLFormElement>(null);
  const [isChecked, setChecked] = useState(false);
  const faults = {
    name: name.trim() ? null : i18n.t("Enter a name."),
    address:
      lines.length === 0 ||
      lines.length > mostAddressLines ||
      lines.some((line) => line.length > longestBilling.addressLine)
        ? i18n.t("Enter 1 to 5 lines of at most 100 characters.")
        : null,
    country: /^[A-Za-z]{2}$/.test(country.trim()) ? null : i18n.t("Enter two letters, such as DE."),
    taxRate:
      taxRate.trim() === "" || taxRatePattern.test(taxRate.trim())
        ? null
        : i18n.t("Enter a percentage from 0 to 100 with at most 2 decimals."),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (Object.values(faults).some(Boolean)) focusFirstFault(form.current);
    else saving.mutate();
  };
  const shown = (fault: string | null) => (isChecked ? fault : null);
  return (
    <form ref={form} onSubmit={submit} noValidate className="card narrow">
      <TextField
        label={i18n.t("Name")}
        isRequired
        value={name}
        onChange={setName}
        most={longestBilling.name}
        error={shown(faults.name)}
      />
      <TextField
        label={i18n.t("Address")}
        isRequired
        isLong
        value={address}
        onChange={setAddress}
        error={shown(faults.address)}
      />
      <TextField
        label={i18n.t("Country")}
        help={i18n.t("Two letters, such as DE.")}
        isRequired
        value={country}
        onChange={setCountry}
        error={shown(faults.country)}
      />
      <TextField label={i18n.t("Tax ID")} value={taxId} onChange={setTaxId} most={longestBilling.taxId} />
      <TextField
        label={i18n.t("Tax rate in percent")}
        help={i18n.t("Your prices include it. Leave it empty to state no tax.")}
        inputMode="decimal"
        value={taxRate}
        onChange={setTaxRate}
        error={shown(faults.taxRate)}
      />
      {saving.error && <ProblemNote error={saving.error} />}
      <div className="buttons">
        <Button type="submit" variant="primary" isPending={saving.isPending}>
          {i18n.t("Save")}
        </Button>
      </div>
    </form>
  );
}

function Removal({ name }: { name: string }) {
  const client = useClient();
  const queries = useQueryClient();
  const removing = useMutation({
    mutationFn: () => client.billingDetails.remove(),
    onSuccess: async () => {
      announce(i18n.t("Billing details removed."));
      await queries.invalidateQueries({ queryKey: ["billing-details"] });
    },
  });
  return (
    <ConfirmButton
      label={i18n.t("Remove billing details")}
      confirmLabel={i18n.t("Remove them. Issued invoices keep them")}
      of={name}
      isPending={removing.isPending}
      error={removing.error}
      onPress={() => removing.mutate()}
    />
  );
}
