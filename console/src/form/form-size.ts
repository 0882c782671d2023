import { kindOf, resolve, type Schema } from "./schema-input.ts";

/** The most inputs of a form. Long lists of choices and long texts count as several. */
const mostInputs = 300;

/** The most values that are shown as inputs. */
const mostValues = 1_000;

/**
 * Whether a form can show this value. A small schema may refer to itself so often that its form would be endless.
 * The user then writes the value as JSON.
 */
export function fitsForm(schema: Schema, value: unknown): boolean {
  return (
    kindOf(schema, 0) === "group" &&
    inputsLeft(schema, schema, 0, mostInputs) >= 0 &&
    valuesLeft(value, mostValues) >= 0
  );
}

/** Subtracts the inputs of a schema from a budget. The result is below zero if the budget does not suffice. */
function inputsLeft(schema: Schema, root: Schema, depth: number, most: number): number {
  const { enum: choices = [], title = "", description = "", properties = {}, items } = schema;
  let left = most - 1 - choices.length / 20 - (title.length + description.length) / 1_000;
  const kind = kindOf(schema, depth);
  const members = kind === "group" ? Object.values(properties) : kind === "list" ? [items] : [];
  for (const member of members) {
    if (left < 0) break;
    left = inputsLeft(resolve(member, root), root, depth + 1, left);
  }
  return left;
}

function valuesLeft(value: unknown, most: number): number {
  let left = most - 1;
  for (const member of value instanceof Object ? Object.values(value) : []) {
    if (left < 0) break;
    left = valuesLeft(member, left);
  }
  return left;
}
