import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Scope } from "earnest-client";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import { KeyLimitFields } from "./key-limit-fields.tsx";
import { noLimits, requestOf } from "./key-limits.ts";

/** Creates a key. Its token is shown here once and stored nowhere. */
export function NewKey() {
  const client = useClient();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<Scope[]>([]);
  const [limits, setLimits] = useState(noLimits);
  const scopeList = useQuery({
    queryKey: ["scopes"],
    queryFn: async () => (await client.apiKeys.listScopes()).items,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const creating = useMutation({
    mutationFn: () => client.apiKeys.create({ name, scopes, ...requestOf(limits, noLimits) }),
    onSuccess: () => {
      setName("");
      setScopes([]);
      setLimits(noLimits);
      void queries.invalidateQueries({ queryKey: ["keys"] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate();
  };
  return (
    <section aria-labelledby="new-key">
      <h2 id="new-key">Create API key</h2>
      {creating.data && <ShownOnce what="key" secret={creating.data.token} onHide={() => creating.reset()} />}
      <form onSubmit={submit}>
        <TextField
          label="Label"
          help="For example, the program that uses the key."
          isRequired
          value={name}
          onChange={setName}
          most={longest.name}
        />
        <fieldset>
          <legend>Permissions</legend>
          <Loaded query={scopeList}>
            {(items) =>
              items.map(({ scope, grants }) => (
                <label className="check" key={scope}>
                  <input
                    type="checkbox"
                    checked={scopes.includes(scope)}
                    onChange={({ target }) =>
                      setScopes((before) =>
                        target.checked ? [...before, scope] : before.filter((each) => each !== scope),
                      )
                    }
                  />
                  <span>
                    <code>{scope}</code> {grants}
                  </span>
                </label>
              ))
            }
          </Loaded>
        </fieldset>
        <details>
          <summary>Limits and expiry</summary>
          <KeyLimitFields limits={limits} onChange={setLimits} />
        </details>
        {creating.error && <ProblemNote error={creating.error} />}
        <div className="buttons">
          <Button
            type="submit"
            variant="primary"
            isPending={creating.isPending}
            isDisabled={scopes.length === 0 || name.trim() === ""}
          >
            Create key
          </Button>
        </div>
      </form>
    </section>
  );
}
