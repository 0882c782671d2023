import { queryOptions } from "@tanstack/react-query";
import type { Earnest, KeyChanges, Scope } from "earnest-client";

/** A program's request for access, as the service shows it (api/oauth/consent.ts). */
export type ConsentRequest = {
  client_name: string;
  client_id_host: string | null;
  receiver: string;
  is_local: boolean;
  scopes: Scope[];
};

export type Decision =
  | { approved: false }
  | ({ approved: true; scopes: Scope[] } & Pick<KeyChanges, "limits" | "allowed_ips" | "expires_at">);

/** The operations of a request, which have the cookie of this browser's request alone. */
const pathOf = (uid: string, operation: string) => `/connect/${encodeURIComponent(uid)}/${operation}`;

export const consentQuery = (client: Earnest, uid: string) =>
  queryOptions({
    queryKey: ["consent", uid],
    queryFn: async () =>
      await client.request<ConsentRequest>({ verb: "GET", path: pathOf(uid, "request"), root: true }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Sends the decision. Returns the URL that leads back to the program. */
export async function sendDecision(client: Earnest, uid: string, decision: Decision): Promise<string> {
  const call = { verb: "POST", path: pathOf(uid, "decision"), root: true, takesKey: false } as const;
  const { url } = await client.request<{ url: string }>({ ...call, mayRepeat: false, body: decision });
  return url;
}
