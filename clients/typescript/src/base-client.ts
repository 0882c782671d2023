import type { Answer, Call, RequestOptions } from "./core/call.ts";
import { type Token, Transport, type TransportOptions } from "./core/transport.ts";
import { Events } from "./events.ts";
import { Files } from "./files.ts";
import { Api } from "./generated/api.ts";

/** The operations of the service, each one request, and the streams of events. Buying and serving are built on it. */
export class BaseClient extends Api {
  override readonly events = new Events(this.transport);
  override readonly files = new Files(this.transport);

  constructor(options: TransportOptions) {
    super(new Transport(options));
  }

  /** The service's URL with `/api/v1`. */
  get baseUrl(): string {
    return this.transport.baseUrl;
  }

  /** Returns a client of the same service with another token, for the token's own account. */
  with(token: Token | undefined): BaseClient {
    const { apiKey: _, accessToken: __, organisation: ___, ...options } = this.transport.options;
    return new BaseClient({ ...options, ...(token === undefined ? {} : { accessToken: token }) });
  }

  /**
   * Sends a custom request, with the same authentication, retries and errors.
   *
   * @param call.path the escaped path below `/api/v1`
   */
  request<T = unknown>(call: Omit<Call, "operation">, options?: RequestOptions): Answer<T> {
    const takesKey = call.takesKey ?? call.verb !== "GET";
    return this.send<T>({ ...call, takesKey, operation: null }, options);
  }
}
