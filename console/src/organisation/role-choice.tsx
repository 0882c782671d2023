import type { OrganisationRole } from "earnest-client";
import { useId } from "react";
import { givenBy, roleWords } from "./roles.ts";

/** A choice of the roles that somebody may give. */
export function RoleChoice({
  label,
  by,
  role,
  isDisabled = false,
  onChange,
}: {
  label: string;
  /** the role of who chooses */
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
        {givenBy(by).map((one) => (
          <option key={one} value={one}>
            {roleWords[one]}
          </option>
        ))}
      </select>
    </div>
  );
}
