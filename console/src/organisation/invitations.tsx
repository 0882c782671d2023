import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Invitation, Organisation } from "earnest-client";
import { Mail, UserPlus } from "lucide-react";
import { type FormEvent, useMemo, useRef, useState } from "react";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Address } from "../parts/address.tsx";
import { Button } from "../parts/button.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { pagedQuery, polledList } from "../parts/paging.ts";
import { announceProblem, ProblemNote } from "../parts/problem-note.tsx";
import { Chip, type Tone } from "../parts/status-chip.tsx";
import { TextField } from "../parts/text-field.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.ts";
import { asPerson } from "../session/as-person.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { RoleChoice } from "./role-choice.tsx";
import { roleName } from "./roles.ts";

const statusText = (status: Invitation["status"]): string =>
  ({
    open: i18n.t("Open"),
    expired: i18n.t("Expired"),
    accepted: i18n.t("Accepted"),
    declined: i18n.t("Declined"),
    revoked: i18n.t("Revoked"),
  })[status];

const tones: Record<Invitation["status"], Tone> = {
  open: "info",
  expired: "neutral",
  accepted: "good",
  declined: "neutral",
  revoked: "neutral",
};

/** The invitations of an organisation, and a dialog for a new one. */
export function Invitations({ organisation }: { organisation: Organisation }) {
  const { id } = organisation;
  const client = useClient();
  const [isInviting, setInviting] = useState(false);
  const invitations = useInfiniteQuery({
    ...pagedQuery(["invitations", id], (page) => client.organisations.invitations.list(id, page, asPerson)),
    ...polledList,
  });
  const columns = useMemo(readColumns, []);
  return (
    <section aria-labelledby="invitations">
      <div className="card-head">
        <h2 id="invitations">{i18n.t("Invitations")}</h2>
        <Button variant="primary" icon={UserPlus} onPress={() => setInviting(true)}>
          {i18n.t("Invite a member")}
        </Button>
      </div>
      <DataTable
        label={i18n.t("Invitations")}
        query={invitations}
        columns={columns}
        rowHeight={52}
        counted={(total) => i18n.t("{total, plural, one {# invitation} other {# invitations}}", { total })}
        empty={
          <EmptyState icon={Mail} title={i18n.t("No invitations yet")}>
            {i18n.t("Invite someone by the address of their wallet.")}
          </EmptyState>
        }
      />
      {isInviting && <InviteDialog organisation={organisation} onClose={() => setInviting(false)} />}
    </section>
  );
}

const addressPattern = /^0x[0-9a-fA-F]{40}$/;

function InviteDialog({
  organisation: { id, role: ownRole },
  onClose,
}: {
  organisation: Organisation;
  onClose: () => void;
}) {
  const client = useClient();
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [address, setAddress] = useState("");
  const [isChecked, setChecked] = useState(false);
  const [role, setRole] = useState<Invitation["role"]>("developer");
  const fault = addressPattern.test(address.trim())
    ? null
    : i18n.t("Enter a wallet address: 0x and 40 characters.");
  const inviting = useMutation({
    mutationFn: async () =>
      client.organisations.invitations.create(id, { address: address.trim(), role }, asPerson),
    onSuccess: async () => {
      announce(i18n.t("Invitation created. It appears when they sign in with that wallet."));
      await queries.invalidateQueries({ queryKey: ["invitations", id] });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (fault) focusFirstFault(form.current);
    else inviting.mutate();
  };
  return (
    <FormDialog title={i18n.t("Invite a member")} onClose={onClose}>
      <form ref={form} onSubmit={submit} noValidate>
        <TextField
          label={i18n.t("Wallet")}
          help={i18n.t(
            "No message is sent. They see the invitation when they sign in with this wallet within 14 days.",
          )}
          error={isChecked ? fault : null}
          isRequired
          value={address}
          onChange={setAddress}
        />
        <RoleChoice label={i18n.t("Role")} by={ownRole} role={role} onChange={setRole} />
        {inviting.error && <ProblemNote error={inviting.error} />}
        <div className="dialog-end">
          <div className="buttons">
            <Button onPress={onClose}>{i18n.t("Cancel")}</Button>
            <Button type="submit" variant="primary" isPending={inviting.isPending}>
              {i18n.t("Invite")}
            </Button>
          </div>
        </div>
      </form>
    </FormDialog>
  );
}

const readColumns = (): Column<Invitation>[] => [
  { id: "wallet", header: i18n.t("Wallet"), cell: ({ address }) => <Address of={address} /> },
  {
    id: "status",
    header: i18n.t("Status"),
    cell: ({ status }) => <Chip tone={tones[status]}>{statusText(status)}</Chip>,
  },
  { id: "role", header: i18n.t("Role"), cell: ({ role }) => roleName(role) },
  {
    id: "expires",
    header: i18n.t("Expires"),
    isHiddenOnPhone: true,
    cell: ({ status, expires_at }) =>
      status === "open" ? <Time at={expires_at} isRelative /> : <span className="quiet">–</span>,
  },
  {
    id: "revoke",
    header: i18n.t("Actions"),
    align: "end",
    cell: (invitation) => invitation.status === "open" && <Revoke invitation={invitation} />,
  },
];

function Revoke({
  invitation: { id, organisation_id: organisationId, address },
}: {
  invitation: Invitation;
}) {
  const client = useClient();
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: async () => client.organisations.invitations.revoke(organisationId, id, asPerson),
    onSuccess: async () => {
      announce(i18n.t("Invitation revoked."));
      await queries.invalidateQueries({ queryKey: ["invitations", organisationId] });
    },
    onError: announceProblem,
  });
  return (
    <Button
      size="small"
      aria-label={i18n.t("Revoke the invitation to {address}", { address })}
      isPending={revoking.isPending}
      onPress={() => revoking.mutate()}
    >
      {i18n.t("Revoke")}
    </Button>
  );
}
