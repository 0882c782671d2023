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

  /** The service's URL with `/api/v1`. */
  get baseUrl(): string {
    return this.transport.baseUrl;
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
