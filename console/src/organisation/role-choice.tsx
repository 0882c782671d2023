import type { OrganisationRole } from "earnest-client";
import { ChoiceField } from "../parts/choice-field.tsx";
import { grantableBy, memberRoleText } from "./roles.ts";

/** A choice of the roles that the user may grant. */
export function RoleChoice({
  label,
  by,
  role,
  onChange,
}: {
  label: string;
  /** the user's own role */
  by: OrganisationRole;
  role: OrganisationRole;
  onChange: (role: OrganisationRole) => void;
}) {
  return (
    <ChoiceField
      label={label}
      value={role}
      onChange={onChange}
      choices={grantableBy(by).map((each) => [each, memberRoleText(each)] as const)}
    />
  );
}
