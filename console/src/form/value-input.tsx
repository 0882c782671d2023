import { pointerTo } from "../../../protocol/json/pointer.ts";
import { showHidden } from "../../../protocol/json/text.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { UserText } from "../parts/user-text.tsx";
import { JsonInput } from "./json-input.tsx";
import { NumberInput } from "./number-input.tsx";
import { emptyOf, inputTypes, kindOf, resolve, type Schema } from "./schema.ts";

export type ValueProps = {
  schema: Schema;
  root: Schema;
  /** the JSON pointer of the value */
  pointer: string;
  label: string;
  isRequired: boolean;
  value: unknown;
  depth: number;
  /** undefined removes the value */
  onChange: (value: unknown) => void;
  errorAt: (pointer: string) => string | null;
  touch: (pointer: string) => void;
};

/** The input of one value, of any kind. */
export function ValueInput(props: ValueProps) {
  const { schema, pointer, label, isRequired, value, onChange, errorAt, touch } = props;
  const kind = kindOf(schema, props.depth);
  if (kind === "group") return <GroupInput {...props} />;
  if (kind === "list") return <ListInput {...props} />;
  const common = {
    label: showHidden(schema.title ?? label),
    help: schema.description && showHidden(schema.description),
    error: errorAt(pointer),
    isRequired,
  };
  const change = (next: unknown) => {
    touch(pointer);
    onChange(next);
  };
  if (kind === "json") return <JsonInput {...common} value={value} onChange={change} />;
  if (kind === "number") return <NumberInput {...common} value={value} onChange={change} />;
  if (kind === "yes-no") {
    return (
      <Field {...common}>
        {(wiring) => (
          <select
            {...wiring}
            value={value === undefined ? "" : String(value)}
            onChange={({ target }) => change(target.value === "" ? undefined : target.value === "true")}
          >
            <option value="">–</option>
            <option value="true">Yes</option>
            <option value="false">No</option>
          </select>
        )}
      </Field>
    );
  }
  if (kind === "choice") {
    const choices = schema.enum ?? [];
    return (
      <Field {...common}>
        {(wiring) => (
          <select
            {...wiring}
            value={choices.indexOf(value)}
            onChange={({ target }) => change(choices[Number(target.value)])}
          >
            <option value={-1}>–</option>
            {choices.map((choice, at) => (
              <option key={String(choice)} value={at}>
                {showHidden(String(choice))}
              </option>
            ))}
          </select>
        )}
      </Field>
    );
  }
  const text = typeof value === "string" ? value : "";
  // An empty optional text is an absent value.
  const write = (next: string) => change(next === "" && !isRequired ? undefined : next);
  return (
    <Field {...common}>
      {(wiring) =>
        kind === "lines" && !inputTypes[schema.format ?? ""] ? (
          <textarea {...wiring} rows={2} value={text} onChange={({ target }) => write(target.value)} />
        ) : (
          <input
            {...wiring}
            type={inputTypes[schema.format ?? ""] ?? "text"}
            value={text}
            onChange={({ target }) => write(target.value)}
          />
        )
      }
    </Field>
  );
}

function GroupInput({ schema, root, pointer, label, value, depth, onChange, errorAt, touch }: ValueProps) {
  const object = value instanceof Object ? (value as Record<string, unknown>) : {};
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const resolved = resolve(member, root);
    return (
      <ValueInput
        key={name}
        schema={resolved}
        root={root}
        pointer={pointer + pointerTo(name)}
        label={name}
        isRequired={schema.required?.includes(name) ?? false}
        value={Object.hasOwn(object, name) ? object[name] : undefined}
        depth={depth + 1}
        onChange={(next) => {
          const { [name]: _, ...rest } = object;
          onChange(next === undefined ? rest : { ...rest, [name]: next });
        }}
        errorAt={errorAt}
        touch={touch}
      />
    );
  });
  if (pointer === "") return members;
  return (
    <fieldset>
      <legend>
        <UserText>{schema.title ?? label}</UserText>
      </legend>
      {schema.description && <p className="quiet">{showHidden(schema.description)}</p>}
      {members}
    </fieldset>
  );
}

function ListInput({ schema, root, pointer, label, value, depth, onChange, errorAt, touch }: ValueProps) {
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  const item = resolve(schema.items, root);
  const error = errorAt(pointer);
  const change = (next: unknown[]) => {
    touch(pointer);
    onChange(next);
  };
  return (
    <fieldset>
      <legend>
        <UserText>{schema.title ?? label}</UserText>
      </legend>
      {schema.description && <p className="quiet">{showHidden(schema.description)}</p>}
      {items.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item has no identity but its index
        <div className="item" key={at}>
          <ValueInput
            schema={item}
            root={root}
            pointer={pointer + pointerTo(at)}
            label={`${label} ${at + 1}`}
            isRequired
            value={one}
            depth={depth + 1}
            onChange={(next) =>
              change(items.map((before, place) => (place === at ? (next ?? null) : before)))
            }
            errorAt={errorAt}
            touch={touch}
          />
          <Button
            aria-label={`Remove ${showHidden(label)} ${at + 1}`}
            onPress={() => change(items.filter((_, place) => place !== at))}
          >
            Remove
          </Button>
        </div>
      ))}
      {error && (
        <p className="wrong" role="alert">
          {error}
        </p>
      )}
      <Button
        onPress={() =>
          change([...items, emptyOf(item, root, depth + 1) ?? (item.type === "string" ? "" : null)])
        }
      >
        {`Add ${showHidden(label)}`}
      </Button>
    </fieldset>
  );
}
