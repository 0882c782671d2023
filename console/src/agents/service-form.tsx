import type { Agent, Service } from "earnest-client";
import { useRef, useState } from "react";
import { ServiceCard } from "../market/service-card.tsx";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { i18n } from "../text/i18n.ts";
import { useDraftForm } from "./draft-form.ts";
import { FormSection, Preview } from "./form-section.tsx";
import { previewOf, type ServiceDraft, serviceDraftOf, serviceFaults } from "./service-draft.ts";
import { ArbiterField, DetailFields, FulfilmentFields, SchemaFields } from "./service-fields.tsx";
import type { SchemaName, ServiceFormApi } from "./service-form-api.ts";

type Part = "details" | "schemas" | "fulfilment";

const partOf = (field: keyof ServiceDraft): Part => {
  if (field === "input_schema" || field === "output_schema") return "schemas";
  return field === "execution" || field === "execution_seconds" ? "fulfilment" : "details";
};

/**
 * The form of a service, with a preview of its public card. A new service has one page of sections. A service that exists has
 * its sections in tabs. The URL name is chosen once.
 *
 * @param service as it was read; null for a new one
 */
export function ServiceForm({
  agent,
  service,
  save,
}: {
  agent: Agent;
  service: Service | null;
  save: (draft: ServiceDraft) => Promise<void>;
}) {
  const isNew = service === null;
  const [initial] = useState(() => serviceDraftOf(service));
  const [part, setPart] = useState<Part>("details");
  const bad = useRef(new Set<SchemaName>());
  const [markSchema] = useState<ServiceFormApi["markSchema"]>(() => {
    const mark = (name: SchemaName) => (isBad: boolean) => {
      if (isBad) bad.current.add(name);
      else bad.current.delete(name);
    };
    return { input_schema: mark("input_schema"), output_schema: mark("output_schema") };
  });
  const draftForm = useDraftForm({
    initial,
    faultsOf: (draft) => serviceFaults(draft, isNew),
    findBlock: () => [...bad.current][0],
    save,
    onFault: (field) => setPart(partOf(field)),
  });
  const api = { ...draftForm, markSchema };
  const { form, root, saving } = draftForm;
  return (
    <div className="split">
      <form
        ref={root}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void form.handleSubmit();
        }}
      >
        {isNew ? (
          <>
            <DetailFields api={api} isNew />
            <SchemaFields api={api} />
            <FormSection title={i18n.t("Advanced")} isFolded>
              <ArbiterField api={api} />
              <FulfilmentFields api={api} />
            </FormSection>
          </>
        ) : (
          <Tabs
            label={i18n.t("Parts of the service")}
            keepsHiddenPanels
            chosen={part}
            onChoose={(id) => setPart(id as Part)}
            tabs={[
              {
                id: "details",
                title: i18n.t("Details"),
                content: (
                  <>
                    <DetailFields api={api} isNew={false} />
                    <FormSection title={i18n.t("Advanced")} isFolded>
                      <ArbiterField api={api} />
                    </FormSection>
                  </>
                ),
              },
              { id: "schemas", title: i18n.t("Schemas"), content: <SchemaFields api={api} /> },
              {
                id: "fulfilment",
                title: i18n.t("Auto-fulfilment"),
                content: (
                  <FormSection
                    title={i18n.t("Auto-fulfilment")}
                    intro={i18n.t("Your program answers paid orders at once, without a person.")}
                  >
                    <FulfilmentFields api={api} />
                  </FormSection>
                ),
              },
            ]}
          />
        )}
        {saving.error && <ProblemNote error={saving.error} />}
        <div className="buttons form-end">
          <Button type="submit" variant="primary" isPending={saving.isPending}>
            {isNew ? i18n.t("Create service") : i18n.t("Save")}
          </Button>
        </div>
      </form>
      <aside>
        <Preview>
          <form.Subscribe selector={({ values }) => values}>
            {(draft) => <ServiceCard service={previewOf(draft, agent, service)} />}
          </form.Subscribe>
        </Preview>
      </aside>
    </div>
  );
}
