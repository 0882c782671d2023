import * as z from "zod";
import { documentVersions } from "./document.ts";

export type DocumentVersion = keyof typeof documentVersions;

/** The name under which the JSON Schema of a version is published; `$schema` of a document ends in it. */
export function schemaName(version: DocumentVersion): string {
  return `settlement-document-${version}.json`;
}

/**
 * The JSON Schema (draft 2020-12) of a signed settlement document. It says what a document looks like; the checksum of
 * an address, the form of a did:web name and the signature are for the verifier to check.
 */
export function documentJsonSchema(version: DocumentVersion): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(documentVersions[version], { target: "draft-2020-12" });
  return {
    $schema,
    title: `Settlement document, version ${version}`,
    description: "Signed: this step of this order's money is in this log of this chain.",
    ...schema,
  };
}
