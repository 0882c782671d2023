import { createRoute, z } from "@hono/zod-openapi";
import { readWebhookKey } from "../../config/keys/webhook-key.ts";
import { languageCodes } from "../../console/src/text/catalogues.ts";
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
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { lockActing } from "../organisations/membership.ts";
import type { App } from "../variables.ts";

const modeField = z.enum(["at_once", "digest"]).openapi("MailMode", {
  description:
    "`at_once`: within minutes, with several events in one message if there are many; `digest`: once a day",
});

const languageField = z
  .enum(languageCodes)
  .openapi("MailLanguage", { description: "the language of the mails", example: "de" });

const eventsField = z
  .array(z.enum(["*", ...(Object.keys(eventTypes) as EventType[])]).openapi("MailEventChoice"))
  .min(1)
  .max(Object.keys(eventTypes).length + 1)
  .transform((types) => (types.includes("*") ? ["*"] : [...new Set(types)]))
  .openapi({ example: ["order.funded", "order.disputed"], description: "event types, or `*` for all" });

const addressField = z
  .string()
  .max(longestMailAddress)
  .regex(mailAddressPattern, "must be a plain mail address, as in name@example.org")
  .openapi({ format: "email", example: "owner@example.org" });

const requestSchema = z
  .strictObject({
    address: addressField,
    events: eventsField,
    mode: modeField.default("at_once"),
    language: languageField.default("en"),
  })
  .openapi("MailRequest");

const settingSchema = z
  .object({
    address: z.string().openapi({ example: "owner@example.org" }),
    events: z.array(z.string()),
    mode: modeField,
    language: languageField,
    status: z.enum(["unverified", "active", "unsubscribed", "rejected"]).openapi("MailStatus").openapi({
      description:
        "`active`: mail is sent; `unverified`: not confirmed yet; `unsubscribed`: ended by the link in a message; `rejected`: the mail server reported that the address does not exist",
    }),
    verified_at: orNull(timeField),
    updated_at: timeField,
  })
  .openapi("MailSetting");

/** Adds the routes of mail about an account's events. */
export function addMailSettings(app: App, context: Context): void {
  const { db, config } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/me/email",
      operationId: "readMail",
      tags: ["identity"],
      summary: "Read the mail setting of this account",
      ...accessRule(context, "session"),
      responses: {
        200: jsonResponse("The setting", settingSchema),
        ...errorResponses("not_found", "email_unavailable"),
      },
    }),
    async (c) => {
      requireMail();
      const row = await readMailSetting(db, callerOf(c).accountId);
      if (!row)
        throw new ApiError("not_found", "This account has no mail address. Set one with PUT /me/email.");
      return c.json(present(row), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "put",
      path: "/me/email",
      operationId: "setMail",
      tags: ["identity"],
      summary: "Set the mail address and events of this account",
      description:
        "A new address gets one message with a link, which is valid for one use within a day. No other mail is sent until the address is confirmed. Send the same address again to get another link. At most five links a day are sent for an account, and three to an address.",
      ...accessRule(context, "session"),
      request: { body: jsonBody(requestSchema) },
      responses: { 200: jsonResponse("The setting", settingSchema), ...errorResponses("email_unavailable") },
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
      summary: "Confirm a mail address by the token of its message",
      description: "The page that the message links to does the same without a session.",
      ...accessRule(context, "session"),
      request: {
        body: jsonBody(
          z
            .strictObject({
              token: z.string().max(200).openapi({ description: "the part of the link after `token=`" }),
            })
            .openapi("MailVerification"),
        ),
      },
      responses: { 200: jsonResponse("The setting", settingSchema), ...errorResponses("email_unavailable") },
    }),
    async (c) => {
      requireMail();
      const key = readWebhookKey(config);
      const { token } = c.req.valid("json");
      // A token of another account's mail does nothing here.
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
      summary: "Remove the mail address",
      ...accessRule(context, "session"),
      responses: {
        200: jsonResponse(
          "The address is removed",
          z.object({ removed: z.literal(true) }).openapi("MailRemoved"),
        ),
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
      "This installation sends no mail. Its operator can set SMTP_URL and MAIL_FROM.",
    );
  }
}

function present(row: MailSetting): z.output<typeof settingSchema> {
  return {
    address: row.address,
    events: row.events,
    mode: row.mode,
    language: row.language,
    status: row.stoppedReason ?? (row.verifiedAt ? "active" : "unverified"),
    verified_at: row.verifiedAt?.toISOString() ?? null,
    updated_at: row.updatedAt.toISOString(),
  };
}
