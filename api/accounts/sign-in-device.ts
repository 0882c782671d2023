import { createRoute, z } from "@hono/zod-openapi";
import { inTransaction } from "../../db/transaction.ts";
import type { Context } from "../context.ts";
import { orNull, timeField } from "../http/fields.ts";
import { errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { requireConsole } from "../http/session-cookie.ts";
import type { App } from "../variables.ts";
import { startSession } from "./session.ts";
import { browserSessionSchema, giveSession } from "./session-browser.ts";
import { exampleLinkCode, userCodeField } from "./sign-in-code-fields.ts";
import { createCodeCounter } from "./sign-in-code-limits.ts";
import { createSignInRequest, pollSignInRequest } from "./sign-in-codes.ts";

const exampleDeviceCode = "Zk3vQ0m8yHn2s5Lr7uWb1cXe4dGj6tPa9iFoKqRzTxY";

const createdSchema = z
  .object({
    device_code: z
      .string()
      .openapi({ description: "for polls; the browser keeps it secret", example: exampleDeviceCode }),
    user_code: userCodeField,
    url: z.string().openapi({
      description:
        "the page to open on the other device, as a QR code. Its code is another than `user_code`, so that a link alone approves nothing from another network",
      example: `https://earnest.example/link?request=${exampleLinkCode}`,
    }),
    interval: z.int().openapi({ description: "seconds between two polls", example: 5 }),
    expires_at: timeField,
  })
  .openapi("DeviceSignIn");

const polledSchema = z
  .object({
    status: z.enum(["pending", "slow_down", "approved", "refused", "expired"]).openapi("DeviceSignInStatus", {
      description:
        "`pending`: not answered yet; `slow_down`: the poll came too early, and the interval is longer now; `approved`: `current` is the session, whose cookie comes with this answer alone",
    }),
    interval: z.int().openapi({ description: "seconds until the next poll" }),
    current: orNull(browserSessionSchema),
  })
  .openapi("DeviceSignInPoll");

/**
 * Adds the routes to sign in with the wallet of another device, in the manner of RFC 8628. A browser asks for codes and
 * shows one. The person opens it on the device with the wallet, which approves by a signature that names the code.
 */
export function addDeviceSignIn(app: App, context: Context): void {
  const { db, config } = context;
  const count = createCodeCounter(context);

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/device",
      operationId: "createDeviceSignIn",
      tags: ["identity"],
      summary: "Ask for a sign-in by another device",
      description:
        "For the console's pages, with the header `Earnest-Console`. The codes are valid for 10 minutes and for one session.",
      security: [],
      responses: {
        200: jsonResponse("The codes", createdSchema),
        ...errorResponses("forbidden_origin", "rate_limited"),
      },
    }),
    async (c) => {
      requireConsole(c);
      await count(c, "new");
      const { deviceCode, linkCode, userCode, expiresAt, interval } = await createSignInRequest(context, c);
      const created = {
        device_code: deviceCode,
        user_code: userCode,
        url: `${config.publicUrl}/link?request=${linkCode}`,
        interval,
        expires_at: expiresAt.toISOString(),
      };
      return c.json(created, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/device/session",
      operationId: "pollDeviceSignIn",
      tags: ["identity"],
      summary: "Ask whether the other device approved",
      description:
        "For the console's pages. Once the other device approved, the answer sets the session's cookie.",
      security: [],
      request: {
        body: jsonBody(
          z
            .strictObject({ device_code: z.string().max(100).openapi({ example: exampleDeviceCode }) })
            .openapi("DeviceCode"),
        ),
      },
      responses: {
        200: jsonResponse("The state of the sign-in", polledSchema),
        ...errorResponses("forbidden_origin", "conflict", "invalid_state"),
      },
    }),
    async (c) => {
      requireConsole(c);
      const { device_code } = c.req.valid("json");
      const { polled, started } = await inTransaction(db, async (tx) => {
        const polled = await pollSignInRequest(tx, device_code);
        if (polled.status !== "approved") return { polled, started: null };
        const { wallet, approvedFrom } = polled;
        const started = await startSession(tx, context, c, wallet, { holder: "browser", approvedFrom });
        return { polled, started };
      });
      const { status } = polled;
      if (!started) {
        return c.json({ status, interval: "interval" in polled ? polled.interval : 0, current: null }, 200);
      }
      return c.json({ status, interval: 0, current: giveSession(context, c, started) }, 200);
    },
  );
}
