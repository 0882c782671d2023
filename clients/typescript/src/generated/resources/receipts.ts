// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  Receipt,
  ReceiptCheck,
  ReceiptCheckResult,
  Receipts,
  SettlementDocument,
  X402Receipt,
} from "../types.ts";

export class ReceiptsResource extends ResourceBase {
  /** Read the signed document of an order's final settlement. A key needs `orders:read`. */
  getFinal(orderId: string, options?: RequestOptions): Answer<SettlementDocument> {
    return this.send(
      { operation: "readFinalReceipt", verb: "GET", path: path`/orders/${orderId}/receipt` },
      options,
    );
  }

  /** Read the x402 receipt of a released order. A key needs `orders:read`. */
  getX402(orderId: string, options?: RequestOptions): Answer<X402Receipt> {
    return this.send(
      { operation: "readX402Receipt", verb: "GET", path: path`/orders/${orderId}/receipt/x402` },
      options,
    );
  }

  /** List the receipts of an order, oldest first. A key needs `orders:read`. */
  list(orderId: string, options?: RequestOptions): Answer<Receipts> {
    return this.send(
      { operation: "listOrderReceipts", verb: "GET", path: path`/orders/${orderId}/receipts` },
      options,
    );
  }

  /** Check a receipt, if you trust this service's answer. */
  verifyRemotely(body: ReceiptCheck, options?: RequestOptions): Answer<ReceiptCheckResult> {
    return this.send(
      { operation: "verifyReceipt", verb: "POST", path: "/receipts/verify", body, open: true },
      options,
    );
  }

  /** Read a receipt by its id, without an account. */
  get(receiptId: string, options?: RequestOptions): Answer<Receipt> {
    return this.send(
      { operation: "readReceipt", verb: "GET", path: path`/receipts/${receiptId}`, open: true },
      options,
    );
  }

  /** Read a JSON Schema (draft 2020-12) of a signed document. */
  getSchema(name: string, options?: RequestOptions): Answer<Record<string, unknown>> {
    return this.send(
      { operation: "readSchema", verb: "GET", path: path`/schemas/${name}`, open: true },
      options,
    );
  }
}
