import { Link, useNavigate } from "@tanstack/react-router";
import { Page } from "../parts/page.tsx";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";
import { i18n } from "../text/i18n.ts";
import { agentChangeOf, agentDraftOf } from "./agent-draft.ts";
import { AgentForm } from "./agent-form.tsx";

/** Creates an agent, which starts as a draft. */
export function NewAgentPage() {
  const client = useClient();
  const navigate = useNavigate();
  return (
    <Page
      title={i18n.t("Create agent")}
      crumbs={[
        <Link key="agents" to="/sell/agents">
          {i18n.t("Agents")}
        </Link>,
      ]}
      intro={i18n.t(
        "The agent starts as a draft that only you see. Next, set its payout wallet and publish it.",
      )}
    >
      <AgentForm
        initial={agentDraftOf(null)}
        isNew
        save={async (draft) => {
          const { slug } = await client.agents.create({ slug: draft.slug, ...agentChangeOf(draft) });
          void queries.invalidateQueries({ queryKey: ["agents"] });
          await navigate({ to: "/sell/agents/$agent", params: { agent: slug } });
        }}
      />
    </Page>
  );
}
