import { createHash, randomBytes } from "node:crypto";
import type {
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { App } from "../../../api/variables.ts";
import type { Session } from "../api.ts";

const callback = "http://localhost:6274/callback";

/** The state of an official client that connects by OAuth. The test opens the authorization URL itself. */
export type OauthState = OAuthClientProvider & { authorizationUrl?: URL; saved?: StoredOAuthTokens };

export function createOauthState(redirectUrl = callback): OauthState {
  let registered: StoredOAuthClientInformation | undefined;
  let verifier = "";
  const state: OauthState = {
    redirectUrl,
    clientMetadata: { client_name: "An assistant", redirect_uris: [redirectUrl] },
    clientInformation: () => registered,
    saveClientInformation: (information) => {
      registered = information;
    },
    tokens: () => state.saved,
    saveTokens: (tokens) => {
      state.saved = tokens;
    },
    redirectToAuthorization: (url) => {
      state.authorizationUrl = url;
    },
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
  };
  return state;
}

/** A browser: it follows redirects of the service, and sends cookies at their paths. */
export class Browser {
  readonly #app: App;
  readonly #cookies = new Map<string, { value: string; path: string }>();

  constructor(app: App) {
    this.#app = app;
  }

  async request(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const { pathname, search } = new URL(url, "http://localhost:42069");
    const cookie = [...this.#cookies]
      .filter(([, { path }]) => path === "/" || pathname === path || pathname.startsWith(`${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join("; ");
    const headers = new Headers(init.headers);
    if (cookie !== "") headers.set("cookie", cookie);
    const answer = await this.#app.request(`${pathname}${search}`, { ...init, headers });
    for (const text of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      const path = /; path=([^;]+)/i.exec(text)?.[1] ?? "/";
      this.#cookies.set(name, { value, path });
    }
    return answer;
  }

  /** Opens an authorization URL. Returns the path of the consent page. */
  async open(url: URL): Promise<string> {
    const answer = await this.request(url);
    const location = answer.headers.get("location");
    if (answer.status !== 303 || location === null)
      throw new Error(`${answer.status} ${await answer.text()}`);
    return new URL(location).pathname;
  }

  /** Sends a decision as the console does. */
  async decide(page: string, who: Session, decision: object) {
    const answer = await this.request(`${page}/decision`, {
      method: "POST",
      headers: { authorization: `Bearer ${who.token}`, "content-type": "application/json" },
      body: JSON.stringify(decision),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests assert on bodies whose shape is what they test
    return { status: answer.status, body: (await answer.json()) as any };
  }

  /** Follows the answer of a decision to the program's redirect URI. */
  async finish(url: string): Promise<URL> {
    const answer = await this.request(url);
    const location = answer.headers.get("location");
    if (location === null) throw new Error(`${answer.status} ${await answer.text()}`);
    return new URL(location);
  }
}

/** Sends a form, as programs do to the token endpoint. */
export async function postForm(app: App, path: string, fields: Record<string, string>) {
  const answer = await app.request(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
  const text = await answer.text();
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on bodies whose shape is what they test
  return { status: answer.status, body: (text === "" ? {} : JSON.parse(text)) as any };
}

/** Registers a program. */
export async function register(app: App, metadata: object) {
  const answer = await app.request("/oauth/register", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(metadata),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on bodies whose shape is what they test
  return { status: answer.status, body: (await answer.json()) as any };
}

/** A request for authorization, with the verifier of its challenge. */
export function authorizationOf(clientId: string, changes: Record<string, string> = {}) {
  const verifier = randomBytes(32).toString("base64url");
  const url = new URL("http://localhost:42069/oauth/authorize");
  url.search = new URLSearchParams({
    client_id: clientId,
    response_type: "code",
    redirect_uri: callback,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    state: "a-state",
    ...changes,
  }).toString();
  return { url, verifier, redirectUri: callback };
}
