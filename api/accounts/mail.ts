import { createRoute, z } from "@hono/zod-openapi";
import { readWebhookKey } from "../../config/keys/webhook-key.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type EventType, eventTypes } from "../../protocol/settlement/vocabulary.ts";
import { longestMailAddress, mailAddressPattern } from "../../trade/mail/mail-address.ts";
import {
  type MailSetting,
  readMailSetting,
  removeMail,
  setMail,
  verifyMail,
} from "../../trade/mail/mail-settings.ts";
import { accountOfToken } from "../../trade/mail/mail-tokens.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { orNull, timeField } from "../http/fields.ts";
import { answer, guarded, jsonBody, refusals } from "../http/openapi.ts";
import { lockActing } from "../organisations/membership.ts";
import type { App } from "../variables.ts";

const modeField = z.enum(["at_once", "digest"]).openapi("MailMode", {
  description:
    "`at_once`: within minutes, several events in one message where much happens; `digest`: once a day",
});

const eventsField = z
  .array(z.enum(["*", ...(Object.keys(eventTypes) as EventType[])]).openapi("MailEventChoice"))
  .min(1)
  .max(Object.keys(eventTypes).length + 1)
  .transform((types) => (types.includes("*") ? ["*"] : [...new Set(types)]))
  .openapi({ example: ["order.funded", "order.disputed"], description: "types, or `*` for all of them" });

const addressField = z
  .string()
  .max(longestMailAddress)
  .regex(mailAddressPattern, "must be an address in its plain form")
  .openapi({ format: "email", example: "owner@example.org" });

const requestSchema = z
  .strictObject({ address: addressField, events: eventsField, mode: modeField.default("at_once") })
  .openapi("MailRequest");

const settingSchema = z
  .object({
    address: z.string().openapi({ example: "owner@example.org" }),
    events: z.array(z.string()),
    mode: modeField,
    status: z.enum(["unverified", "active", "unsubscribed", "rejected"]).openapi("MailStatus").openapi({
      description:
        "only `active` gets mail; `unsubscribed` by the link in a message; `rejected` where its server said that there is no such address",
    }),
    verified_at: orNull(timeField),
    updated_at: timeField,
  })
  .openapi("MailSetting");

/** Where an account wants mail of its events. */
export function addMail(app: App, context: Context): void {
  const { db, config } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/me/email",
      operationId: "readMail",
      tags: ["identity"],
      summary: "Read where this account gets mail of its events",
      ...guarded(context, "session"),
      responses: { 200: answer("The setting", settingSchema), ...refusals("not_found", "email_unavailable") },
    }),
    async (c) => {
      requireMail();
      const row = await readMailSetting(db, callerOf(c).accountId);
      if (!row) throw new ApiError("not_found", "This account has no address for mail: set one with PUT.");
      return c.json(present(row), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "put",
      path: "/me/email",
      operationId: "setMail",
      tags: ["identity"],
      summary: "Set where this account gets mail of its events, and of which",
      description:
        "A new address gets one message with a link that is good for a day and once. Until it is confirmed it gets nothing else. The same address may be sent again to get another link; five are sent of an account within a day, and three to an address.",
      ...guarded(context, "session"),
      request: { body: jsonBody(requestSchema) },
      responses: { 200: answer("The setting", settingSchema), ...refusals("email_unavailable") },
    }),
    async (c) => {
      requireMail();
      const caller = callerOf(c);
      const row = await inTransaction(db, async (tx) => {
        await lockActing(tx, caller, "session");
        const set = await setMail(tx, caller, c.req.valid("json"));
        const data = { events: set.events };
        await recordAudit(tx, c, { action: "email.set", target: caller.accountId, data });
        return set;
      });
      return c.json(present(row), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/me/email/verify",
      operationId: "verifyMail",
      tags: ["identity"],
      summary: "Confirm an address by the token of its message",
      description: "The page that the message links to does the same without a sign-in.",
      ...guarded(context, "session"),
      request: {
        body: jsonBody(
          z
            .strictObject({
              token: z.string().max(200).openapi({ description: "what follows `token=` in the link" }),
            })
            .openapi("MailVerification"),
        ),
      },
      responses: { 200: answer("The setting", settingSchema), ...refusals("email_unavailable") },
    }),
    async (c) => {
      requireMail();
      const key = readWebhookKey(config);
      const { token } = c.req.valid("json");
      // What one account's mail says is nothing to another's.
      const caller = callerOf(c);
      const own = accountOfToken(token) === caller.accountId ? token : "";
      const row = await inTransaction(db, async (tx) => {
        await lockActing(tx, caller, "session");
        return verifyMail(tx, key, own, caller.memberAccountId);
      });
      return c.json(present(row), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/me/email",
      operationId: "removeMail",
      tags: ["identity"],
      summary: "Forget the address: no more mail",
      ...guarded(context, "session"),
      responses: {
        200: answer("It is forgotten", z.object({ removed: z.literal(true) }).openapi("MailRemoved")),
      },
    }),
    async (c) => {
      const { accountId } = callerOf(c);
      await inTransaction(db, async (tx) => {
        await removeMail(tx, accountId);
        await recordAudit(tx, c, { action: "email.removed", target: accountId });
      });
      return c.json({ removed: true as const }, 200);
    },
  );

  function requireMail(): void {
    if (config.mail) return;
    throw new ApiError(
      "email_unavailable",
      "This installation sends no mail: its operator has set neither SMTP_URL nor MAIL_FROM.",
    );
  }
}

function present(row: MailSetting): z.output<typeof settingSchema> {
  return {
    address: row.address,
    events: row.events,
    mode: row.mode,
    status: row.stoppedReason ?? (row.verifiedAt ? "active" : "unverified"),
    verified_at: row.verifiedAt?.toISOString() ?? null,
    updated_at: row.updatedAt.toISOString(),
  };
}
