import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { a2aPath, cardName } from "../a2a/agent-card.ts";
import type { Context } from "../context.ts";
import { constantDocument } from "../http/constant-document.ts";
import { mcpPath } from "../mcp/resource-metadata.ts";
import type { App } from "../variables.ts";
import { purchaseIndexPath } from "./purchase-index.ts";

const path = "/.well-known/api-catalog";

/** Adds the catalogue of the service's interfaces (RFC 9727): a linkset (RFC 9264) of their descriptions. */
export function addApiCatalog(app: App, { config }: Context): void {
  const { publicUrl } = config;
  const api = `${publicUrl}${apiPath}`;
  const describedAs = "application/vnd.oai.openapi+json;version=3.1";
  const linkset = [
    {
      anchor: `${publicUrl}${path}`,
      item: [{ href: api }, { href: `${publicUrl}${mcpPath}` }, { href: `${publicUrl}${a2aPath}` }],
    },
    {
      anchor: api,
      "service-desc": [
        { href: `${api}/openapi.json`, type: describedAs, title: "every operation" },
        {
          href: `${publicUrl}${purchaseIndexPath}`,
          type: describedAs,
          title: "services that anybody can buy with one request",
        },
      ],
      "service-doc": [{ href: `${publicUrl}/docs`, type: "text/html" }],
      status: [{ href: `${api}/chain/status`, type: "application/json" }],
    },
    {
      anchor: `${publicUrl}${a2aPath}`,
      "service-desc": [
        { href: `${publicUrl}${cardName}`, type: "application/json", title: "agent card of A2A" },
      ],
    },
  ];
  const answer = constantDocument(
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    () => JSON.stringify({ linkset }),
  );
  app.get(path, (c) => {
    c.header("Link", `<${publicUrl}${path}>; rel="api-catalog"`);
    return answer(c);
  });
}
