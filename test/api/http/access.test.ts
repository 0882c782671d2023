import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Scope, scopes } from "../../../api/http/caller.ts";
import { session } from "../../../db/schema.ts";
import { createKey, type RequestOptions, type Session, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi, type Operation, operationsOf } from "../../harness/documented.ts";

const allScopes = Object.keys(scopes) as Scope[];

/** The public operations. All others must be guarded. */
const open = [
  "GET /agents/{slug}",
  "GET /agents/{slug}/erc8004",
  "GET /agents/{slug}/record",
  "GET /agents/{slug}/record/counterparties",
  "GET /agents/{slug}/record/outcomes",
  "GET /agents/{slug}/record/statement",
  "GET /agents/{slug}/registration.json",
  "GET /agents/{slug}/reviews",
  "GET /agents/{slug}/services",
  "GET /agents/{slug}/services/{svc}",
  "GET /capabilities",
  "GET /categories",
  "GET /chain/status",
  "GET /chains",
  "GET /feedback/{file}",
  "GET /log/proofs/{id}",
  "GET /marketplace/agents",
  "GET /marketplace/filters",
  "GET /marketplace/services",
  "GET /passkeys",
  "GET /receipts/{id}",
  "GET /reviews/{id}",
  "GET /schemas/{name}",
  "GET /session",
  "GET /transparency",
  "POST /auth/device",
  "POST /auth/device/approval",
  "POST /auth/device/link",
  "POST /auth/device/nonce",
  "POST /auth/device/refusal",
  "POST /auth/device/request",
  "POST /auth/device/session",
  "POST /auth/nonce",
  "POST /auth/signin",
  "POST /buy/{slug}/{svc}",
  "POST /receipts/verify",
  "POST /session",
];

let api: TestApi;
let owner: Session;
let operations: Operation[];

beforeAll(async () => {
  api = await createDocumentedApi();
  owner = await signIn(api);
  operations = operationsOf(api);
});
afterAll(() => api.close());

const isOpen = ({ security }: Operation) =>
  security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0);
const scopeOf = ({ security }: Operation) =>
  security.flatMap((scheme) => scheme.apiKey ?? [])[0] as Scope | undefined;
const isForSessions = ({ security }: Operation) =>
  security.length > 0 && security.every((scheme) => "session" in scheme);
const placeOf = ({ path }: Operation) => path.replaceAll(/\{\w+\}/g, "nothing-like-it");

describe("every operation", () => {
  test("is guarded unless it is listed as public", () => {
    expect(
      operations
        .filter(isOpen)
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual(open);
    expect(operations.filter((operation) => !isOpen(operation)).length).toBeGreaterThan(25);
  });

  test("is 401, if guarded, without a token, with an unknown one, and with one in another place", async () => {
    const outsidersKey = await createKey(api, await signIn(api), allScopes);
    const refused: RequestOptions[] = [
      {},
      { token: "est_unknown" },
      { token: "esk_unknown" },
      { apiKey: "esk_unknown" },
      { headers: { authorization: `Basic ${owner.token}` } },
      { headers: { authorization: "Bearer" } },
      // The first header decides, so a proxy's key cannot replace a client's bad token.
      { headers: { authorization: "Bearer est_unknown", "x-api-key": owner.token } },
      { token: owner.token, apiKey: "esk_unknown" },
      { token: owner.token, headers: { "x-api-key": "" } },
      { token: owner.token, apiKey: outsidersKey },
    ];
    for (const operation of operations.filter((one) => !isOpen(one))) {
      for (const options of refused) {
        const answer = await api.request(operation.method, placeOf(operation), options);
        expect([operation.operationId, answer.status, answer.body.error.code]).toEqual([
          operation.operationId,
          401,
          "unauthenticated",
        ]);
        expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="earnest"');
      }
    }
  });

  test("accepts two tokens of one account, and refuses a wrong key beside a good token on public routes", async () => {
    const key = await createKey(api, owner, allScopes);
    const request = (apiKey: string, path = "/me") =>
      api.request("GET", path, { token: owner.token, apiKey });
    expect((await request(key)).body.auth.via_api_key).toBe(false);
    expect((await request(owner.token)).status).toBe(200);
    for (const wrong of ["esk_unknown", await createKey(api, await signIn(api), allScopes)]) {
      const answer = await request(wrong, "/agents/nobody");
      expect([answer.status, answer.body.error.code]).toEqual([401, "unauthenticated"]);
    }
  });

  test("is 403 naming the missing scope for a key that has every other", async () => {
    const scoped = operations.filter((operation) => !isOpen(operation) && scopeOf(operation));
    expect(scoped.length).toBeGreaterThan(15);
    for (const scope of new Set(scoped.map(scopeOf))) {
      const others = await createKey(
        api,
        owner,
        allScopes.filter((other) => other !== scope),
      );
      for (const operation of scoped.filter((one) => scopeOf(one) === scope)) {
        for (const credentials of [{ token: others }, { apiKey: others }]) {
          const answer = await api.request(operation.method, placeOf(operation), credentials);
          expect([operation.operationId, answer.status, answer.body.error]).toEqual([
            operation.operationId,
            403,
            {
              code: "insufficient_scope",
              message: `This key lacks the scope ${scope}. Use a key that has it.`,
              request_id: expect.any(String),
            },
          ]);
        }
      }
    }
  });

  test("accepts a key with just its scope, in either header, and a session", async () => {
    for (const operation of operations.filter((one) => !isOpen(one) && !isForSessions(one))) {
      const scope = scopeOf(operation) ?? "marketplace:read";
      const key = await createKey(api, owner, [scope]);
      for (const credentials of [{ token: key }, { apiKey: key }, { token: owner.token }]) {
        const { status } = await api.request(operation.method, placeOf(operation), credentials);
        expect([operation.operationId, status]).not.toEqual([operation.operationId, 401]);
        expect([operation.operationId, status]).not.toEqual([operation.operationId, 403]);
      }
    }
  });

  test("is 403 for a key with every scope if it needs a session", async () => {
    const key = await createKey(api, owner, allScopes);
    const forSessions = operations.filter(isForSessions);
    expect(forSessions.map(({ operationId }) => operationId).sort()).toEqual([
      "acceptInvitation",
      "actOnSubject",
      "addWallet",
      "changeKey",
      "createKey",
      "createReportedFileLink",
      "decideApproval",
      "declineInvitation",
      "deployPasskeyAccount",
      "downloadDataExport",
      "endOtherSessions",
      "endSession",
      "inviteMember",
      "listAudit",
      "listInvitations",
      "listKeys",
      "listMembers",
      "listModerationActs",
      "listModerationSubjects",
      "listOrganisations",
      "listReceivedInvitations",
      "listSessions",
      "makeWalletPrimary",
      "readBillingDetails",
      "readDataExport",
      "readErasure",
      "readMail",
      "readModerationSubject",
      "readServiceState",
      "readTransferToSign",
      "removeBillingDetails",
      "removeMail",
      "removeMember",
      "removeWallet",
      "renameOrganisation",
      "requestDataExport",
      "requestErasure",
      "resendFailedDelivery",
      "revokeInvitation",
      "revokeKey",
      "sendTransfer",
      "setBillingDetails",
      "setMail",
      "setMemberRole",
      "signOut",
      "takeBackErasure",
      "verifyMail",
    ]);
    for (const operation of forSessions) {
      const answer = await api.request(operation.method, placeOf(operation), { token: key });
      expect([operation.operationId, answer.status, answer.body.error.code]).toEqual([
        operation.operationId,
        403,
        "insufficient_scope",
      ]);
      expect(answer.body.error.message).toMatch(/needs a session/);
    }
  });

  test("is 401 for a bad token even if it is public, if it reads tokens", async () => {
    // A stale token must not prevent a new sign-in.
    const looking = operations.filter(
      (operation) =>
        isOpen(operation) && operation.security.length > 0 && operation.operationId !== "createNonce",
    );
    expect(looking).toHaveLength(5);
    for (const operation of looking) {
      const answer = await api.request(operation.method, placeOf(operation), { token: "est_unknown" });
      expect([operation.operationId, answer.status]).toEqual([operation.operationId, 401]);
    }
  });
});

describe("a token", () => {
  test("is refused once its session has expired", async () => {
    const { token, accountId } = await signIn(api);
    expect((await api.request("GET", "/me", { token })).status).toBe(200);
    await api.db
      .update(session)
      .set({ expiresAt: new Date(Date.now() - 1000) })
      .where(eq(session.accountId, accountId));
    const answer = await api.request("GET", "/me", { token });
    expect(answer.status).toBe(401);
    expect(answer.body.error).toMatchObject({
      code: "unauthenticated",
      message: "This token is unknown, expired or revoked. Sign in again, or use another API key.",
    });
  });

  test("is valid for the configured time", async () => {
    const brief = await createDocumentedApi({ env: { SESSION_SECONDS: "1" } });
    try {
      const { token } = await signIn(brief);
      await expect.poll(async () => (await brief.request("GET", "/me", { token })).status).toBe(401);
    } finally {
      await brief.close();
    }
  });

  test("is refused after signing out, and other tokens of the account stay valid", async () => {
    const first = await signIn(api);
    const second = await signIn(api, first.account);
    expect((await api.request("POST", "/auth/logout", { token: first.token })).status).toBe(200);
    expect((await api.request("GET", "/me", { token: first.token })).status).toBe(401);
    expect((await api.request("GET", "/me", { token: second.token })).status).toBe(200);
  });
});
