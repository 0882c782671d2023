import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Member, Organisation } from "earnest-client";
import { useState } from "react";
import { Address } from "../parts/address.tsx";
import { LongList } from "../parts/long-list.tsx";
import { announce } from "../parts/notices.tsx";
import { isFollowed, pagedQuery } from "../parts/paging.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { SureButton } from "../parts/sure-button.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { RoleChoice } from "./role-choice.tsx";
import { givenBy, isManager, roleWords } from "./roles.ts";

/** Who belongs to an organisation, its founder first. */
export function Members({ organisation }: { organisation: Organisation }) {
  const client = useClient();
  const [note, setNote] = useState<string | null>(null);
  const members = useInfiniteQuery({
    ...pagedQuery(["members", organisation.id], (page) =>
      client.organisations.members.list(organisation.id, page, { organisation: null }),
    ),
    ...isFollowed,
  });
  return (
    <section aria-labelledby="members">
      <h2 id="members">Members</h2>
      {note && (
        <p className="note" role="status">
          {note}
        </p>
      )}
      <LongList
        label="Members"
        look="cards"
        rowHeight={160}
        query={members}
        counted={(total) => `${total} ${total === 1 ? "member" : "members"}`}
      >
        {(member) => <MemberCard organisation={organisation} member={member} onNote={setNote} />}
      </LongList>
    </section>
  );
}

function MemberCard({
  organisation: { id, role: ownRole },
  member,
  onNote,
}: {
  organisation: Organisation;
  member: Member;
  onNote: (note: string) => void;
}) {
  const client = useClient();
  const session = useSession();
  const queries = useQueryClient();
  const [isRevoking, setRevoking] = useState(false);
  const read = () => queries.invalidateQueries({ queryKey: ["members", id] });
  const isSelf = member.account_id === session?.accountId;
  const name = member.display_name ?? member.primary_address;
  const canManage =
    isManager(ownRole) && givenBy(ownRole).includes(member.role) && !member.is_founder && !isSelf;

  const changing = useMutation({
    mutationFn: (role: Member["role"]) =>
      client.organisations.members.setRole(id, member.account_id, { role }, { organisation: null }),
    onSuccess: async ({ role }) => {
      announce(`${name} is ${role} now.`);
      await read();
    },
  });
  const removing = useMutation({
    mutationFn: () =>
      client.organisations.members.remove(
        id,
        member.account_id,
        { revoke_keys: isRevoking },
        { organisation: null },
      ),
    onSuccess: async ({ keys, invited_members: invited }) => {
      const standing = keys.filter(({ revoked_at }) => revoked_at === null).length;
      onNote(
        [
          `${name} is no member any more.`,
          standing > 0 && `${standing} of the keys that they made still work: look at the keys.`,
          invited.length > 0 && `${invited.length} of the members that they let in stay.`,
        ]
          .filter(Boolean)
          .join(" "),
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
                checked={isRevoking}
                onChange={({ target }) => setRevoking(target.checked)}
              />
              <span>Revoke the keys that they made, when they are removed</span>
            </label>
          )}
          <SureButton
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
