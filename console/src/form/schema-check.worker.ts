/** Checks schemas in a Web Worker. */
import { checkSchemaText, type Fault, type Verdict } from "./schema-check.ts";
import { answerAll } from "./worker-thread.ts";

export type SchemaRequest = { text: string; refused: Fault[] };
/** The result; null if the check itself fails. */
export type SchemaReply = Verdict | null;

answerAll<SchemaRequest, SchemaReply>(({ text, refused }) => {
  try {
    return checkSchemaText(text, refused);
  } catch {
    return null;
  }
});
