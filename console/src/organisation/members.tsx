import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Member, Organisation, RemovedMember } from "earnest-client";
import { useState } from "react";
import { Address } from "../parts/address.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { LongList } from "../parts/long-list.tsx";
import { announce } from "../parts/notices.tsx";
import { isFollowed, pagedQuery } from "../parts/paging.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { RoleChoice } from "./role-choice.tsx";
import { givenBy, isManager, roleWords } from "./roles.ts";

/** Who belongs to an organisation, its founder first. */
export function Members({ organisation }: { organisation: Organisation }) {
  const client = useClient();
  const [note, setNote] = useState<string[]>([]);
  const members = useInfiniteQuery({
    ...pagedQuery(["members", organisation.id], (page) =>
      client.organisations.members.list(organisation.id, page, { organisation: null }),
    ),
    ...isFollowed,
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

/** The names of the things that ended with a member's role: a sentence for each kind. */
function sentencesOfEnded({ keys, email, webhooks, invitations }: Ended): string[] {
  const revoked = keys.filter(({ revoked_at }) => revoked_at !== null);
  const standing = keys.filter(({ revoked_at }) => revoked_at === null);
  const list = (items: string[]) => items.join(", ");
  return [
    revoked.length > 0 && `Revoked keys: ${list(revoked.map((key) => key.name))}.`,
    standing.length > 0 &&
      `Keys that they made and that still work: ${list(standing.map((key) => key.name))}.`,
    email !== null && `The organisation got mail at ${email} and gets none now: set another address.`,
    webhooks.length > 0 &&
      `Stopped webhooks: ${list(webhooks.map(({ url }) => url))}. Replace the secret of each before you start it again.`,
    invitations.length > 0 && `Revoked invitations: ${list(invitations.map(({ address }) => address))}.`,
  ].filter(isSaid);
}

const isSaid = (sentence: string | false): sentence is string => sentence !== false;

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
  const [isKeeping, setKeeping] = useState(false);
  // A member's invitations end with the role.
  const read = () =>
    Promise.all(
      ["members", "invitations"].map((what) => queries.invalidateQueries({ queryKey: [what, id] })),
    );
  const isSelf = member.account_id === session?.accountId;
  const name = member.display_name ?? member.primary_address;
  const canManage =
    isManager(ownRole) && givenBy(ownRole).includes(member.role) && !member.is_founder && !isSelf;

  const changing = useMutation({
    mutationFn: (role: Member["role"]) =>
      client.organisations.members.setRole(id, member.account_id, { role }, { organisation: null }),
    onSuccess: async ({ role, ...ended }) => {
      const what = sentencesOfEnded(ended);
      if (what.length > 0) onNote([`${name} is ${role} now.`, ...what]);
      else announce(`${name} is ${role} now.`);
      await read();
    },
  });
  const removing = useMutation({
    mutationFn: () =>
      client.organisations.members.remove(
        id,
        member.account_id,
        { revoke_keys: !isKeeping },
        { organisation: null },
      ),
    onSuccess: async (ended) => {
      const invited = ended.invited_members.length;
      onNote(
        [
          `${name} is no member any more.`,
          ...sentencesOfEnded(ended),
          invited > 0 && `Members that they let in, and who stay: ${invited}.`,
        ].filter(isSaid),
      );
      await Promise.all([read(), queries.invalidateQueries({ queryKey: ["organisations"] })]);
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
                checked={isKeeping}
                onChange={({ target }) => setKeeping(target.checked)}
              />
              <span>Keep the API keys that they made, when they are removed</span>
            </label>
          )}
          <ConfirmButton
            label={isSelf ? "Leave" : "Remove"}
            sure={isSelf ? "Leave the organisation now" : `Remove ${name} now`}
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
