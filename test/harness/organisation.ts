import type { Address } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { MemberRole } from "../../api/http/caller.ts";
import { type Answer, expectStatus, type Session, signIn, type TestApi } from "./api.ts";

/** The status and the code of a refusal. */
export const refusal = ({ status, body }: Answer) => [status, body.error?.code];

export const fresh = () => privateKeyToAccount(generatePrivateKey());

/** Acts on the organisation of a founder, whose own account it is. `of` names another organisation. */
export function organisationOf(api: TestApi, founder: Session) {
  const send = (who: Session, method: string, path: string, body?: object, of?: Session) =>
    api.request(method, path, {
      token: who.token,
      body,
      ...(of ? { headers: { "x-organisation": of.accountId } } : {}),
    });
  const invite = (address: Address, role: MemberRole, by = founder, of = founder) =>
    send(by, "POST", `/organisations/${of.accountId}/invitations`, { address, role });
  const answerTo = (who: Session, id: string, action = "accept") =>
    send(who, "POST", `/invitations/${id}/${action}`);
  const memberPath = (who: Session, of = founder) =>
    `/organisations/${of.accountId}/members/${who.accountId}`;

  return {
    founder,
    /** @param of the organisation that is acted for */
    send,
    invite,
    answerTo,
    memberPath,
    remove: (who: Session, { by = founder, query = "", of = founder } = {}) =>
      send(by, "DELETE", `${memberPath(who, of)}${query}`),
    /** The accounts of the members. */
    async members(of = founder): Promise<string[]> {
      const answer = await send(of, "GET", `/organisations/${of.accountId}/members`);
      return expectStatus(200, answer).items.map(({ account_id }: { account_id: string }) => account_id);
    },
    /** Adds a member with this role. */
    async join(
      role: MemberRole,
      { by = founder, of = founder, who }: { by?: Session; of?: Session; who?: Session } = {},
    ): Promise<Session> {
      const member = who ?? (await signIn(api));
      const { id } = expectStatus(201, await invite(member.account.address, role, by, of));
      expectStatus(200, await answerTo(member, id));
      return member;
    },
    /** Invites a new wallet, whose key the sender may have. */
    async plant(role: MemberRole, by: Session, of = founder) {
      const wallet = fresh();
      const { id } = expectStatus(201, await invite(wallet.address, role, by, of));
      return { id: id as string, wallet };
    },
  };
}
