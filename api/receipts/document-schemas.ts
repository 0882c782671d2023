import { createRoute, z } from "@hono/zod-openapi";
import { etag } from "hono/etag";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { jsonSchemaOf, type SchemaName, schemaNames } from "../../receipts/schema.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { jsonObjectField } from "../http/fields.ts";
import type { App } from "../variables.ts";

const params = z.object({
  name: z.string().openapi({
    pattern: "^[a-z-]+-[0-9]+\\.json$",
    maxLength: 100,
    example: "settlement-document-2.json" satisfies SchemaName,
  }),
});

/** Adds the route of the JSON Schemas of signed documents, which the documents name in `$schema`. */
export function addReceiptSchemas(app: App, context: Context): void {
  const address = `${context.config.publicUrl}${apiPath}/schemas`;

  app.use("/schemas/*", etag());
  app.openapi(
    createRoute({
      method: "get",
      path: "/schemas/{name}",
      operationId: "readSchema",
      tags: ["receipts"],
      summary: "Read a JSON Schema (draft 2020-12) of a signed document",
      request: { params: params },
      responses: {
        200: {
          description:
            "The schema. The schema of a version does not change its meaning, because signed documents refer to it.",
          content: { "application/schema+json": { schema: jsonObjectField } },
        },
      },
    }),
    (c) => {
      const { name } = c.req.valid("param");
      const known = schemaNames.find((item) => item === name);
      if (known === undefined) throw new ApiError("not_found", "There is no schema with this name.");
      const { $schema, ...schema } = jsonSchemaOf(known);
      return c.json({ $schema, $id: `${address}/${name}`, ...schema }, 200, {
        "Content-Type": "application/schema+json",
        "Cache-Control": "public, max-age=86400",
        "Access-Control-Allow-Origin": "*",
      });
    },
  );
}
