import { z } from "@hono/zod-openapi";
import { userCodePattern } from "./sign-in-codes.ts";

export const exampleLinkCode = "q83vEjRWeJCrze8SNFZ4kA";

export const userCodeField = z.string().regex(userCodePattern, "must be 8 letters, as in WDJB-MJHT").openapi({
  pattern: userCodePattern.source,
  description: "the code that the other device shows",
  example: "WDJB-MJHT",
});
