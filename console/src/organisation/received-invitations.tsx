import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReceivedInvitation } from "earnest-client";
import { Button } from "../parts/button.tsx";
import { announce } from "../parts/notices.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { actFor } from "../session/session.ts";
import { roleWords } from "./roles.ts";

/** The organisations that invite the person. Anybody may invite anybody, so nothing is joined by itself. */
export function ReceivedInvitations() {
  const client = useClient();
  const { data, error } = useQuery({
    queryKey: ["received-invitations"],
    queryFn: () => client.invitations.list({ limit: 100 }, { organisation: null }),
  });
  if (error) return <ProblemNote error={error} />;
  if (!data || data.items.length === 0) return null;
  const more = data.body.total - data.items.length;
  return (
    <section aria-labelledby="received">
      <h2 id="received">You are invited</h2>
      <ul className="cards">
        {data.items.map((invitation) => (
          <li key={invitation.id}>
            <Received invitation={invitation} />
          </li>
        ))}
      </ul>
      {more > 0 && <p>{`There are ${more} more. Answer these first.`}</p>}
    </section>
  );
}

function Received({ invitation }: { invitation: ReceivedInvitation }) {
  const { id, organisation_id, organisation_name, role } = invitation;
  const name = organisation_name ?? "an organisation without a name";
  const client = useClient();
  const queries = useQueryClient();
  const read = () =>
    Promise.all(
      [["received-invitations"], ["organisations"]].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    );
  const accepting = useMutation({
    mutationFn: () => client.invitations.accept(id, { organisation: null }),
    onSuccess: async () => {
      await read();
      actFor(organisation_id);
      announce(`You joined ${name}, and act for it now. The account menu leads back.`);
    },
  });
  const declining = useMutation({
    mutationFn: () => client.invitations.decline(id, { organisation: null }),
    onSuccess: read,
  });
  const error = accepting.error ?? declining.error;
  return (
    <>
      <h3>
        <UserText>{name}</UserText>
      </h3>
      <p>
        <code>{organisation_id}</code> invites you. {roleWords[role]}.
      </p>
      {error && <ProblemNote error={error} />}
      <div className="buttons">
        <Button
          className="primary"
          aria-label={`Join ${name}`}
          isPending={accepting.isPending}
          onPress={() => accepting.mutate()}
        >
          Join
        </Button>
        <Button
          aria-label={`Decline ${name}`}
          isPending={declining.isPending}
          onPress={() => declining.mutate()}
        >
          Decline
        </Button>
      </div>
    </>
  );
}
