import type { JsonObject } from "../../db/schema.ts";

/** The text in the place of an erased word. It is a valid slug, too. */
export const erasedWord = "erased";

/** Whether the words of an agreement are erased. Its hash in the order stays, and no longer follows from the document. */
export function isErased(agreement: JsonObject): boolean {
  return agreement.service_title === erasedWord && "service_title_sha256" in agreement;
}
