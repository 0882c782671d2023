import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addInvitations } from "./invitations.ts";
import { addReceivedInvitations } from "./invitations-received.ts";
import { addOrganisationRoutes } from "./organisations.ts";

/** Adds the routes of organisations, members and invitations. */
export function addOrganisations(api: App, context: Context): void {
  addOrganisationRoutes(api, context);
  addInvitations(api, context);
  addReceivedInvitations(api, context);
}
