import { align, emitField } from "./emit-go-types.ts";
import type { Model, NamedType } from "./model.ts";
import { goName } from "./words.ts";

type Struct = Extract<NamedType, { kind: "object" }>;

/** Reads and writes a received struct with the members that this client does not know. */
export function emitMembers(model: Model, types: NamedType[]): string {
  return types
    .filter((type): type is Struct => type.kind === "object" && type.received)
    .map((type) => (type.extends === null ? emitPlain(type) : emitExtending(model, type)))
    .join("");
}

/** The plain type has the same fields without the methods, which would call themselves. */
function emitPlain({ name }: Struct): string {
  return `
type plain${name} ${name}

// UnmarshalJSON keeps unknown members.
func (v *${name}) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plain${name})(v), &v.Unknown)
}

// MarshalJSON writes unknown members too.
func (v ${name}) MarshalJSON() ([]byte, error) {
	return writeMembers(plain${name}(v), v.Unknown)
}
`;
}

/** The methods of an embedded struct do not know the outer fields, so the plain type embeds the plain base. */
function emitExtending(model: Model, { name, extends: base, fields }: Struct): string {
  const isPlain = model.types.some((type) => type.name === base && type.kind === "object" && !type.extends);
  if (!isPlain)
    throw new Error(
      `${name} extends ${base}, which extends another type: emit-go-members.ts knows one level.`,
    );
  const own = fields.map((field) => ({ ...emitField(model, field, false), note: "" }));
  const names = fields.map((field) => goName(field.name));
  const outer = [`plain${base}(v.${base})`, ...names.map((field) => `v.${field}`)].join(", ");
  const inner = [`${base}(plain.plain${base})`, ...names.map((field) => `plain.${field}`)].join(", ");
  return `
type plain${name} struct {
${align([{ cells: [`plain${base}`], note: "" }, ...own])}}

// UnmarshalJSON keeps unknown members.
func (v *${name}) UnmarshalJSON(data []byte) error {
	plain := plain${name}{${outer}}
	err := readMembers(data, &plain, &plain.Unknown)
	*v = ${name}{${inner}}
	return err
}

// MarshalJSON writes unknown members too.
func (v ${name}) MarshalJSON() ([]byte, error) {
	return writeMembers(plain${name}{${outer}}, v.Unknown)
}
`;
}
