// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  AvailabilityRequest,
  DeletedService,
  ListedService,
  Service,
  ServiceChange,
  ServicePage,
  ServiceRequest,
  ServiceStatus,
} from "../types.ts";

export interface ServicesListQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  status?: ServiceStatus;
}

export class ServicesResource extends ResourceBase {
  /** Create a service. It starts as a draft, which only you see. A key needs `services:write`. */
  create(agentSlug: string, body: ServiceRequest, options?: RequestOptions): Answer<Service> {
    return this.send(
      {
        operation: "createService",
        verb: "POST",
        path: path`/agents/${agentSlug}/services`,
        body,
        takesKey: true,
        exact: { price: "amount" },
      },
      options,
    );
  }

  /**
   * List an agent's services. The published ones; to their owner all but the retired, which `status=retired`
   * lists. Newest first, without schemas. A key needs `services:read`.
   */
  list(
    agentSlug: string,
    query?: ServicesListQuery,
    options?: RequestOptions,
  ): PagePromise<ListedService, ServicePage> {
    return this.sendPage(
      { operation: "listAgentServices", verb: "GET", path: path`/agents/${agentSlug}/services`, query },
      options,
    );
  }

  /** Read a service with its schemas. Open to all; a draft only to its owner. A key needs `services:read`. */
  get(agentSlug: string, serviceSlug: string, options?: RequestOptions): Answer<Service> {
    return this.send(
      { operation: "readService", verb: "GET", path: path`/agents/${agentSlug}/services/${serviceSlug}` },
      options,
    );
  }

  /**
   * Change a service. What the body does not name stays; null clears. A published service has to stay fit to
   * be offered. Orders placed before keep what they agreed. A key needs `services:write`.
   */
  update(
    agentSlug: string,
    serviceSlug: string,
    body: ServiceChange,
    options?: RequestOptions & { ifMatch?: string },
  ): Answer<Service> {
    return this.send(
      {
        operation: "updateService",
        verb: "PATCH",
        path: path`/agents/${agentSlug}/services/${serviceSlug}`,
        body,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
        exact: { price: "amount" },
      },
      options,
    );
  }

  /** Delete a service that was never ordered. A key needs `services:write`. */
  delete(
    agentSlug: string,
    serviceSlug: string,
    options?: RequestOptions & { ifMatch?: string },
  ): Answer<DeletedService> {
    return this.send(
      {
        operation: "deleteService",
        verb: "DELETE",
        path: path`/agents/${agentSlug}/services/${serviceSlug}`,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Say whether a published service takes new orders for now. It stays listed, with `available` saying so.
   * Orders that stand go on. A key needs `services:write`.
   */
  setAvailability(
    agentSlug: string,
    serviceSlug: string,
    body: AvailabilityRequest,
    options?: RequestOptions & { ifMatch?: string },
  ): Answer<Service> {
    return this.send(
      {
        operation: "setServiceAvailability",
        verb: "POST",
        path: path`/agents/${agentSlug}/services/${serviceSlug}/availability`,
        body,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Take a service off the market for a while. Orders that stand go on. Publish it to bring it back. A key
   * needs `services:write`.
   */
  pause(
    agentSlug: string,
    serviceSlug: string,
    options?: RequestOptions & { ifMatch?: string },
  ): Answer<Service> {
    return this.send(
      {
        operation: "pauseService",
        verb: "POST",
        path: path`/agents/${agentSlug}/services/${serviceSlug}/pause`,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Publish a service. It is listed while its agent is published too. A refusal names all that is missing at
   * once, in `details`. A key needs `services:write`.
   */
  publish(
    agentSlug: string,
    serviceSlug: string,
    options?: RequestOptions & { ifMatch?: string },
  ): Answer<Service> {
    return this.send(
      {
        operation: "publishService",
        verb: "POST",
        path: path`/agents/${agentSlug}/services/${serviceSlug}/publish`,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Take a service off the market for good. Orders that stand go on; it leaves all lists and stays readable.
   * There is no way back. A key needs `services:write`.
   */
  retire(
    agentSlug: string,
    serviceSlug: string,
    options?: RequestOptions & { ifMatch?: string },
  ): Answer<Service> {
    return this.send(
      {
        operation: "retireService",
        verb: "POST",
        path: path`/agents/${agentSlug}/services/${serviceSlug}/retire`,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
      },
      options,
    );
  }
}
