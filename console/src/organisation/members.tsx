import { Trans } from "@lingui/react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Member, Organisation, RemovedMember } from "earnest-client";
import { Fragment, type ReactNode, useState } from "react";
import { showHidden } from "../../../protocol/json/text.ts";
import { Address } from "../parts/address.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { LongList } from "../parts/long-list.tsx";
import { pagedQuery, polledList } from "../parts/paging.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.ts";
import { UserText } from "../parts/user-text.tsx";
import { asPerson } from "../session/as-person.ts";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";
import { RoleChoice } from "./role-choice.tsx";
import { grantableBy, isManager, roleName } from "./roles.ts";

/** The members of an organisation, its founder first. */
export function Members({ organisation }: { organisation: Organisation }) {
  const client = useClient();
  const [note, setNote] = useState<ReactNode[]>([]);
  const members = useInfiniteQuery({
    ...pagedQuery(["members", organisation.id], (page) =>
      client.organisations.members.list(organisation.id, page, asPerson),
    ),
    ...polledList,
  });
  return (
    <section aria-labelledby="members">
      <h2 id="members">{i18n.t("Members")}</h2>
      {note.length > 0 && (
        <div className="note" role="status">
          {note.map((sentence, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the sentences of a note never change places
            <p key={at}>{sentence}</p>
          ))}
        </div>
      )}
      <LongList
        label={i18n.t("Members")}
        listClass="cards"
        rowHeight={160}
        query={members}
        counted={(total) => i18n.t("{total, plural, one {# member} other {# members}}", { total })}
      >
        {(member) => <MemberCard organisation={organisation} member={member} onNote={setNote} />}
      </LongList>
    </section>
  );
}

/** Lists what ended with a member's role: one sentence for each kind. */
function endedSentences({ keys, email, webhooks, invitations }: Ended): ReactNode[] {
  const revoked = keys.filter(({ revoked_at }) => revoked_at !== null);
  const remaining = keys.filter(({ revoked_at }) => revoked_at === null);
  const names = (of: Ended["keys"]) => <Listed texts={of.map(({ name }) => name)} />;
  const urls = <Listed texts={webhooks.map(({ url }) => url)} />;
  const addresses = <Listed texts={invitations.map(({ address }) => address)} />;
  return [
    revoked.length > 0 && <Trans id="Revoked keys: {names}." values={{ names: names(revoked) }} />,
    remaining.length > 0 && (
      <Trans id="Keys they created that still work: {names}." values={{ names: names(remaining) }} />
    ),
    email !== null && (
      <Trans
        id="Email to {email} has stopped. Set another address."
        values={{ email: <UserText>{email}</UserText> }}
      />
    ),
    webhooks.length > 0 && (
      <Trans id="Disabled webhooks: {urls}. Rotate each secret before you resume it." values={{ urls }} />
    ),
    invitations.length > 0 && <Trans id="Revoked invitations: {addresses}." values={{ addresses }} />,
  ].filter((sentence) => sentence !== false);
}

/** Texts of users in a sentence, with commas between them. */
function Listed({ texts }: { texts: string[] }) {
  return texts.map((text, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the texts never change places
    <Fragment key={at}>
      {at > 0 && ", "}
      <UserText>{text}</UserText>
    </Fragment>
  ));
}

type Ended = Pick<RemovedMember, "keys" | "email" | "webhooks" | "invitations">;

function MemberCard({
  organisation: { id, role: ownRole },
  member,
  onNote,
}: {
  organisation: Organisation;
  member: Member;
  onNote: (sentences: ReactNode[]) => void;
}) {
  const client = useClient();
  const session = useSession();
  const queries = useQueryClient();
  const [keepsKeys, setKeepsKeys] = useState(false);
  // A member's open invitations end with the role.
  const refresh = () =>
    Promise.all(
      ["members", "invitations"].map((what) => queries.invalidateQueries({ queryKey: [what, id] })),
    );
  const isSelf = member.account_id === session?.accountId;
  const name = member.display_name ?? member.primary_address;
  const named = <UserText>{name}</UserText>;
  const canManage =
    isManager(ownRole) && grantableBy(ownRole).includes(member.role) && !member.is_founder && !isSelf;

  const changing = useMutation({
    mutationFn: (role: Member["role"]) =>
      client.organisations.members.setRole(id, member.account_id, { role }, asPerson),
    onSuccess: async ({ role, ...ended }) => {
      const what = endedSentences(ended);
      const changed = <Trans id="{name} is {role} now." values={{ name: named, role: roleName(role) }} />;
      if (what.length > 0) onNote([changed, ...what]);
      else announce(changed);
      await refresh();
    },
  });
  const removing = useMutation({
    mutationFn: () =>
      client.organisations.members.remove(id, member.account_id, { revoke_keys: !keepsKeys }, asPerson),
    onSuccess: async (ended) => {
      const invited = ended.invited_members.length;
      onNote(
        [
          <Trans id="Removed {name}." key="removed" values={{ name: named }} />,
          ...endedSentences(ended),
          invited > 0 && i18n.t("Members they invited, who stay: {invited}.", { invited }),
        ].filter((sentence) => sentence !== false),
      );
      await Promise.all([refresh(), queries.invalidateQueries({ queryKey: ["organisations"] })]);
    },
  });
  return (
    <>
      <div className="card-head">
        <h3>
          {member.display_name && <UserText>{member.display_name}</UserText>}{" "}
          <Address of={member.primary_address} />
          {isSelf && ` ${i18n.t("(you)")}`}
        </h3>
        <Chip>{member.is_founder ? i18n.t("Founder, owner") : roleName(member.role)}</Chip>
      </div>
      <p className="quiet">
        {i18n.t("Since")} <Time at={member.joined_at} />
      </p>
      {canManage && (
        <RoleChoice
          label={i18n.t("Role of {name}", { name: showHidden(name) })}
          by={ownRole}
          role={member.role}
          onChange={(role) => changing.mutate(role)}
        />
      )}
      {changing.error && <ProblemNote error={changing.error} />}
      {(canManage || (isSelf && !member.is_founder)) && (
        <>
          {canManage && (
            <label className="check">
              <input
                type="checkbox"
                checked={keepsKeys}
                onChange={({ target }) => setKeepsKeys(target.checked)}
              />
              <span>{i18n.t("Keep the API keys they created")}</span>
            </label>
          )}
          <ConfirmButton
            label={isSelf ? i18n.t("Leave") : i18n.t("Remove")}
            confirmLabel={
              isSelf ? (
                i18n.t("Leave organisation")
              ) : (
                <Trans id="Remove {name} now" values={{ name: named }} />
              )
            }
            of={name}
            isPending={removing.isPending}
            error={removing.error}
            onPress={() => removing.mutate()}
          />
        </>
      )}
    </>
  );
}
