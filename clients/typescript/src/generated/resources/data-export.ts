// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { DataExport } from "../types.ts";

export class DataExportResource extends ResourceBase {
  /**
   * Download the newest export of your data. A zip file with one JSON file for each kind of data. Only a
   * session of the account gets it.
   */
  download(options?: RequestOptions): Answer<Uint8Array> {
    return this.send(
      {
        operation: "downloadDataExport",
        verb: "GET",
        path: "/exports/account.zip",
        root: true,
        accept: "application/zip",
        file: true,
      },
      options,
    );
  }

  /**
   * Request an export of all data of your account. A worker makes the file, once a day for an account. It is
   * stored for 3 days.
   */
  request(options?: RequestOptions): Answer<DataExport> {
    return this.send(
      { operation: "requestDataExport", verb: "POST", path: "/me/export", takesKey: true },
      options,
    );
  }

  /** Read the state of the newest export of your data. */
  get(options?: RequestOptions): Answer<DataExport> {
    return this.send({ operation: "readDataExport", verb: "GET", path: "/me/export" }, options);
  }
}
