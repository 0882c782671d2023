/** Checks the schemas that somebody writes, in a thread of its own. */
import { checkSchemaText, type Fault, type Verdict } from "./schema-check.ts";
import { answerAll } from "./worker-thread.ts";

export type SchemaRequest = { text: string; refused: Fault[] };
/** Null where it cannot be told here. */
export type SchemaReply = Verdict | null;

answerAll<SchemaRequest, SchemaReply>(({ text, refused }) => {
  try {
    return checkSchemaText(text, refused);
  } catch {
    return null;
  }
});
