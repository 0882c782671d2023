import { createRoute, z } from "@hono/zod-openapi";
import { availabilityColumns, serviceStatusColumns } from "../../trade/services/service-publication.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import type { Violation } from "../http/api-error.ts";
import type { Caller } from "../http/caller.ts";
import { ifMatchHeader, setTag } from "../http/etag.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import {
  changeOwnService,
  presentService,
  readVisibleService,
  serviceParams,
  serviceSchema,
} from "./service.ts";
import { schemaViolations } from "./service-fields.ts";

const moves = [
  {
    action: "publish",
    operationId: "publishService",
    summary: "Publish a service",
    description:
      "The service is listed while its agent is published too. A refusal lists everything that is missing in `details`.",
    to: "published",
  },
  {
    action: "pause",
    operationId: "pauseService",
    summary: "Pause a service",
    description: "The service leaves the market until it is published again. Its open orders continue.",
    to: "paused",
  },
  {
    action: "retire",
    operationId: "retireService",
    summary: "Retire a service",
    description:
      "The service leaves the market for ever. Its open orders continue, and its page stays readable.",
    to: "retired",
  },
] as const;

/** Adds the routes of a service's status (published, paused, retired) and of its availability. */
export function addServiceStatus(app: App, context: Context): void {
  for (const { action, to, ...about } of moves) {
    app.openapi(
      createRoute({
        method: "post",
        path: `/agents/{slug}/services/{svc}/${action}`,
        tags: ["services"],
        ...about,
        ...accessRule(context, "services:write"),
        request: { params: serviceParams, headers: ifMatchHeader },
        responses: {
          200: jsonResponse("The changed service", serviceSchema),
          ...errorResponses(
            "invalid_state",
            "precondition_failed",
            ...(to === "published"
              ? (["agent_not_published", "service_incomplete", "invalid_schema", "checker_busy"] as const)
              : []),
          ),
        },
      }),
      async (c) => {
        const caller = callerOf(c);
        const params = c.req.valid("param");
        const moved = await changeOwnService(context, caller, params, c.req.header("if-match"), {
          columnsOf: (row) => serviceStatusColumns(row, to),
          schemaFaults: to === "published" ? await findSchemaFaults(context, caller, params) : [],
        });
        const shown = presentService(moved, context.config, caller);
        setTag(c, moved.service.version, shown);
        return c.json(shown, 200);
      },
    );
  }

  app.openapi(
    createRoute({
      method: "post",
      path: "/agents/{slug}/services/{svc}/availability",
      operationId: "setServiceAvailability",
      tags: ["services"],
      summary: "Set whether a published service takes new orders",
      description: "The service stays listed, with `available` in its data. Its open orders continue.",
      ...accessRule(context, "services:write"),
      request: {
        params: serviceParams,
        headers: ifMatchHeader,
        body: jsonBody(z.strictObject({ available: z.boolean() }).openapi("AvailabilityRequest")),
      },
      responses: {
        200: jsonResponse("The changed service", serviceSchema),
        ...errorResponses("invalid_state", "precondition_failed"),
      },
    }),
    async (c) => {
      const { available } = c.req.valid("json");
      const params = c.req.valid("param");
      const changed = await changeOwnService(context, callerOf(c), params, c.req.header("if-match"), {
        columnsOf: (row) => availabilityColumns(row, available),
      });
      const shown = presentService(changed, context.config, callerOf(c));
      setTag(c, changed.service.version, shown);
      return c.json(shown, 200);
    },
  );
}

/** Finds faults of stored schemas, which may have been written under wider limits. */
async function findSchemaFaults(
  context: Context,
  caller: Caller,
  params: z.output<typeof serviceParams>,
): Promise<Violation[]> {
  const { service: result, schemas } = await readVisibleService(context.db, params, caller);
  if (result.status === "published") return [];
  const { inputSchema: input_schema, outputSchema: output_schema } = schemas;
  return schemaViolations(context, caller, { input_schema, output_schema });
}
