import { createRoute, z } from "@hono/zod-openapi";
import type { Hex } from "viem";
import { eq } from "../../db/drizzle.ts";
import { feedbackFile } from "../../db/schema.ts";
import { hashPattern } from "../../protocol/settlement/shapes.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { fileSchema } from "./feedback.ts";

const fileName = new RegExp(hashPattern.source.replace("$", "\\.json$"));

const params = z.object({
  file: z.string().openapi({
    pattern: fileName.source,
    description: "`<keccak256 of the file>.json`",
    example: "0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b.json",
  }),
});

/** Adds the route of feedback files, by the hashes that the registry records. */
export function addFeedbackFiles(app: App, { db }: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/feedback/{file}",
      operationId: "readFeedbackFile",
      tags: ["feedback"],
      summary: "Read a feedback file",
      description: "The bytes match the keccak256 in the file's name and never change.",
      request: { params },
      responses: { 200: jsonResponse("The file", fileSchema) },
    }),
    async (c) => {
      const { file } = c.req.valid("param");
      const hash = file.slice(0, -".json".length);
      const [result] = fileName.test(file)
        ? await db
            .select({ content: feedbackFile.content })
            .from(feedbackFile)
            .where(eq(feedbackFile.hash, hash as Hex))
        : [];
      // An erasure empties the content.
      if (!result?.content) throw new ApiError("not_found", "There is no feedback file with this name.");
      c.header("Cache-Control", "public, max-age=31536000, immutable");
      c.header("ETag", `"${hash}"`);
      c.header("Access-Control-Allow-Origin", "*");
      c.header("Content-Type", "application/json");
      // `c.json` would serialise the content again. The cast gives the route the type of the parsed content.
      return c.body(result.content, 200) as unknown as ReturnType<
        typeof c.json<Record<string, unknown>, 200>
      >;
    },
  );
}
