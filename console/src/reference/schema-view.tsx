import { useState } from "react";
import { i18n } from "../text/i18n.ts";
import { type Description, nameOf, resolve, type Schema } from "./description.ts";
import { MarkedText } from "./marked-text.tsx";

type Schemas = Description["schemas"];

/** The members of a schema, each with its type. Members of a member open by a click. */
export function SchemaView({ schema, schemas }: { schema: Schema; schemas: Schemas }) {
  const members = membersOf(schema, schemas);
  if (members.length === 0) return <p className="quiet">{typeText(schema)}</p>;
  return (
    <ul className="members">
      {members.map(({ name, member, isRequired }) => (
        <li key={name}>
          <code>{name}</code> <span className="quiet">{typeText(member)}</span>{" "}
          {isRequired && <span className="required">{i18n.t("required")}</span>}
          {describe(member, schemas).map((text) => (
            <p key={text}>
              <MarkedText>{text}</MarkedText>
            </p>
          ))}
          <Inner schema={member} schemas={schemas} />
        </li>
      ))}
    </ul>
  );
}

/** The members inside a member, once they are opened: a schema may contain itself. */
function Inner({ schema, schemas }: { schema: Schema; schemas: Schemas }) {
  const [isShown, setShown] = useState(false);
  const inner = innerOf(schema, schemas);
  if (!inner) return null;
  return (
    <details onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>{i18n.t("Show fields")}</summary>
      {isShown && <SchemaView schema={inner} schemas={schemas} />}
    </details>
  );
}

function membersOf(schema: Schema, schemas: Schemas) {
  const own = resolve(schema, schemas);
  const parts = [own, ...(own.allOf ?? []).map((part) => resolve(part, schemas))];
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  return parts.flatMap((part) =>
    Object.entries(part.properties ?? {}).map(([name, member]) => ({
      name,
      member,
      isRequired: required.has(name),
    })),
  );
}

/** The schema of the objects inside a schema: its own, of its items, or of its one choice that is not null. */
function innerOf(schema: Schema, schemas: Schemas): Schema | null {
  const own = resolve(schema, schemas);
  if (membersOf(own, schemas).length > 0) return own;
  if (own.items) return innerOf(own.items, schemas);
  if (typeof own.additionalProperties === "object") return innerOf(own.additionalProperties, schemas);
  for (const choice of own.oneOf ?? own.anyOf ?? []) {
    const inner = innerOf(choice, schemas);
    if (inner) return inner;
  }
  return null;
}

/** Names the type of a schema in a few words. */
export function typeText(schema: Schema): string {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (choices) return choices.map(typeText).join(schema.allOf ? " & " : " | ");
  if (schema.items) return i18n.t("array of {type}", { type: typeText(schema.items) });
  const type = [schema.type ?? "any"].flat().join(" | ");
  return schema.format ? `${type} (${schema.format})` : type;
}

/** The description of a schema and its limits. */
function describe(schema: Schema, schemas: Schemas): string[] {
  const { description } = schema.description ? schema : resolve(schema, schemas);
  const { minimum, maximum, maxLength } = schema;
  return [
    description ?? "",
    [
      schema.default !== undefined && i18n.t("Default: {value}.", { value: JSON.stringify(schema.default) }),
      minimum !== undefined &&
        maximum !== undefined &&
        i18n.t("From {minimum} to {maximum}.", { minimum, maximum }),
      maxLength !== undefined && i18n.t("At most {maxLength} characters.", { maxLength }),
    ]
      .filter(Boolean)
      .join(" "),
  ].filter(Boolean);
}
