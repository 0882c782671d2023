import type { Context as HonoContext } from "hono";
import { parseJson } from "../../protocol/json/parse.ts";
import type { Context } from "../context.ts";
import { originOf } from "../http/client-address.ts";
import { readLanguage } from "../http/reader-language.ts";
import { mcpScopes } from "../mcp/resource-metadata.ts";
import type { App, Variables } from "../variables.ts";
import { readRegistration } from "./client-rules.ts";
import { addConsent } from "./consent.ts";
import { showFault } from "./fault-page.ts";
import type { DocumentSource } from "./metadata-document.ts";
import { createProvider, oauthPaths, type Provider } from "./provider.ts";
import { askProvider } from "./provider-request.ts";
import { largestRegistration, mayRegister, noteNetwork } from "./registration.ts";

type RequestContext = HonoContext<{ Variables: Variables }>;

/** The most bytes of a request for a token. */
const largestForm = 16 * 1024;

/**
 * Adds the authorization server (OAuth 2.1) for MCP, with the errors of OAuth. A person grants a program rights in the
 * console. The grant is an API key with the person's scopes and limits, whose tokens are the program's access tokens.
 */
export function addOauth(app: App, context: Context, source?: DocumentSource): void {
  let loaded: Promise<Provider> | undefined;
  const load = () => {
    loaded ??= createProvider(context, source).catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
  const ask = async (c: RequestContext, sent = {}) => askProvider(await load(), context, c, sent);

  // Clients of an issuer with a path read the second name (RFC 8414, section 5).
  for (const name of ["oauth-authorization-server", "openid-configuration"]) {
    app.get(`/.well-known/${name}`, async (c) => {
      const { body } = await ask(c, { path: "/.well-known/oauth-authorization-server" });
      return c.json(describe(JSON.parse(body)), 200, { "Cache-Control": "public, max-age=300" });
    });
  }

  app.use(oauthPaths.authorization, readLanguage);
  app.use(`${oauthPaths.authorization}/*`, readLanguage);
  app.get(oauthPaths.authorization, async (c) => {
    const query = new URL(c.req.url).searchParams;
    if (!query.get("scope")) query.set("scope", mcpScopes.join(" "));
    // The provider's page for `form_post` needs a script.
    if ((query.get("response_mode") ?? "query") !== "query") return showFault(c, "response_mode: use query");
    return passOn(c, await ask(c, { path: `${oauthPaths.authorization}?${query}` }));
  });
  app.get(`${oauthPaths.authorization}/:uid`, async (c) => passOn(c, await ask(c)));

  app.post(oauthPaths.registration, async (c) => {
    const body = await c.req.text();
    if (body.length > largestRegistration)
      return refuse(c, "invalid_client_metadata", "The body is too large.");
    const read = readRegistration(parse(body));
    if ("fault" in read) return refuse(c, "invalid_client_metadata", read.fault);
    const { network } = originOf(c);
    if (!(await mayRegister(context, network))) {
      c.header("Retry-After", "3600");
      return refuse(c, "temporarily_unavailable", "Too many clients are registered that nobody uses.", 429);
    }
    const answer = await ask(c, { contentType: "application/json", body: JSON.stringify(read.metadata) });
    if (answer.status === 201) await noteNetwork(context, JSON.parse(answer.body).client_id, network);
    return answer.response();
  });

  for (const path of [oauthPaths.token, oauthPaths.revocation]) {
    app.post(path, async (c) => {
      const body = await c.req.text();
      if (body.length > largestForm) return refuse(c, "invalid_request", "The body is too large.");
      const answer = await ask(c, { contentType: c.req.header("content-type"), body });
      return answer.response();
    });
  }

  addConsent(app, context, load);
}

/** Passes a redirect on, and shows any fault to the person, whose browser sent the request. */
async function passOn(c: RequestContext, answer: Awaited<ReturnType<typeof askProvider>>) {
  if (answer.status < 400) return answer.response();
  const { error, error_description: reason } = parse(answer.body) as Record<string, unknown>;
  return showFault(c, String(reason ?? error));
}

const refuse = (c: RequestContext, error: string, reason: string, status: 400 | 429 = 400) =>
  c.json({ error, error_description: reason }, status);

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return {};
  }
}

/** The metadata of RFC 8414. The provider's own describes ID tokens and response modes that are not offered. */
function describe(own: Record<string, unknown>) {
  const names = [
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "registration_endpoint",
    "revocation_endpoint",
    "response_types_supported",
    "grant_types_supported",
    "code_challenge_methods_supported",
    "token_endpoint_auth_methods_supported",
    "authorization_response_iss_parameter_supported",
    "client_id_metadata_document_supported",
  ];
  return {
    ...Object.fromEntries(names.map((name) => [name, own[name]])),
    scopes_supported: [...mcpScopes, "offline_access"],
    response_modes_supported: ["query"],
    revocation_endpoint_auth_methods_supported: own.token_endpoint_auth_methods_supported,
  };
}
