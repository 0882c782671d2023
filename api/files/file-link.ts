import { z } from "@hono/zod-openapi";
import { shownUrl, timeField } from "../http/fields.ts";

export const linkSchema = z
  .object({ url: shownUrl, expires_at: timeField })
  .openapi("FileLink", { description: "A download that needs no token. Do not publish it." });

export type Link = { url: string; expiresAt: Date };

/** Makes short-lived links to the bytes of files. */
export type Downloads = {
  link(caller: { accountId: string }, id: string): Promise<Link>;
  /** Links a reported file for an operator. The download checks again that the file is one, and who asks. */
  linkForOperator(operatorAccountId: string, id: string): Promise<Link>;
};
