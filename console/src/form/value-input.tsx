import { Plus, X } from "lucide-react";
import { useId } from "react";
import { pointerTo } from "../../../protocol/json/pointer.ts";
import { showHidden } from "../../../protocol/json/text.ts";
import { FileInput } from "../files/file-input.tsx";
import { isFileSchema } from "../files/file-reference.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { DateField } from "../parts/date-field.tsx";
import { isDay } from "../parts/day.ts";
import { Field } from "../parts/field.tsx";
import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";
import { emptyOf } from "./initial-value.ts";
import { JsonInput } from "./json-input.tsx";
import { NumberInput } from "./number-input.tsx";
import { inputTypes, kindOf, labelOf, resolve, type Schema } from "./schema-input.ts";

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
  const isFile = isFileSchema(schema);
  if (kind === "group" && !isFile) return <GroupInput {...props} />;
  if (kind === "list") return <ListInput {...props} />;
  const common = {
    label: showHidden(labelOf(schema, label)),
    help: schema.description && showHidden(schema.description),
    error: errorAt(pointer),
    isRequired,
  };
  const change = (next: unknown) => {
    touch(pointer);
    onChange(next);
  };
  if (isFile) return <FileInput {...common} value={value} onChange={change} />;
  if (kind === "json") return <JsonInput {...common} value={value} onChange={change} />;
  if (kind === "number") return <NumberInput {...common} value={value} onChange={change} />;
  if (kind === "yes-no") return <CheckInput {...common} value={value} onChange={change} />;
  if (kind === "choice") {
    const choices = schema.enum ?? [];
    const none = isRequired ? [] : [["", "–"] as const];
    const at = choices.indexOf(value);
    return (
      <ChoiceField
        {...common}
        value={at < 0 ? "" : String(at)}
        onChange={(chosen) => change(chosen === "" ? undefined : choices[Number(chosen)])}
        choices={[
          ...none,
          ...choices.map((choice, index) => [String(index), showHidden(String(choice))] as const),
        ]}
      />
    );
  }
  const text = typeof value === "string" ? value : "";
  // An empty optional text is an absent value.
  const write = (next: string) => change(next === "" && !isRequired ? undefined : next);
  if (schema.format === "date" && (text === "" || isDay(text))) {
    return <DateField {...common} value={text} onChange={(day) => change(day === "" ? undefined : day)} />;
  }
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

/** A checkbox for a choice between yes and no. Unless it was pressed, an optional value stays absent. */
function CheckInput({
  label,
  help,
  error,
  value,
  onChange,
}: {
  label: string;
  help?: string | undefined;
  error: string | null;
  value: unknown;
  onChange: (value: boolean) => void;
}) {
  const id = useId();
  const described = [help ? `${id}-help` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label className="check">
        <input
          type="checkbox"
          checked={value === true}
          aria-invalid={error !== null}
          aria-describedby={described || undefined}
          onChange={({ target }) => onChange(target.checked)}
        />
        <span>{label}</span>
      </label>
      {help && (
        <p className="quiet" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error && (
        <p className="wrong" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
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
        <UserText>{labelOf(schema, label)}</UserText>
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
  const name = showHidden(labelOf(schema, label));
  const change = (next: unknown[]) => {
    touch(pointer);
    onChange(next);
  };
  return (
    <fieldset>
      <legend>
        <UserText>{labelOf(schema, label)}</UserText>
      </legend>
      {schema.description && <p className="quiet">{showHidden(schema.description)}</p>}
      {items.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item has no identity but its index
        <div className="item" key={at}>
          <ValueInput
            schema={item}
            root={root}
            pointer={pointer + pointerTo(at)}
            label={`${labelOf(schema, label)} ${at + 1}`}
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
            size="small"
            icon={X}
            aria-label={i18n.t("Remove {name}", { name: `${showHidden(name)} ${at + 1}` })}
            onPress={() => change(items.filter((_, place) => place !== at))}
          >
            {i18n.t("Remove")}
          </Button>
        </div>
      ))}
      {error && (
        <p className="wrong" role="alert">
          {error}
        </p>
      )}
      <Button
        size="small"
        icon={Plus}
        onPress={() =>
          change([...items, emptyOf(item, root, depth + 1) ?? (item.type === "string" ? "" : null)])
        }
      >
        {i18n.t("Add {name}", { name: showHidden(name) })}
      </Button>
    </fieldset>
  );
}
