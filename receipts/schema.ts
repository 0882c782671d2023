import * as z from "zod";
import { documentVersions } from "./document.ts";
import { signedRecordStatementSchema } from "./record-statement.ts";

/** The published schemas of signed documents, by the last segment of their `$schema`. */
const published = {
  "settlement-document-1.json": {
    title: "Settlement document, version 1",
    description: "Signed: this step of this order's money is in this log of this chain.",
    schema: documentVersions[1],
  },
  "settlement-document-2.json": {
    title: "Settlement document, version 2",
    description: "Signed: this step of this order's money is in this log of this chain.",
    schema: documentVersions[2],
  },
  "agent-record-statement-1.json": {
    title: "Agent record statement, version 1",
    description: "Signed: at this time the agent's settled orders make this record and this score.",
    schema: signedRecordStatementSchema,
  },
};

export type SchemaName = keyof typeof published;

export const schemaNames = Object.keys(published) as SchemaName[];

/**
 * Returns the JSON Schema (draft 2020-12) of a signed document. The schema describes the form. Only the verifier
 * checks an address's checksum, a did:web name and the signature.
 */
export function jsonSchemaOf(name: SchemaName): Record<string, unknown> {
  const { title, description, schema } = published[name];
  const { $schema, ...members } = z.toJSONSchema(schema, { target: "draft-2020-12" });
  return { $schema, title, description, ...members };
}
