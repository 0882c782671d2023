import { createRoute, z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import { requireServed } from "../chain/served-chain.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { addressField, chainIdField, orNull, shownAddress, timeField } from "../http/fields.ts";
import { errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { deviceOf } from "./session-device.ts";
import { exampleLinkCode, userCodeField } from "./sign-in-code-fields.ts";
import { createCodeCounter } from "./sign-in-code-limits.ts";
import {
  approveSignInRequest,
  findLinkedRequest,
  findSignInRequest,
  formOf,
  isFromSameAddress,
  refuseSignInRequest,
  userCodeOf,
} from "./sign-in-codes.ts";
import { createProofRequest, nonceSchema, presentNonce, proveWallet, walletProof } from "./wallet-proof.ts";

const userCodeBody = z.strictObject({ user_code: userCodeField }).openapi("UserCode");

const linkBody = z
  .strictObject({ link_code: z.string().max(100).openapi({ example: exampleLinkCode }) })
  .openapi("LinkCode");

const nonceRequest = z
  .strictObject({
    user_code: userCodeField,
    address: addressField,
    chain_id: chainIdField.openapi({ example: 31_337 }),
  })
  .openapi("DeviceNonceRequest");

const requestSchema = z
  .object({
    user_code: userCodeField,
    device: orNull(z.string().openapi({ example: "Firefox on Windows" })).openapi({
      description: "the browser and system that asks, as it names itself; null if they are not known",
    }),
    network: orNull(z.string().openapi({ example: "203.0.113.0/24" })),
    is_same_network: z.boolean().openapi({
      description: "whether this request comes from the address of the device (of IPv6, its /64)",
    }),
    created_at: timeField,
    expires_at: timeField,
  })
  .openapi("DeviceSignInRequest");

const linkSchema = z
  .object({
    user_code: orNull(userCodeField).openapi({
      description:
        "the code of the device; null if this request comes from another network. The person then types the code that the device shows (RFC 8628, section 5.4)",
    }),
  })
  .openapi("DeviceLink");

/** Adds the routes by which a wallet approves or refuses the sign-in of another device. */
export function addDeviceApproval(app: App, context: Context): void {
  const count = createCodeCounter(context);

  const unknown = () =>
    new ApiError(
      "not_found",
      "This code is unknown, expired or already used. Get a new code on the other device.",
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
        200: jsonResponse("The device that asks", requestSchema),
        ...errorResponses("not_found", "rate_limited"),
      },
    }),
    async (c) => {
      await count(c, "used");
      const { user_code } = c.req.valid("json");
      const found = await findSignInRequest(context, user_code);
      if (!found) throw unknown();
      const request = {
        user_code: formOf(user_code),
        device: deviceOf(found.userAgent),
        network: found.network,
        is_same_network: isFromSameAddress(c, found),
        created_at: found.createdAt.toISOString(),
        expires_at: found.expiresAt.toISOString(),
      };
      return c.json(request, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/device/link",
      operationId: "openDeviceLink",
      tags: ["identity"],
      summary: "Read the code of a scanned link",
      security: [],
      request: { body: jsonBody(linkBody) },
      responses: {
        200: jsonResponse("The code, if the device is on this network", linkSchema),
        ...errorResponses("not_found", "rate_limited"),
      },
    }),
    async (c) => {
      await count(c, "used");
      const { link_code } = c.req.valid("json");
      const found = await findLinkedRequest(context, link_code);
      if (!found) throw unknown();
      return c.json({ user_code: isFromSameAddress(c, found) ? userCodeOf(link_code) : null }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/device/nonce",
      operationId: "createDeviceNonce",
      tags: ["identity"],
      summary: "Create a message that approves the sign-in of another device",
      description:
        "The message names the code and the device. It approves nothing else, and a message of `POST /auth/nonce` does not approve a device.",
      security: [],
      request: { body: jsonBody(nonceRequest) },
      responses: {
        200: jsonResponse(
          "The message, to be signed exactly as given, and its single-use nonce",
          nonceSchema,
        ),
        ...errorResponses("not_found", "rate_limited"),
      },
    }),
    async (c) => {
      await count(c, "used");
      const { user_code, address, chain_id } = c.req.valid("json");
      requireServed(context, chain_id);
      const found = await findSignInRequest(context, user_code);
      if (!found) throw unknown();
      const { deviceCodeHash, userAgent, network } = found;
      const device = { deviceCodeHash, network, userCode: formOf(user_code), name: deviceOf(userAgent) };
      const signed = { purpose: "approve_device", device } as const;
      return c.json(
        presentNonce(await createProofRequest(context, { address, chainId: chain_id }, signed)),
        200,
      );
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
        "The proof is a message of `POST /auth/device/nonce`, signed by the wallet. The device that the message names gets a session of the wallet's account. Approve a code only if you see it on a screen in front of you.",
      security: [],
      request: { body: jsonBody(walletProof) },
      responses: {
        200: jsonResponse(
          "The wallet that approved",
          z.object({ address: shownAddress }).openapi("DeviceApproved"),
        ),
        ...errorResponses("unauthenticated", "not_found"),
      },
    }),
    async (c) => {
      const { deviceCodeHash, ...wallet } = await proveWallet(context, c.req.valid("json"), "approve_device");
      const isApproved =
        deviceCodeHash !== null && (await approveSignInRequest(context, c, deviceCodeHash, wallet));
      if (!isApproved) throw unknown();
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
        200: jsonResponse("The refused code", userCodeBody),
        ...errorResponses("not_found", "rate_limited"),
      },
    }),
    async (c) => {
      await count(c, "used");
      const { user_code } = c.req.valid("json");
      if (!(await refuseSignInRequest(context, user_code))) throw unknown();
      return c.json({ user_code }, 200);
    },
  );
}
