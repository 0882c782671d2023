import contentDisposition from "content-disposition";
import type { Context as HonoContext } from "hono";
import { readWebhookKey } from "../../config/keys/webhook-key.ts";
import { downloadsPath } from "../../protocol/settlement/vocabulary.ts";
import { type FileRow, readableFile, refuseUnknownFile } from "../../trade/files/file-access.ts";
import type { OpenStore } from "../../trade/files/open-store.ts";
import type { ByteRange } from "../../trade/files/store/file-store.ts";
import { isOperator } from "../../trade/moderation/operators.ts";
import { readReportedFile } from "../../trade/moderation/reported-file.ts";
import { Refusal } from "../../trade/refusal.ts";
import { isSameSeal, sealText } from "../../trade/text-seal.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import type { SendBytes } from "../http/byte-sender.ts";
import type { App, Variables } from "../variables.ts";
import type { Downloads, Link } from "./file-link.ts";

/** Seconds for which a link works. A download that began goes on. */
const linkSeconds = 300;

/** Before the account of a link that was made for an operator. */
const operatorPrefix = "operator ";

/**
 * Adds the route of the bytes behind a link, and returns the maker of links. A link names the account that it was made for,
 * and this account must still be allowed to read the file. Neither a token nor a cookie counts.
 */
export function addDownloads(
  root: App,
  context: Context,
  openStore: OpenStore,
  sendBytes: SendBytes,
): Downloads {
  const { db, config } = context;

  root.get(`${downloadsPath}/:id`, async (c) => {
    const id = c.req.param("id");
    const { account = "", expires = "", signature = "" } = c.req.query();
    if (!isSameSeal(signature, sign(id, account, expires)) || Number(expires) * 1000 < Date.now()) {
      throw new ApiError(
        "file_not_found",
        "This link is wrong or expired. Make a new one by POST /files/{id}/link.",
      );
    }
    const row = requireBytes(await readFor(account, id));
    return answerBytes(c, row, (range) =>
      sendBytes(c, {
        accountId: account.replace(operatorPrefix, ""),
        size: range.end - range.start + 1,
        ...range,
        open: async () => (await openStore()).read(id, range),
      }),
    );
  });

  return {
    link: ({ accountId }, id) => linkFor(accountId, id),
    linkForOperator: (operatorAccountId, id) => linkFor(`${operatorPrefix}${operatorAccountId}`, id),
  };

  /** Reads a file for the account of a link. */
  async function readFor(account: string, id: string): Promise<FileRow> {
    if (!account.startsWith(operatorPrefix)) return await readableFile(db, { accountId: account }, id);
    if (!(await isOperator(db, account.slice(operatorPrefix.length)))) throw refuseUnknownFile(id);
    return (await readReportedFile(db, id)).row;
  }

  async function linkFor(account: string, id: string): Promise<Link> {
    const row = requireBytes(await readFor(account, id));
    const expires = Math.floor(Date.now() / 1000) + linkSeconds;
    const expiresAt = new Date(expires * 1000);
    const store = await openStore();
    const signed = await store.sign(id, { disposition: dispositionOf(row), seconds: linkSeconds });
    if (signed) return { url: signed, expiresAt };
    const query = new URLSearchParams({
      account,
      expires: String(expires),
      signature: sign(id, account, String(expires)),
    });
    return { url: `${config.publicUrl}${downloadsPath}/${id}?${query}`, expiresAt };
  }

  function sign(id: string, account: string, expires: string): string {
    return sealText(readWebhookKey(config), "file links", JSON.stringify([id, account, expires]));
  }
}

/** @throws Refusal `file_erased`, or `invalid_state` for an upload that is not complete */
function requireBytes(row: FileRow): FileRow {
  if (row.erasedAt) {
    throw new Refusal("file_erased", `The bytes of this file were erased on ${row.erasedAt.toISOString()}.`);
  }
  if (!row.completedAt) throw new Refusal("invalid_state", "The upload of this file is not complete.");
  return row;
}

/** The header by RFC 6266: the browser saves the file under its name. */
function dispositionOf({ name }: FileRow): string {
  return contentDisposition(name, { type: "attachment" });
}

/** Answers the bytes of a file, or the one range that the request names. No browser runs them or shows them as a page. */
async function answerBytes(
  c: HonoContext<{ Variables: Variables }>,
  row: FileRow,
  send: (part: ByteRange & Pick<Parameters<SendBytes>[1], "status" | "headers">) => Promise<Response>,
): Promise<Response> {
  const range = readRange(c.req.header("range"), row.size);
  const headers = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, no-store",
    "Content-Disposition": dispositionOf(row),
    "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "Content-Type": "application/octet-stream",
    ETag: `"${row.sha256}"`,
  };
  if (range === "beyond") return c.body(null, 416, { ...headers, "Content-Range": `bytes */${row.size}` });
  const { start, end } = range ?? { start: 0, end: row.size - 1 };
  const part = range
    ? { status: 206 as const, headers: { ...headers, "Content-Range": `bytes ${start}-${end}/${row.size}` } }
    : { status: 200 as const, headers };
  return send({ start, end, ...part });
}

/** Reads the one range of a request; null for all bytes, as for several ranges or another unit (RFC 9110, section 14.2). */
function readRange(header: string | undefined, size: number): ByteRange | "beyond" | null {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Number(last);
    return length === 0 ? "beyond" : { start: Math.max(0, size - length), end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return null;
  return start >= size ? "beyond" : { start, end };
}
