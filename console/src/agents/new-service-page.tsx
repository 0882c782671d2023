import { useNavigate, useParams } from "@tanstack/react-router";
import { Page } from "../parts/page.tsx";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";
import { serviceChangeOf, serviceDraftOf } from "./service-draft.ts";
import { ServiceForm } from "./service-form.tsx";

/** Creates a service of an agent, which starts as a draft. */
export function NewServicePage() {
  const { agent } = useParams({ from: "/sell/agents/$agent/new" });
  const client = useClient();
  const navigate = useNavigate();
  return (
    <Page title="Add service">
      <p>{`The service of ${agent} starts as a draft that only you see.`}</p>
      <ServiceForm
        initial={serviceDraftOf(null)}
        isNew
        save={async (draft) => {
          const created = await client.services.create(agent, {
            slug: draft.slug,
            ...serviceChangeOf(draft, null),
          });
          void queries.invalidateQueries({ queryKey: ["agents"] });
          await navigate({ to: "/sell/agents/$agent/$service", params: { agent, service: created.slug } });
        }}
      />
    </Page>
  );
}
