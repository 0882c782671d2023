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

/** Makes a key. Its token is shown here, once, and kept nowhere. */
export function NewKey() {
  const client = useClient();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<Scope[]>([]);
  const [limits, setLimits] = useState(noLimits);
  const known = useQuery({
    queryKey: ["scopes"],
    queryFn: async () => (await client.apiKeys.listScopes()).items,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const making = useMutation({
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
    making.mutate();
  };
  return (
    <section aria-labelledby="new-key">
      <h2 id="new-key">Make a key</h2>
      {making.data && <ShownOnce what="key" secret={making.data.token} onHide={() => making.reset()} />}
      <form onSubmit={submit}>
        <TextField
          label="Name"
          help="For you: which program uses it."
          isRequired
          value={name}
          onChange={setName}
          most={longest.name}
        />
        <fieldset>
          <legend>What it may do</legend>
          <Loaded query={known}>
            {(items) =>
              items.map(({ scope, grants }) => (
                <label className="check" key={scope}>
                  <input
                    type="checkbox"
                    checked={scopes.includes(scope)}
                    onChange={({ target }) =>
                      setScopes((before) =>
                        target.checked ? [...before, scope] : before.filter((one) => one !== scope),
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
          <summary>Limit what it may spend, from where and until when</summary>
          <KeyLimitFields limits={limits} onChange={setLimits} />
        </details>
        {making.error && <ProblemNote error={making.error} />}
        <div className="buttons">
          <Button
            type="submit"
            className="primary"
            isPending={making.isPending}
            isDisabled={scopes.length === 0 || name.trim() === ""}
          >
            Make the key
          </Button>
        </div>
      </form>
    </section>
  );
}
