// Which room may import which: the table of docs/architecture.md. `npm run check` runs it.

/** The folders that an outsider uses to recompute and verify. */
const protocol = [
  "abis",
  "protocol/json",
  "protocol/settlement",
  "protocol/facts",
  "protocol/reputation",
  "protocol/tlog",
  "protocol/webhooks",
  "protocol/execution",
  "protocol/sessions",
  "receipts",
];
const service = [...protocol, "config", "untrusted/outbound", "untrusted/schemas", "db", "console/src/text"];

/** The folders and files of this repository that each folder may import besides itself. */
const mayImport = {
  abis: [],
  "protocol/json": [],
  "protocol/settlement": ["abis", "protocol/json"],
  "protocol/facts": ["protocol/settlement"],
  "protocol/reputation": ["abis", "protocol/settlement", "receipts"],
  "protocol/tlog": ["receipts"],
  "protocol/webhooks": [],
  "protocol/execution": ["protocol/json", "receipts"],
  "protocol/sessions": ["protocol/settlement"],
  receipts: ["abis", "protocol/json"],
  "untrusted/outbound": [],
  "untrusted/schemas": ["protocol/json", "protocol/settlement"],
  "untrusted/schemas/dialect": ["protocol/json"],
  config: ["protocol/settlement", "protocol/tlog", "receipts"],
  db: [
    "console/src/text",
    "protocol/json",
    "protocol/settlement",
    "protocol/facts",
    "protocol/reputation",
    "protocol/tlog",
  ],
  trade: service,
  api: [...service, "trade", "console/src/paths.ts"],
  "api/mcp": ["trade", "api", "clients/typescript/mcp", "clients/typescript/src/index.ts"],
  jobs: [...service, "trade"],
  src: [],
  "src/api": ["config", "api"],
  "tools/indexer": ["config", "db", "ponder.config.ts", "ponder.schema.ts"],
  "tools/build": ["api/http/web-files.ts"],
  "tools/deploy": ["abis", "config", "protocol/settlement"],
  "tools/stack": [
    "abis",
    "config",
    "db",
    "protocol/settlement",
    "tools/build",
    "tools/demo",
    "tools/deploy",
    "tools/indexer",
  ],
  "tools/simulation": [
    "abis",
    "config",
    "db/migrate.ts",
    "protocol/settlement",
    "tools/build",
    "tools/deploy",
    "tools/stack",
  ],
  "tools/simulation/checker": ["abis"],
  "tools/cluster": [
    "config",
    "db/migrate.ts",
    "tools/build",
    "tools/deploy",
    "tools/quantile.ts",
    "tools/simulation",
    "tools/stack",
  ],
  "tools/demo": ["abis", "clients/typescript/src", "tools/stack"],
  "verifiers/monitor": ["abis", "protocol/settlement", "protocol/tlog", "receipts"],
  "verifiers/witness": ["config", "protocol/tlog", "receipts"],
  clients: [...protocol, "scripts", "tools/stack", "test/harness", "vitest.config.ts"],
  "clients/typescript/src": [
    "protocol/json",
    "protocol/settlement",
    "protocol/tlog",
    "protocol/webhooks",
    "protocol/execution",
    "protocol/sessions",
    "receipts",
    "untrusted/outbound/special-addresses.ts",
  ],
  "clients/typescript/mcp": ["protocol/json", "protocol/settlement", "clients/typescript/src"],
  "clients/typescript/frameworks": [
    "protocol/settlement",
    "clients/typescript/mcp",
    "clients/typescript/src",
  ],
  console: [
    "protocol/json",
    "protocol/settlement",
    "protocol/tlog",
    "receipts",
    "untrusted/schemas/dialect",
    "clients/typescript/src",
    "clients/generator/names.ts",
    "clients/generator/words.ts",
  ],
};

/** Files of `api/` and `jobs/` that sibling folders may import: they present a resource, or act on it. */
const shared = [
  "api/a2a/agent-card",
  "api/accounts/(api-key|key-bounds|key-spend|new-key)",
  "api/agents/(agent|capability-words|figure-fields|verified-proofs)",
  "api/chain/(served-chain|watched-chains)",
  "api/feedback/feedback",
  "api/files/(file-link|file-reference)",
  "api/marketplace/(agent-search|found-services|search-words|service-search)",
  "api/mcp/resource-metadata",
  "api/orders/(order-fields|order|order-list|order-request|own-orders|relay-answer|trail-entry)",
  "api/organisations/membership",
  "api/payments/(payment-required|purchase-terms)",
  "api/receipts/receipt",
  "api/reports/(report|moderations?)",
  "api/services/(category-tree|pricing-fields|service|stage-fields)",
  "api/tlog/log-state",
  "api/webhooks/(event-feed|webhook)",
  "jobs/receipts/(receipts|status-list)",
  "jobs/fairness/[^/]+",
].map((file) => `^${file}\\.ts$`);

/** The folders of `trade/`: each imports only folders before it. */
const tradeOrder = [
  "fair-shares",
  "accounts",
  "agents",
  "services",
  "domains",
  "mail",
  "webhooks",
  "reputation",
  "relay",
  "spending",
  "files",
  "orders",
  "disputes",
  "payments",
  "passkeys",
  "purchases",
  "requests",
  "reviews",
  "subscriptions",
  "moderation",
  "invoices",
  "privacy",
];
/** The files of `trade/` itself are below all folders but `fair-shares`. */
const arrowsOfTrade = [
  ["fair-shares/", "(?!fair-shares/).+"],
  ["[^/]+$", "(?!fair-shares/)[^/]+/"],
  ...tradeOrder
    .slice(1)
    .map((folder, index) => [`${folder}/`, `(?!(${tradeOrder.slice(0, index + 2).join("|")})/)[^/]+/`]),
].map(([from, to]) => ({
  name: "folders-of-trade",
  comment: "A folder of trade/ imports only folders that stand before it in `tradeOrder`.",
  severity: "error",
  from: { path: `^trade/${from}` },
  to: { path: `^trade/${to}` },
}));

/** Returns the pattern of a folder's files, or of one file. */
function pathOf(room) {
  return room.endsWith(".ts") ? `^${room.replaceAll(".", "\\.")}$` : `^${room}/`;
}
const rooms = Object.keys(mayImport);
/** Modules of Node have no extension. */
const ours = "^(?!node_modules/).+\\.[cm]?[jt]sx?$";

const layers = Object.entries(mayImport).map(([room, others]) => ({
  name: `${room}-may-import`,
  comment: `${room} imports from this repository only ${others.join(", ") || "itself"}.`,
  severity: "error",
  from: { path: pathOf(room), pathNot: rooms.filter((one) => one.startsWith(`${room}/`)).map(pathOf) },
  to: { path: ours, pathNot: [room, ...others].map(pathOf) },
}));

export default {
  forbidden: [
    ...layers,
    ...arrowsOfTrade,
    {
      name: "folders-of-api-and-jobs",
      comment: "A folder imports only shared files of its siblings. All of api/ may import http/.",
      severity: "error",
      from: { path: "^(api|jobs)/([^/]+)/" },
      to: { path: "^$1/(?!$2/|http/)[^/]+/", pathNot: shared },
    },
    {
      name: "moderation-moves-no-money",
      comment:
        "Moderation and the operator API reach no code that places, pays, settles or decides an order, or that relays a call.",
      severity: "error",
      from: { path: "^(trade/moderation/|api/operator/)" },
      to: {
        path: "^(trade/(relay|payments|orders|disputes|purchases|passkeys|spending|subscriptions|requests)/|db/(ledger|new-order)\\.ts$|protocol/settlement/(calls|actions|terms|authorizations|x402)|jobs/)",
      },
    },
    {
      name: "moderation-reaches-no-money",
      comment: "Moderation reaches none of it through other files either.",
      severity: "error",
      from: { path: "^trade/moderation/" },
      to: {
        path: "^(trade/(relay|payments|orders|disputes|purchases|passkeys)/|db/(ledger|new-order)\\.ts$|jobs/)",
        reachable: true,
      },
    },
    {
      name: "http-knows-no-resource",
      severity: "error",
      from: { path: "^api/http/" },
      to: { path: "^api/(?!http/)[^/]+/" },
    },
    {
      name: "folders-of-tests",
      comment: "Code that tests of several folders need is in test/harness/.",
      severity: "error",
      from: { path: "^test/(?!harness/)(.+)/[^/]+$" },
      to: { path: "^test/(?!harness/|$1/)" },
    },
    {
      name: "pure-tests",
      comment:
        "The project `pure` of vitest.config.ts starts no server: a test with a fixture is in another folder.",
      severity: "error",
      from: { path: "^test/(protocol|receipts|untrusted|verifiers)/" },
      to: { path: "^test/harness/fixtures/", reachable: true },
    },
    {
      name: "free-of-node",
      comment: "This code runs in browsers too. Only files that hold keys or store files may use Node.",
      severity: "error",
      from: {
        path: `^(${protocol.join("|")}|untrusted/schemas/dialect|console|clients/typescript/(src|mcp|frameworks))/`,
        pathNot: [
          "^receipts/(keyring|signing-keys|native-ed25519|sign)\\.ts$",
          "^protocol/execution/(bot-signature|sign)\\.ts$",
          "^protocol/tlog/(checkpoint-file|note-signer)\\.ts$",
          "^clients/typescript/src/sessions/",
        ],
      },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "free-of-the-service",
      comment: "Only the service itself uses the database and the web server.",
      severity: "error",
      from: {
        path: `^(${protocol.join("|")}|untrusted|verifiers|tools/(deploy|demo)|clients/typescript/(src|mcp|cli|frameworks)|console)/`,
      },
      to: { path: "node_modules/(drizzle-orm|hono|@hono|pg|ponder|postgres)/" },
    },
    {
      name: "http-in-api",
      comment: "An act, a job or a table does not depend on HTTP.",
      severity: "error",
      from: { path: "^(db|trade|jobs|tools/stack)/" },
      to: { path: "node_modules/(hono|@hono)/" },
    },
    {
      name: "ponder-in-src",
      severity: "error",
      from: { pathNot: "^src/" },
      to: { path: "^ponder:" },
    },
    {
      name: "no-circular",
      comment: "A type that two files share is in a third file that both import.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    // TypeScript 7 has no parser for other programs.
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|contracts/(out|cache)|docs|ops)/|node_modules/.*node_modules/" },
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "node", "default"],
    },
  },
};
