import type { OrganisationRole } from "earnest-client";
import { useId } from "react";
import { grantableBy, roleWords } from "./roles.ts";

/** A choice of the roles that the user may grant. */
export function RoleChoice({
  label,
  by,
  role,
  isDisabled = false,
  onChange,
}: {
  label: string;
  /** the user's own role */
  by: OrganisationRole;
  role: OrganisationRole;
  isDisabled?: boolean;
  onChange: (role: OrganisationRole) => void;
}) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={role}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.value as OrganisationRole)}
      >
        {grantableBy(by).map((each) => (
          <option key={each} value={each}>
            {roleWords[each]}
          </option>
        ))}
      </select>
    </div>
  );
}
