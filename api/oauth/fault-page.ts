import type { Context as HonoContext } from "hono";
import { textsOf } from "../../console/src/text/service-texts.ts";
import { showTextPage } from "../http/text-page.ts";
import type { Variables } from "../variables.ts";

/** Shows the fault of a request for authorization that cannot be returned to its program. */
export async function showFault(c: HonoContext<{ Variables: Variables }>, reason: string) {
  const i18n = await textsOf(c.get("language"));
  return showTextPage(c, 400, {
    title: i18n.t("This program cannot connect"),
    text: i18n.t("Its request is not valid, or it has expired: {reason}. Start again in the program.", {
      reason,
    }),
  });
}
