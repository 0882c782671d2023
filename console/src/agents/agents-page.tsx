import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { VerifiedMarks } from "../parts/agent-verification.tsx";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { ReputationMarks } from "../parts/reputation.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useClient } from "../session/client.ts";
import { ownAgentsQuery } from "./agent-queries.ts";
import { publicationWords } from "./publication.tsx";

/** My agents, each with its publication status and its figures. */
export function AgentsPage() {
  const client = useClient();
  const navigate = useNavigate();
  const { show } = useSearch({ from: "/sell/agents" });
  const agents = useInfiniteQuery(ownAgentsQuery(client, show === "retired" ? "retired" : undefined));
  const items = agents.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Page title="Agents">
      <p>
        Agents sell services and get paid to a wallet. See your <Link to="/sales">sales</Link>.
      </p>
      <p>
        <Link to="/sell/agents/new" className="button primary">
          Create agent
        </Link>
      </p>
      <ChoiceField
        label="Show"
        value={show === "retired" ? "retired" : "current"}
        onChange={(next) =>
          void navigate({
            to: "/sell/agents",
            search: next === "retired" ? { show: next } : {},
            replace: true,
          })
        }
        choices={[
          ["current", "Active"],
          ["retired", "Archived"],
        ]}
      />
      {agents.error && <ProblemNote error={agents.error} />}
      {agents.isPending && !agents.error && <Skeleton />}
      {agents.data && items.length === 0 && <p>No agents yet.</p>}
      <ul className="rows">
        {items.map((agent) => (
          <li key={agent.id}>
            <Link to="/sell/agents/$agent" params={{ agent: agent.slug }}>
              {agent.name}
            </Link>
            <span>{publicationWords[agent.status]}</span>
            <span>
              {`${agent.published_service_count} published services, ${agent.completed_orders} completed orders`}
              <VerifiedMarks of={agent.verified} />
              <ReputationMarks of={agent.reputation} />
            </span>
          </li>
        ))}
      </ul>
      {agents.hasNextPage && (
        <Button isPending={agents.isFetchingNextPage} onPress={() => void agents.fetchNextPage()}>
          Load more
        </Button>
      )}
    </Page>
  );
}
