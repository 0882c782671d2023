import type { Answer, Call, RequestOptions } from "./core/call.ts";
import { Transport, type TransportOptions } from "./core/transport.ts";
import { Events } from "./events.ts";
import { Api } from "./generated/api.ts";

/** The operations of the service, each one request, and the streams of events. Buying and serving are built on it. */
export class BaseClient extends Api {
  override readonly events = new Events(this.transport);

  constructor(options: TransportOptions) {
    super(new Transport(options));
  }

  /** Where the service is, with `/api/v1`. */
  get baseUrl(): string {
    return this.transport.baseUrl;
  }

  /**
   * Sends a request that no method of this client makes, with the same authentication, retries and errors.
   *
   * @param call.path below `/api/v1`, escaped
   */
  request<T = unknown>(call: Omit<Call, "operation">, options?: RequestOptions): Answer<T> {
    const takesKey = call.takesKey ?? call.verb !== "GET";
    return this.send<T>({ ...call, takesKey, operation: null }, options);
  }
}
