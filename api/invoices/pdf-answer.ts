import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { originOf } from "../http/client-address.ts";
import type { Variables } from "../variables.ts";
import type { PdfDocument } from "./pdf-document.ts";

const fileSchema = z.string().openapi({ format: "binary" });

/** The answer of a route that draws a document, for its `responses`. */
export function pdfAnswer(description: string) {
  return { description, content: { "application/pdf": { schema: fileSchema } } };
}

/**
 * Reads a document, draws it, and answers with its file.
 *
 * @throws ApiError `rate_limited` if too many documents wait
 */
export async function answerPdf(
  c: HonoContext<{ Variables: Variables }>,
  { printer }: Context,
  read: () => Promise<{ name: string; document: PdfDocument }>,
): Promise<Response> {
  const { accountId } = callerOf(c);
  const { name, file } = await printer.print({ accountId, ...originOf(c) }, read);
  return c.body(file, 200, {
    "Content-Type": "application/pdf",
    "Content-Disposition": `attachment; filename="${name}"`,
  });
}
