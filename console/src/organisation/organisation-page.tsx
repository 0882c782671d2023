import { Trans } from "@lingui/react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Organisation } from "earnest-client";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.ts";
import { UserText } from "../parts/user-text.tsx";
import { asPerson } from "../session/as-person.ts";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { organisationsQuery } from "../session/session-queries.ts";
import { i18n } from "../text/i18n.ts";
import { Invitations } from "./invitations.tsx";
import { Members } from "./members.tsx";
import { ReceivedInvitations } from "./received-invitations.tsx";
import { isManager, memberRoleText } from "./roles.ts";

/** The current organisation: its name, members and invitations. */
export function OrganisationPage() {
  const client = useClient();
  const session = useSession();
  const organisations = useQuery(organisationsQuery(client));
  return (
    <Page
      title={i18n.t("Organisation")}
      intro={i18n.t("People who act for this account, each with a role and a wallet of their own.")}
    >
      <ReceivedInvitations />
      <Loaded query={organisations}>
        {(items) => {
          const acting = items.find(({ id }) => id === (session?.organisation ?? session?.accountId));
          return acting ? (
            <Sections key={acting.id} organisation={acting} />
          ) : (
            <p className="note">
              {i18n.t("You're no longer a member. Switch organisation in the account menu.")}
            </p>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Sections({ organisation }: { organisation: Organisation }) {
  const { id, name, role, is_own } = organisation;
  return (
    <div className="split">
      <div>
        <Members organisation={organisation} />
        {isManager(role) && <Invitations organisation={organisation} />}
      </div>
      <aside>
        <section className="card" aria-labelledby="account">
          <h2 id="account">{i18n.t("Account")}</h2>
          <p className="quiet">
            {is_own ? (
              i18n.t("Your account is an organisation that you own.")
            ) : (
              <Trans
                id="You act for {name}."
                values={{ name: <UserText>{name ?? i18n.t("an organisation without a name")}</UserText> }}
              />
            )}
          </p>
          <LabelledValues
            rows={[
              [
                i18n.t("Name"),
                isManager(role) ? null : name === null ? (
                  i18n.t("Not set")
                ) : (
                  <UserText key="name">{name}</UserText>
                ),
              ],
              [i18n.t("Your role"), memberRoleText(role)],
              [
                i18n.t("ID"),
                <span key="id" className="copyable">
                  <code className="cut-line short">{id}</code>
                  <CopyButton text={id} what={i18n.t("ID")} />
                </span>,
              ],
            ]}
          />
          {isManager(role) && <Naming organisation={organisation} />}
        </section>
      </aside>
    </div>
  );
}

function Naming({ organisation: { id, name: before } }: { organisation: Organisation }) {
  const client = useClient();
  const queries = useQueryClient();
  const [name, setName] = useState(before ?? "");
  const naming = useMutation({
    mutationFn: async () => client.organisations.rename(id, { name: name.trim() || null }, asPerson),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["organisations"] });
      announce(i18n.t("Name saved."));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    naming.mutate();
  };
  return (
    <form onSubmit={submit}>
      <TextField
        label={i18n.t("Name")}
        help={i18n.t("Shown to people you invite.")}
        value={name}
        onChange={setName}
        most={longest.name}
      />
      {naming.error && <ProblemNote error={naming.error} />}
      <div className="buttons">
        <Button type="submit" isPending={naming.isPending}>
          {i18n.t("Save name")}
        </Button>
      </div>
    </form>
  );
}
