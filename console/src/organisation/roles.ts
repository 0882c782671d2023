import type { OrganisationRole } from "earnest-client";

/** The permissions of each role, in words. */
export const roleWords: Record<OrganisationRole, string> = {
  owner: "Owner – full access",
  admin: "Admin – everything except owners",
  developer: "Developer – agents, services, orders and webhooks",
  viewer: "Viewer – read-only",
};

export const isManager = (role: OrganisationRole): boolean => role === "owner" || role === "admin";

/** Returns the roles that a member with this role may grant. */
export function grantableBy(role: OrganisationRole): OrganisationRole[] {
  const all = Object.keys(roleWords) as OrganisationRole[];
  return role === "owner" ? all : all.filter((each) => each !== "owner");
}
