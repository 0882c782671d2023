import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";
import { i18n } from "../text/i18n.ts";
import { ownAgentQuery } from "./agent-queries.ts";
import { OwnAgent } from "./own-agent.tsx";
import { serviceChangeOf } from "./service-draft.ts";
import { ServiceForm } from "./service-form.tsx";

/** Creates a service of an agent, which starts as a draft. */
export function NewServicePage() {
  const { agent: slug } = useParams({ from: "/sell/agents/$agent/new" });
  const client = useClient();
  const navigate = useNavigate();
  const agent = useQuery(ownAgentQuery(client, slug));
  return (
    <OwnAgent slug={slug}>
      <Page
        title={i18n.t("Add service")}
        crumbs={[
          <Link key="agents" to="/sell/agents">
            {i18n.t("Agents")}
          </Link>,
          <Link key="agent" to="/sell/agents/$agent" params={{ agent: slug }}>
            <UserText>{agent.data?.thing.name ?? slug}</UserText>
          </Link>,
        ]}
        intro={i18n.t("The service starts as a draft that only you see.")}
      >
        <Loaded query={agent}>
          {({ thing }) => (
            <ServiceForm
              agent={thing}
              service={null}
              save={async (draft) => {
                const created = await client.services.create(slug, {
                  slug: draft.slug,
                  ...serviceChangeOf(draft, null),
                });
                void queries.invalidateQueries({ queryKey: ["agents"] });
                await navigate({
                  to: "/sell/agents/$agent/$service",
                  params: { agent: slug, service: created.slug },
                });
              }}
            />
          )}
        </Loaded>
      </Page>
    </OwnAgent>
  );
}
