import { createRoute, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { getAddress } from "viem";
import { inTransaction } from "../../db/transaction.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { originOf } from "../http/client-address.ts";
import { orNull, shownAddress, timeField } from "../http/fields.ts";
import { answer, jsonBody, refusals } from "../http/openapi.ts";
import { createRateLimitStore, shareLimit } from "../http/rate-limit-store.ts";
import { requireConsole } from "../http/session-cookie.ts";
import type { App, Variables } from "../variables.ts";
import { startSession } from "./session.ts";
import { browserSessionSchema, giveSession } from "./session-browser.ts";
import { deviceOf } from "./session-device.ts";
import {
  answerSignInRequest,
  createSignInRequest,
  findSignInRequest,
  pollSignInRequest,
  userCodePattern,
} from "./sign-in-codes.ts";
import { proveWallet, walletProof } from "./wallet-proof.ts";

/** The most new codes, and the most uses of codes, in 10 minutes: of one address (of IPv6, one /64) and in all. */
const codeLimits = { window: 600, address: 60, inAll: 20_000 } as const;

const exampleDeviceCode = "Zk3vQ0m8yHn2s5Lr7uWb1cXe4dGj6tPa9iFoKqRzTxY";

const userCodeField = z.string().regex(userCodePattern, "must be 8 letters, as in WDJB-MJHT").openapi({
  pattern: userCodePattern.source,
  description: "the code that the other device shows",
  example: "WDJB-MJHT",
});
const userCodeBody = z.strictObject({ user_code: userCodeField }).openapi("UserCode");

/** A wallet's proof for the device that shows a code. */
const deviceApproval = z
  .strictObject({ ...walletProof.shape, user_code: userCodeField })
  .openapi("DeviceApproval");

const createdSchema = z
  .object({
    device_code: z
      .string()
      .openapi({ description: "for polls; the browser keeps it secret", example: exampleDeviceCode }),
    user_code: userCodeField,
    url: z.string().openapi({
      description: "the page to open on the other device, as text or as a QR code",
      example: "https://earnest.example/link?code=WDJB-MJHT",
    }),
    interval: z.int().openapi({ description: "seconds between two polls", example: 5 }),
    expires_at: timeField,
  })
  .openapi("DeviceSignIn");

const requestSchema = z
  .object({
    user_code: userCodeField,
    device: orNull(z.string().openapi({ example: "Firefox on Windows" })).openapi({
      description: "the browser and system that asks, as it names itself; null if they are not known",
    }),
    network: orNull(z.string().openapi({ example: "203.0.113.0/24" })),
    is_same_network: z.boolean().openapi({ description: "whether this request comes from the same network" }),
    created_at: timeField,
    expires_at: timeField,
  })
  .openapi("DeviceSignInRequest");

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
 * shows one. The person opens it on the device with the wallet, which approves by the signature of a sign-in.
 */
export function addDeviceSignIn(app: App, context: Context): void {
  const { db, config } = context;
  const limits = createRateLimitStore(context);

  /** Counts a new code or a use of a code. These limits apply even if the operator turned rate limits off. */
  async function count(c: HonoContext<{ Variables: Variables }>, what: "new" | "used"): Promise<void> {
    const { address, network } = originOf(c);
    const { window, inAll } = codeLimits;
    const bucket = `sign_in_code ${what}`;
    const shared = shareLimit(
      { bucket, perWindow: inAll, window },
      { kind: "all", part: 1, network, own: codeLimits.address },
    );
    const own = { bucket: `${bucket} ${address}`, perWindow: codeLimits.address, window };
    const taken = await limits.take(address === null ? shared : [own, ...shared]);
    const refused = taken.find(({ allowed }) => !allowed);
    if (!refused) return;
    const seconds = Math.max(1, Math.ceil(refused.retryAfter));
    const message = `Too many codes were ${what === "new" ? "made" : "entered"}. Try again in ${seconds} s.`;
    throw new ApiError("rate_limited", message, undefined, seconds);
  }

  const unknown = () =>
    new ApiError(
      "not_found",
      "This code is unknown, expired or already used. Get a new code on the other device.",
    );

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
      responses: { 200: answer("The codes", createdSchema), ...refusals("forbidden_origin", "rate_limited") },
    }),
    async (c) => {
      requireConsole(c);
      await count(c, "new");
      const { deviceCode, userCode, expiresAt, interval } = await createSignInRequest(context, c);
      const created = {
        device_code: deviceCode,
        user_code: userCode,
        url: `${config.publicUrl}/link?code=${userCode}`,
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
        200: answer("The state of the sign-in", polledSchema),
        ...refusals("forbidden_origin", "conflict"),
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

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/device/request",
      operationId: "readDeviceSignIn",
      tags: ["identity"],
      summary: "Read which device asks for a sign-in",
      security: [],
      request: { body: jsonBody(userCodeBody) },
      responses: {
        200: answer("The device that asks", requestSchema),
        ...refusals("not_found", "rate_limited"),
      },
    }),
    async (c) => {
      await count(c, "used");
      const { user_code } = c.req.valid("json");
      const found = await findSignInRequest(context, user_code);
      if (!found) throw unknown();
      const { network } = originOf(c);
      const request = {
        user_code,
        device: deviceOf(found.userAgent),
        network: found.network,
        is_same_network: network !== null && network === found.network,
        created_at: found.createdAt.toISOString(),
        expires_at: found.expiresAt.toISOString(),
      };
      return c.json(request, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/device/approval",
      operationId: "approveDeviceSignIn",
      tags: ["identity"],
      summary: "Approve the sign-in of another device",
      description:
        "The proof is a message of `POST /auth/nonce` for a sign-in, signed by the wallet. The device that shows the code gets a session of the wallet's account. Approve a code only if you see it on a screen in front of you.",
      security: [],
      request: { body: jsonBody(deviceApproval) },
      responses: {
        200: answer(
          "The wallet that approved",
          z.object({ address: shownAddress }).openapi("DeviceApproved"),
        ),
        ...refusals("unauthenticated", "not_found", "rate_limited"),
      },
    }),
    async (c) => {
      await count(c, "used");
      const { user_code, ...proof } = c.req.valid("json");
      const wallet = await proveWallet(context, proof, "sign_in");
      if (!(await answerSignInRequest(context, c, user_code, wallet))) throw unknown();
      return c.json({ address: getAddress(wallet.address) }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/device/refusal",
      operationId: "refuseDeviceSignIn",
      tags: ["identity"],
      summary: "Refuse the sign-in of another device",
      security: [],
      request: { body: jsonBody(userCodeBody) },
      responses: {
        200: answer("The refused code", userCodeBody),
        ...refusals("not_found", "rate_limited"),
      },
    }),
    async (c) => {
      await count(c, "used");
      const { user_code } = c.req.valid("json");
      if (!(await answerSignInRequest(context, c, user_code, null))) throw unknown();
      return c.json({ user_code }, 200);
    },
  );
}
