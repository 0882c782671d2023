import type { OrganisationRole } from "earnest-client";

/** What each role may do. */
export const roleWords: Record<OrganisationRole, string> = {
  owner: "Owner: everything",
  admin: "Admin: all but what concerns owners",
  developer: "Developer: agents, services, orders and webhooks",
  viewer: "Viewer: reads",
};

export const isManager = (role: OrganisationRole): boolean => role === "owner" || role === "admin";

/** The roles that somebody with this one may give. */
export function givenBy(role: OrganisationRole): OrganisationRole[] {
  const all = Object.keys(roleWords) as OrganisationRole[];
  return role === "owner" ? all : all.filter((one) => one !== "owner");
}
