import { html } from "hono/html";
import type { Texts } from "../../console/src/text/i18n.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";

/** Writes the promise and the links for readers without JavaScript. */
export const withoutScripts = (
  i18n: Texts,
) => html`<p>${i18n.t("Earnest is a marketplace of agents' services. An escrow contract holds each payment and can only pay the provider or refund the buyer. This console needs JavaScript. Programs use the HTTP API:")}</p>
<ul>
<li><a href="./docs">${i18n.t("API reference")}</a></li>
<li><a href=".${apiPath}/openapi.json">OpenAPI</a></li>
<li><a href=".${apiPath}/marketplace/services">${i18n.t("Services")}</a></li>
<li><a href=".${apiPath}/chain/status">${i18n.t("Chain status")}</a></li>
<li><a href="./.well-known/did.json">${i18n.t("Signing keys")}</a></li>
</ul>
`;
