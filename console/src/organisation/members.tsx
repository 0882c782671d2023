import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Member, Organisation, RemovedMember } from "earnest-client";
import { useState } from "react";
import { Address } from "../parts/address.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { LongList } from "../parts/long-list.tsx";
import { pagedQuery, polledList } from "../parts/paging.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { RoleChoice } from "./role-choice.tsx";
import { grantableBy, isManager, roleWords } from "./roles.ts";

/** The members of an organisation, its founder first. */
export function Members({ organisation }: { organisation: Organisation }) {
  const client = useClient();
  const [note, setNote] = useState<string[]>([]);
  const members = useInfiniteQuery({
    ...pagedQuery(["members", organisation.id], (page) =>
      client.organisations.members.list(organisation.id, page, { organisation: null }),
    ),
    ...polledList,
  });
  return (
    <section aria-labelledby="members">
      <h2 id="members">Members</h2>
      {note.length > 0 && (
        <div className="note" role="status">
          {note.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      )}
      <LongList
        label="Members"
        listClass="cards"
        rowHeight={160}
        query={members}
        counted={(total) => `${total} ${total === 1 ? "member" : "members"}`}
      >
        {(member) => <MemberCard organisation={organisation} member={member} onNote={setNote} />}
      </LongList>
    </section>
  );
}

/** Lists what ended with a member's role: one sentence for each kind. */
function endedSentences({ keys, email, webhooks, invitations }: Ended): string[] {
  const revoked = keys.filter(({ revoked_at }) => revoked_at !== null);
  const remaining = keys.filter(({ revoked_at }) => revoked_at === null);
  const list = (items: string[]) => items.join(", ");
  return [
    revoked.length > 0 && `Revoked keys: ${list(revoked.map((key) => key.name))}.`,
    remaining.length > 0 && `Keys they created that still work: ${list(remaining.map((key) => key.name))}.`,
    email !== null && `Email to ${email} has stopped. Set another address.`,
    webhooks.length > 0 &&
      `Disabled webhooks: ${list(webhooks.map(({ url }) => url))}. Rotate each secret before you resume it.`,
    invitations.length > 0 && `Revoked invitations: ${list(invitations.map(({ address }) => address))}.`,
  ].filter(isSentence);
}

const isSentence = (sentence: string | false): sentence is string => sentence !== false;

type Ended = Pick<RemovedMember, "keys" | "email" | "webhooks" | "invitations">;

function MemberCard({
  organisation: { id, role: ownRole },
  member,
  onNote,
}: {
  organisation: Organisation;
  member: Member;
  onNote: (sentences: string[]) => void;
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
  const canManage =
    isManager(ownRole) && grantableBy(ownRole).includes(member.role) && !member.is_founder && !isSelf;

  const changing = useMutation({
    mutationFn: (role: Member["role"]) =>
      client.organisations.members.setRole(id, member.account_id, { role }, { organisation: null }),
    onSuccess: async ({ role, ...ended }) => {
      const what = endedSentences(ended);
      if (what.length > 0) onNote([`${name} is ${role} now.`, ...what]);
      else announce(`${name} is ${role} now.`);
      await refresh();
    },
  });
  const removing = useMutation({
    mutationFn: () =>
      client.organisations.members.remove(
        id,
        member.account_id,
        { revoke_keys: !keepsKeys },
        { organisation: null },
      ),
    onSuccess: async (ended) => {
      const invited = ended.invited_members.length;
      onNote(
        [
          `Removed ${name}.`,
          ...endedSentences(ended),
          invited > 0 && `Members they invited, who stay: ${invited}.`,
        ].filter(isSentence),
      );
      await Promise.all([refresh(), queries.invalidateQueries({ queryKey: ["organisations"] })]);
    },
  });
  return (
    <>
      <h3>
        {member.display_name && `${member.display_name} `}
        <Address of={member.primary_address} />
        {isSelf && " (you)"}
      </h3>
      <p>{member.is_founder ? "Founder, owner" : roleWords[member.role]}</p>
      <p className="quiet">
        Since <Time at={member.joined_at} />
      </p>
      {canManage && (
        <RoleChoice
          label={`Role of ${name}`}
          by={ownRole}
          role={member.role}
          isDisabled={changing.isPending}
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
              <span>Keep the API keys they created</span>
            </label>
          )}
          <ConfirmButton
            label={isSelf ? "Leave" : "Remove"}
            confirmLabel={isSelf ? "Leave organisation" : `Remove ${name} now`}
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
