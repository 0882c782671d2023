import { Answer, type Call, type RequestOptions } from "./call.ts";
import { Page, PagePromise } from "./page.ts";
import { readJson, type Transport } from "./transport.ts";

/** What the generated classes share: how their calls are sent. */
export abstract class ResourceBase {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  protected send<T>(call: Call, options?: RequestOptions): Answer<T> {
    return new Answer(this.transport.send(call, options), (response) => readJson(response) as T);
  }

  protected sendPage<Item, Body>(call: Call, options?: RequestOptions): PagePromise<Item, Body> {
    const ask = (cursor: string) => {
      // A cursor says where to go on: an offset beside it is refused.
      const query = { ...call.query, offset: undefined, cursor };
      return this.sendPage<Item, Body>({ ...call, query }, options);
    };
    return new PagePromise(
      this.transport.send(call, options),
      (response) => new Page<Item, Body>(response, readJson(response) as Body, ask),
    );
  }
}
