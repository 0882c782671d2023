/** What the API answered where it should have said yes. */
class RefusedError extends Error {
  override name = "RefusedError";
}

// biome-ignore lint/suspicious/noExplicitAny: the sample reads answers as a first caller would, by their documented names
type Json = any;

/** Asks the API as one caller. */
export type Client = {
  get(path: string): Promise<Json>;
  send(method: "POST" | "PUT", path: string, body?: unknown): Promise<Json>;
};

/**
 * A client in thirty lines: the API needs no more.
 *
 * @param baseUrl of the service, without `/api/v1`
 * @param token a session's or a key's; none for what is public
 */
export function createClient(baseUrl: string, token?: string): Client {
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: Json = await response.json();
    if (response.ok) return answer;
    throw new RefusedError(
      `${method} ${path} was answered ${response.status} ${JSON.stringify(answer.error ?? answer)}`,
    );
  };
  return {
    get: (path) => ask("GET", path),
    send: (method, path, body) => ask(method, path, body),
  };
}
