import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Organisation } from "earnest-client";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { organisationsQuery } from "../session/session-queries.ts";
import { Invitations } from "./invitations.tsx";
import { Members } from "./members.tsx";
import { ReceivedInvitations } from "./received-invitations.tsx";
import { isManager, roleWords } from "./roles.ts";

/** The current organisation: its name, members and invitations. */
export function OrganisationPage() {
  const client = useClient();
  const session = useSession();
  const organisations = useQuery(organisationsQuery(client));
  return (
    <Page title="Organisation">
      <ReceivedInvitations />
      <Loaded query={organisations}>
        {(items) => {
          const acting = items.find(({ id }) => id === (session?.organisation ?? session?.accountId));
          return acting ? (
            <Sections key={acting.id} organisation={acting} />
          ) : (
            <p>You're no longer a member. Switch organisation in the account menu.</p>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Sections({ organisation }: { organisation: Organisation }) {
  const { name, role, is_own } = organisation;
  return (
    <>
      <p>
        {is_own
          ? "Your account is an organisation that you own. Name it and invite others, who sign in with their own wallets."
          : `You act for ${name ?? "an organisation without a name"}.`}
      </p>
      <dl className="facts">
        <div>
          <dt>Name</dt>
          <dd>{name ?? "Not set"}</dd>
        </div>
        <div>
          <dt>Your role</dt>
          <dd>{roleWords[role]}</dd>
        </div>
        <div>
          <dt>ID</dt>
          <dd>
            <code>{organisation.id}</code>
          </dd>
        </div>
      </dl>
      {isManager(role) && (
        <>
          <p>
            <Link to="/settings/notifications">Email</Link> · <Link to="/settings/audit">Audit log</Link> ·{" "}
            <Link to="/keys">API keys</Link>
          </p>
          <Naming organisation={organisation} />
        </>
      )}
      <Members organisation={organisation} />
      {isManager(role) && <Invitations organisation={organisation} />}
    </>
  );
}

function Naming({ organisation: { id, name: before } }: { organisation: Organisation }) {
  const client = useClient();
  const queries = useQueryClient();
  const [name, setName] = useState(before ?? "");
  const naming = useMutation({
    mutationFn: () => client.organisations.rename(id, { name: name.trim() || null }, { organisation: null }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["organisations"] });
      announce("Name saved.");
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    naming.mutate();
  };
  return (
    <form onSubmit={submit}>
      <TextField
        label="Name"
        help="Shown to people you invite."
        value={name}
        onChange={setName}
        most={longest.name}
      />
      {naming.error && <ProblemNote error={naming.error} />}
      <Button type="submit" isPending={naming.isPending}>
        Save name
      </Button>
    </form>
  );
}
