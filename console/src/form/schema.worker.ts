/** Checks the schemas that somebody writes, in a thread of its own. */
import { checkSchemaText, type Fault, type Verdict } from "./schema-check.ts";
import { answerAll } from "./thread.ts";

export type AskedSchema = { text: string; refused: Fault[] };
/** Null where it cannot be told here. */
export type ToldSchema = Verdict | null;

answerAll<AskedSchema, ToldSchema>(({ text, refused }) => {
  try {
    return checkSchemaText(text, refused);
  } catch {
    return null;
  }
});
