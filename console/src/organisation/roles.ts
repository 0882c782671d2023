import type { OrganisationRole } from "earnest-client";
import { i18n } from "../text/i18n.ts";

const roles = ["owner", "admin", "developer", "viewer"] as const satisfies readonly OrganisationRole[];

/** Names a role. */
export const roleName = (role: OrganisationRole): string =>
  ({
    owner: i18n.t("Owner"),
    admin: i18n.t("Admin"),
    developer: i18n.t("Developer"),
    viewer: i18n.t("Viewer"),
  })[role];

/** The permissions of a role, in words. */
export const memberRoleText = (role: OrganisationRole): string =>
  ({
    owner: i18n.t("Owner – full access"),
    admin: i18n.t("Admin – everything except owners"),
    developer: i18n.t("Developer – agents, services, orders and webhooks"),
    viewer: i18n.t("Viewer – read-only"),
  })[role];

export const isManager = (role: OrganisationRole): boolean => role === "owner" || role === "admin";

/** Returns the roles that a member with this role may grant. */
export function grantableBy(role: OrganisationRole): OrganisationRole[] {
  return role === "owner" ? [...roles] : roles.filter((each) => each !== "owner");
}
