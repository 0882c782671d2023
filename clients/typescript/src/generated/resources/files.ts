// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { DeletedFile, FileLink, NewFileRequest, StoredFile, StoredFilePage } from "../types.ts";

export interface FilesListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
}

export class FilesResource extends ResourceBase {
  /**
   * Begin the upload of a file. Send the bytes to `upload_url` by the tus protocol 1.0, in requests of at
   * most 64 MiB. A broken upload resumes where it stopped. The file counts against your quota from now on. A
   * key needs `orders:write`.
   */
  create(body: NewFileRequest, options?: RequestOptions): Answer<StoredFile> {
    return this.send(
      { operation: "createFile", verb: "POST", path: "/files", body, takesKey: true },
      options,
    );
  }

  /** List your files, newest first. A key needs `orders:read`. */
  list(query?: FilesListQuery, options?: RequestOptions): PagePromise<StoredFile, StoredFilePage> {
    return this.sendPage({ operation: "listFiles", verb: "GET", path: "/files", query }, options);
  }

  /**
   * Read a file's name, size, hash and type. For its uploader, the parties of an order that names the file,
   * and the arbiter of such an order's dispute. A key needs `orders:read`.
   */
  get(fileId: string, options?: RequestOptions): Answer<StoredFile> {
    return this.send({ operation: "readFile", verb: "GET", path: path`/files/${fileId}` }, options);
  }

  /** Delete an unused file, or an upload. A key needs `orders:write`. */
  delete(fileId: string, options?: RequestOptions): Answer<DeletedFile> {
    return this.send(
      { operation: "deleteFile", verb: "DELETE", path: path`/files/${fileId}`, takesKey: true },
      options,
    );
  }

  /**
   * Make a short-lived link to a file's bytes. The link needs no token and works for a few minutes. The
   * browser saves the file and never shows it. A key needs `orders:read`.
   */
  createLink(fileId: string, options?: RequestOptions): Answer<FileLink> {
    return this.send(
      { operation: "createFileLink", verb: "POST", path: path`/files/${fileId}/link`, takesKey: true },
      options,
    );
  }
}
