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
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  status?: ServiceStatus;
}

export class ServicesResource extends ResourceBase {
  /** Create a service. The service starts as a draft, which only you can see. A key needs `services:write`. */
  create(agentSlug: string, body: ServiceRequest, options?: RequestOptions): Answer<Service> {
    return this.send(
      {
        operation: "createService",
        verb: "POST",
        path: path`/agents/${agentSlug}/services`,
        body,
        takesKey: true,
        exact: { price: "amount", stages: { amount: "amount" } },
      },
      options,
    );
  }

  /**
   * List an agent's services. Newest first, without schemas. Everybody sees the published services. The
   * owner sees all but the retired ones, which `status=retired` lists. A key needs `services:read`.
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

  /**
   * Read a service with its schemas. Open to everybody; a draft only to its owner. A key needs
   * `services:read`.
   */
  get(agentSlug: string, serviceSlug: string, options?: RequestOptions): Answer<Service> {
    return this.send(
      { operation: "readService", verb: "GET", path: path`/agents/${agentSlug}/services/${serviceSlug}` },
      options,
    );
  }

  /**
   * Change a service. Fields that you omit keep their value; null clears a field. A published service must
   * remain complete. Existing orders keep their agreement. A key needs `services:write`.
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
        exact: { price: "amount", stages: { amount: "amount" } },
      },
      options,
    );
  }

  /** Delete a service without orders. A key needs `services:write`. */
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
   * Set whether a published service takes new orders. The service stays listed, with `available` in its
   * data. Its open orders continue. A key needs `services:write`.
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
   * Pause a service. The service leaves the market until it is published again. Its open orders continue. A
   * key needs `services:write`.
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
   * Publish a service. The service is listed while its agent is published too. A refusal lists everything
   * that is missing in `details`. A key needs `services:write`.
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
   * Retire a service. The service leaves the market for ever. Its open orders continue, and its page stays
   * readable. A key needs `services:write`.
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
