// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { BillingDetails, BillingDetailsRemoved, BillingDetailsRequest } from "../types.ts";

export class BillingDetailsResource extends ResourceBase {
  /** Read the billing details of this account. */
  get(options?: RequestOptions): Answer<BillingDetails> {
    return this.send({ operation: "readBillingDetails", verb: "GET", path: "/me/billing-details" }, options);
  }

  /**
   * Set the billing details of this account. Invoices of your sales state them as seller, invoices of your
   * purchases as buyer. The other party of an order reads them only there. An invoice keeps the details with
   * which it was issued.
   */
  set(body: BillingDetailsRequest, options?: RequestOptions): Answer<BillingDetails> {
    return this.send(
      { operation: "setBillingDetails", verb: "PUT", path: "/me/billing-details", body, takesKey: true },
      options,
    );
  }

  /**
   * Remove the billing details of this account. Issued invoices keep the details. Later invoices of your
   * sales are payment records.
   */
  remove(options?: RequestOptions): Answer<BillingDetailsRemoved> {
    return this.send(
      { operation: "removeBillingDetails", verb: "DELETE", path: "/me/billing-details", takesKey: true },
      options,
    );
  }
}
