import type { UseQueryResult } from "@tanstack/react-query";
import type { Scope, ScopeMeaning } from "earnest-client";
import { useId } from "react";
import { Button } from "../parts/button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { i18n } from "../text/i18n.ts";
import { scopeText } from "./scope-texts.ts";

/** Sets of permissions for the usual programs. */
const readPresets = (): [string, (scope: Scope) => boolean][] => [
  [i18n.t("Buy"), (scope) => ["marketplace:read", "orders:read", "orders:write"].includes(scope)],
  [i18n.t("Sell"), (scope) => !/^subscriptions:/.test(scope)],
  [i18n.t("Read only"), (scope) => scope.endsWith(":read")],
];

/** A choice of what a key may do, with buttons for the usual choices. */
export function ScopeChoice({
  query,
  chosen,
  error,
  onChange,
}: {
  query: UseQueryResult<ScopeMeaning[]>;
  chosen: readonly Scope[];
  error: string | null;
  onChange: (chosen: Scope[]) => void;
}) {
  const id = useId();
  return (
    <fieldset>
      <legend>{i18n.t("Permissions")}</legend>
      <Loaded query={query}>
        {(items) => (
          <>
            <div className="buttons presets">
              {readPresets().map(([title, holds]) => (
                <Button
                  key={title}
                  size="small"
                  onPress={() => onChange(items.map(({ scope }) => scope).filter(holds))}
                >
                  {title}
                </Button>
              ))}
            </div>
            {items.map(({ scope, grants }) => (
              <label className="check" key={scope}>
                <input
                  type="checkbox"
                  aria-invalid={error !== null || undefined}
                  aria-describedby={error === null ? undefined : id}
                  checked={chosen.includes(scope)}
                  onChange={({ target }) =>
                    onChange(target.checked ? [...chosen, scope] : chosen.filter((each) => each !== scope))
                  }
                />
                <span>
                  <code>{scope}</code> <span className="quiet">{scopeText(scope) ?? grants}</span>
                </span>
              </label>
            ))}
          </>
        )}
      </Loaded>
      {error && (
        <p className="wrong" id={id} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
