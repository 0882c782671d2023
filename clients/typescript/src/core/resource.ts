import { Answer, type Call, type RequestOptions } from "./call.ts";
import { Page, PagePromise } from "./page.ts";
import { readJson } from "./response-body.ts";
import type { Transport } from "./transport.ts";

/** The base of the generated resource classes. It sends their calls. */
export abstract class ResourceBase {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  protected send<T>(call: Call, options?: RequestOptions): Answer<T> {
    return new Answer(this.transport.send(call, options), (response) => readJson(response) as T);
  }

  protected sendPage<Item, Body>(call: Call, options?: RequestOptions): PagePromise<Item, Body> {
    const readPage = (cursor: string) => {
      // The service refuses an offset beside a cursor.
      const query = { ...call.query, offset: undefined, cursor };
      return this.sendPage<Item, Body>({ ...call, query }, options);
    };
    return new PagePromise(
      this.transport.send(call, options),
      (response) => new Page<Item, Body>(response, readJson(response) as Body, readPage),
    );
  }
}
