import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Interaction } from "oidc-provider";
import { eq, sql } from "../../db/drizzle.ts";
import { oauthClient } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { keyBounds } from "../accounts/key-bounds.ts";
import { insertKey } from "../accounts/new-key.ts";
import type { Context } from "../context.ts";
import { callerOf, requireAccess } from "../http/access.ts";
import { ApiError, parseAs, refuseField } from "../http/api-error.ts";
import { readJsonBody } from "../http/request-body.ts";
import { mcpScopes } from "../mcp/resource-metadata.ts";
import type { App, Variables } from "../variables.ts";
import { isLocalReceiver, receiverOf } from "./client-rules.ts";
import { consentPath, lifetimes, type Provider } from "./provider.ts";
import { readRequest } from "./provider-request.ts";

type RequestContext = HonoContext<{ Variables: Variables }>;

/** A request for consent, as the console shows it. */
export type ConsentRequest = {
  /** the name that the program states, which nobody checked */
  client_name: string;
  /** the host of the document that describes the program; null for a program that registered itself */
  client_id_host: string | null;
  /** the host or scheme that gets the code */
  receiver: string;
  /** whether the receiver is a program on the person's machine */
  is_local: boolean;
  scopes: string[];
};

const decision = z.discriminatedUnion("approved", [
  z.strictObject({ approved: z.literal(false) }),
  z.strictObject({ approved: z.literal(true), ...keyBounds }),
]);

/**
 * Adds the operations by which the console shows a request for consent and decides it. Only the browser that the program
 * opened can decide: it has the cookie of the request, whose path is that of these operations.
 */
export function addConsent(app: App, context: Context, load: () => Promise<Provider>): void {
  const { db } = context;
  const mayDecide = requireAccess(context, "session");

  app.get(`${consentPath}/:uid/request`, mayDecide, async (c) => {
    const provider = await load();
    const { params } = await findInteraction(provider, context, c);
    return c.json(await present(provider, params), 200, { "Cache-Control": "no-store" });
  });

  app.post(`${consentPath}/:uid/decision`, mayDecide, async (c) => {
    const body = parseAs(decision, (await readJsonBody(c))?.value, "The decision is invalid.");
    const provider = await load();
    const { params } = await findInteraction(provider, context, c);
    const decide = (result: Parameters<Provider["interactionResult"]>[2]) =>
      readRequest(context, c, (request, response) => provider.interactionResult(request, response, result));
    if (!body.approved) {
      const reason = { error: "access_denied", error_description: "The person refused." };
      return c.json({ url: await decide(reason) });
    }
    const { approved: _, ...bounds } = body;
    const asked = await present(provider, params);
    const unasked = bounds.scopes.find((scope) => !asked.scopes.includes(scope));
    if (unasked) throw refuseField("scopes", "enum", `${unasked} was not asked for`);
    const { accountId } = callerOf(c);
    const clientId = String(params.client_id);
    const grant = new provider.Grant({ accountId, clientId });
    for (const resource of [params.resource].flat())
      grant.addResourceScope(String(resource), bounds.scopes.join(" "));
    const grantId = await grant.save();
    const latest = new Date(Date.now() + lifetimes.Grant * 1000);
    const { expires_at } = bounds;
    const request = {
      ...bounds,
      name: asked.client_name,
      expires_at: expires_at && expires_at < latest ? expires_at : latest,
    };
    await inTransaction(db, async (tx) => {
      await insertKey(tx, context, c, request, { grantId, clientHost: asked.receiver });
      await tx.update(oauthClient).set({ usedAt: sql`now()` }).where(eq(oauthClient.id, clientId));
    }).catch(async (error) => {
      await grant.destroy();
      throw error;
    });
    return c.json({ url: await decide({ login: { accountId, remember: false }, consent: { grantId } }) });
  });
}

/** @throws ApiError `not_found` in another browser than the one that the program opened, or after the time is over */
async function findInteraction(
  provider: Provider,
  context: Context,
  c: RequestContext,
): Promise<Interaction> {
  const found = await readRequest(context, c, (request, response) =>
    provider.interactionDetails(request, response).catch((error) => {
      if (error.name === "SessionNotFound") return null;
      throw error;
    }),
  );
  if (found && found.uid === c.req.param("uid") && !found.result) return found;
  throw new ApiError(
    "not_found",
    "This request for access has expired, was decided, or belongs to another browser. Start again in the program.",
  );
}

async function present(provider: Provider, params: Interaction["params"]): Promise<ConsentRequest> {
  const clientId = String(params.client_id);
  const client = await provider.Client.find(clientId);
  if (!client)
    throw new ApiError("not_found", "The program is no longer registered. Start again in the program.");
  const redirectUri = String(params.redirect_uri);
  const asked = String(params.scope ?? "").split(" ");
  const idHost = URL.parse(clientId)?.host ?? null;
  return {
    client_name: readName(client.clientName) || idHost || receiverOf(redirectUri),
    client_id_host: idHost,
    receiver: receiverOf(redirectUri),
    is_local: isLocalReceiver(redirectUri),
    scopes: mcpScopes.filter((scope) => asked.includes(scope)),
  };
}

/** A name without invisible characters, and without those that turn the direction of text. */
const readName = (name = ""): string =>
  name
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, 100);
