import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Invitation, Organisation } from "earnest-client";
import { type FormEvent, useState } from "react";
import { Address } from "../parts/address.tsx";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { LongList } from "../parts/long-list.tsx";
import { pagedQuery, polledList } from "../parts/paging.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.tsx";
import { useClient } from "../session/client.ts";
import { RoleChoice } from "./role-choice.tsx";
import { roleWords } from "./roles.ts";

const statusWords: Record<Invitation["status"], string> = {
  open: "Open",
  expired: "Expired",
  accepted: "Accepted",
  declined: "Declined",
  revoked: "Revoked",
};

/** The invitations of an organisation, and a form for a new one. */
export function Invitations({ organisation }: { organisation: Organisation }) {
  const { id } = organisation;
  const client = useClient();
  const invitations = useInfiniteQuery({
    ...pagedQuery(["invitations", id], (page) =>
      client.organisations.invitations.list(id, page, { organisation: null }),
    ),
    ...polledList,
  });
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations">Invitations</h2>
      <Invite organisation={organisation} />
      <LongList
        label="Invitations"
        query={invitations}
        counted={(total) => `${total} ${total === 1 ? "invitation" : "invitations"}`}
      >
        {(invitation) => <InvitationRow invitation={invitation} />}
      </LongList>
    </section>
  );
}

function Invite({ organisation: { id, role: ownRole } }: { organisation: Organisation }) {
  const client = useClient();
  const queries = useQueryClient();
  const [address, setAddress] = useState("");
  const [role, setRole] = useState<Invitation["role"]>("developer");
  const inviting = useMutation({
    mutationFn: () =>
      client.organisations.invitations.create(id, { address: address.trim(), role }, { organisation: null }),
    onSuccess: async () => {
      setAddress("");
      announce("Invitation created. It appears when they sign in with that wallet.");
      await queries.invalidateQueries({ queryKey: ["invitations", id] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    inviting.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Field
        label="Wallet"
        help="No message is sent. They see the invitation when they sign in with this wallet within 14 days."
        isRequired
      >
        {(wiring) => (
          <input
            {...wiring}
            className="code"
            required
            pattern="\s*0x[0-9a-fA-F]{40}\s*"
            autoComplete="off"
            spellCheck={false}
            value={address}
            onChange={({ target }) => setAddress(target.value)}
          />
        )}
      </Field>
      <RoleChoice label="Role" by={ownRole} role={role} onChange={setRole} />
      {inviting.error && <ProblemNote error={inviting.error} />}
      <div className="buttons">
        <Button type="submit" variant="primary" isPending={inviting.isPending}>
          Invite
        </Button>
      </div>
    </form>
  );
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const { id, organisation_id: organisationId, address, role, status, expires_at } = invitation;
  const client = useClient();
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => client.organisations.invitations.revoke(organisationId, id, { organisation: null }),
    onSuccess: async () => {
      announce("Invitation revoked.");
      await queries.invalidateQueries({ queryKey: ["invitations", organisationId] });
    },
  });
  return (
    <>
      <Address of={address} />
      <span>{roleWords[role].split(" – ")[0]}</span>
      <span>
        {statusWords[status]}
        {status === "open" && (
          <>
            {" until "}
            <Time at={expires_at} />
          </>
        )}
      </span>
      {status === "open" && (
        <Button
          aria-label={`Revoke the invitation to ${address}`}
          isPending={revoking.isPending}
          onPress={() => revoking.mutate()}
        >
          Revoke
        </Button>
      )}
      {revoking.error && <ProblemNote error={revoking.error} />}
    </>
  );
}
