import { Trans } from "@lingui/react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReceivedInvitation } from "earnest-client";
import { showHidden } from "../../../protocol/json/text.ts";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { announce } from "../parts/toasts.ts";
import { UserText } from "../parts/user-text.tsx";
import { asPerson } from "../session/as-person.ts";
import { useClient } from "../session/client.ts";
import { actFor } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";
import { memberRoleText } from "./roles.ts";

/** The invitations that the user received. Anyone can invite any wallet, so the user has to accept. */
export function ReceivedInvitations() {
  const client = useClient();
  const { data, error } = useQuery({
    queryKey: ["received-invitations"],
    queryFn: async () => client.invitations.list({ limit: 100 }, asPerson),
  });
  if (error) return <ProblemNote error={error} />;
  if (!data || data.items.length === 0) return null;
  const more = data.body.total - data.items.length;
  return (
    <section aria-labelledby="received">
      <h2 id="received">{i18n.t("Invitations for you")}</h2>
      <ul className="cards">
        {data.items.map((invitation) => (
          <li key={invitation.id} className="card">
            <Received invitation={invitation} />
          </li>
        ))}
      </ul>
      {more > 0 && <p className="quiet">{i18n.t("{more} more. Answer these first.", { more })}</p>}
    </section>
  );
}

function Received({ invitation }: { invitation: ReceivedInvitation }) {
  const { id, organisation_id, organisation_name, role } = invitation;
  const name = organisation_name ?? i18n.t("an organisation without a name");
  const client = useClient();
  const queries = useQueryClient();
  const refresh = () =>
    Promise.all(
      [["received-invitations"], ["organisations"]].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    );
  const accepting = useMutation({
    mutationFn: async () => client.invitations.accept(id, asPerson),
    onSuccess: async () => {
      await refresh();
      actFor(organisation_id);
      announce(
        <Trans
          id="You joined {name} and now act for it. Switch back in the account menu."
          values={{ name: <UserText>{name}</UserText> }}
        />,
      );
    },
  });
  const declining = useMutation({
    mutationFn: async () => client.invitations.decline(id, asPerson),
    onSuccess: refresh,
  });
  const error = accepting.error ?? declining.error;
  return (
    <>
      <h3>
        <UserText>{name}</UserText>
      </h3>
      <p>
        <code>{organisation_id}</code> · {memberRoleText(role)}
      </p>
      {error && <ProblemNote error={error} />}
      <div className="buttons">
        <Button
          variant="primary"
          aria-label={i18n.t("Join {name}", { name: showHidden(name) })}
          isPending={accepting.isPending}
          onPress={() => accepting.mutate()}
        >
          {i18n.t("Join")}
        </Button>
        <Button
          aria-label={i18n.t("Decline {name}", { name: showHidden(name) })}
          isPending={declining.isPending}
          onPress={() => declining.mutate()}
        >
          {i18n.t("Decline")}
        </Button>
      </div>
    </>
  );
}
