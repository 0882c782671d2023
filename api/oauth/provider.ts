import { generateKeyPairSync, hkdfSync } from "node:crypto";
import type { Configuration, JWK, KoaContextWithOIDC } from "oidc-provider";
import { findWebhookKey } from "../../config/keys/webhook-key.ts";
import type { Context } from "../context.ts";
import { mcpPath, mcpPaths, mcpScopes } from "../mcp/resource-metadata.ts";
import { isSafeRedirect } from "./client-rules.ts";
import { createDocumentFetch, type DocumentSource, largestDocument } from "./metadata-document.ts";
import { createRecordStore } from "./record-store.ts";

const minute = 60;
const day = 24 * 60 * minute;

/** Seconds of validity. Each use of a refresh token makes a new one; a grant ends after a year in any case. */
export const lifetimes = {
  AccessToken: 60 * minute,
  AuthorizationCode: minute,
  Interaction: 15 * minute,
  RefreshToken: 30 * day,
  Grant: 365 * day,
  // Neither is issued, nor is a session stored.
  IdToken: minute,
  Session: minute,
};

/** The paths of the provider below the service's URL. */
export const oauthPaths = {
  authorization: "/oauth/authorize",
  token: "/oauth/token",
  registration: "/oauth/register",
  revocation: "/oauth/revoke",
  jwks: "/oauth/jwks",
};

/** The page of the console on which a person grants or refuses. */
export const consentPath = "/connect";

export type Provider = Awaited<ReturnType<typeof createProvider>>;

/**
 * Creates the authorization server (OAuth 2.1). Clients are public and prove themselves by PKCE. Its tokens are opaque: the
 * API looks up each one. It issues no ID token and keeps no session.
 */
export async function createProvider({ config, db, log }: Context, source?: DocumentSource) {
  // Most of the time of a start is loading, so the package is loaded at the first request.
  const { default: OidcProvider, errors, interactionPolicy } = await import("oidc-provider");
  const { publicUrl } = config;
  const resources = mcpPaths.map((path) => `${publicUrl}${path}`);
  const { Check, Prompt } = interactionPolicy;
  const mustConsent = new Check("consent_missing", "the person decides each time", (c: KoaContextWithOIDC) =>
    c.oidc.result?.consent ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  );
  const configuration: Configuration = {
    adapter: createRecordStore(db, () => new errors.InvalidGrant("already used")),
    clientAuthMethods: ["none"],
    clientDefaults: {
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      id_token_signed_response_alg: "EdDSA",
    },
    // `openToOrigins` answers for all origins, without credentials.
    clientBasedCORS: () => true,
    cookies: {
      names: { session: "oauth_session", interaction: "oauth_consent", resume: "oauth_resume" },
      keys: readCookieKeys(config),
    },
    // The provider demands a key for ID tokens, which it never issues here.
    jwks: { keys: [generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }) as JWK] },
    features: {
      clientIdMetadataDocument: {
        enabled: true,
        ack: "draft-02",
        allowClient: (_, client) => (client.redirectUris ?? []).every(isSafeRedirect),
      },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => `${publicUrl}${mcpPath}`,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, indicator) => {
          if (!resources.includes(indicator)) throw new errors.InvalidTarget();
          const scope = mcpScopes.join(" ");
          return { scope, audience: indicator, accessTokenFormat: "opaque" };
        },
      },
      revocation: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    fetch: createDocumentFetch(publicUrl, source),
    fetchResponseBodyLimits: { "client_id metadata document": largestDocument },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    expiresWithSession: () => false,
    interactions: {
      policy: ["login", "consent"].map((name) => new Prompt({ name, requestable: true }, mustConsent)),
      url: (_, { uid }) => `${publicUrl}${consentPath}/${uid}`,
    },
    issueRefreshToken: (_, client) => client.grantTypeAllowed("refresh_token"),
    loadExistingGrant: async ({ oidc }) => {
      const { grantId } = oidc.result?.consent ?? {};
      return grantId ? oidc.provider.Grant.find(grantId) : undefined;
    },
    pkce: { required: () => true },
    // The route makes the page of an error.
    renderError: (c, { error, error_description }) => {
      c.type = "json";
      c.body = { error, error_description };
    },
    responseTypes: ["code"],
    revokeGrantPolicy: () => true,
    rotateRefreshToken: true,
    routes: oauthPaths,
    scopes: ["offline_access"],
    ttl: lifetimes,
  };
  const provider = new OidcProvider(publicUrl, configuration);
  // The route states the scheme and host of the public URL.
  provider.proxy = true;
  provider.on("server_error", (_, error) => log.error({ err: error }, "authorization server failed"));
  return provider;
}

/** The keys that sign the provider's cookies: all replicas have the same. */
function readCookieKeys(config: Context["config"]): string[] {
  const key = findWebhookKey(config);
  if (!key) return [];
  return [Buffer.from(hkdfSync("sha256", key, "", "earnest oauth cookies", 32)).toString("base64url")];
}
