// Which room may import which: the table of docs/architecture.md. `npm run check` runs it.

/** The rooms by which an outsider recomputes or verifies. */
const protocol = ["abis", "json", "settlement", "receipts", "reputation", "tlog", "webhooks", "execution"];
const service = [...protocol, "config", "facts", "outbound", "checker", "db"];
/** The files on the top level belong to `config`. */
const config = "config/|(?!ponder[.-]|vitest\\.)[^/]+\\.ts$";

/** By each room, what it may import of ours besides itself: rooms, or single files of rooms. */
const mayImport = {
  abis: [],
  json: [],
  settlement: ["abis", "json"],
  receipts: ["abis", "json"],
  reputation: ["abis", "json", "settlement", "receipts"],
  tlog: ["receipts"],
  webhooks: [],
  execution: ["json", "receipts"],
  facts: ["settlement"],
  outbound: [],
  checker: ["json", "settlement"],
  "checker/dialect": ["json"],
  config: ["settlement", "receipts", "tlog"],
  db: ["abis", "config", "json", "settlement", "reputation", "tlog", "facts"],
  trade: service,
  api: [...service, "trade", "build/output.ts"],
  "api/mcp": [...service, "trade", "api", "clients/typescript/mcp", "clients/typescript/src/index.ts"],
  jobs: [...service, "trade"],
  src: [],
  "src/api": [...service, "trade", "api"],
  indexer: ["config", "db"],
  build: ["config"],
  deploy: ["abis", "config", "settlement"],
  stack: ["abis", "build", "config", "db", "demo", "deploy", "indexer", "settlement"],
  simulation: ["abis", "build", "config", "db/migrate.ts", "deploy", "settlement", "stack"],
  "simulation/checker": ["abis"],
  cluster: ["build", "config", "db/migrate.ts", "deploy", "simulation", "stack"],
  monitor: ["abis", "settlement", "receipts", "tlog"],
  witness: ["config", "receipts", "tlog"],
  clients: [...protocol, "scripts", "stack", "test/harness", "vitest.config.ts"],
  "clients/typescript/src": ["json", "settlement", "receipts", "tlog", "webhooks", "execution"],
  "clients/typescript/mcp": ["json", "settlement", "receipts", "clients/typescript/src"],
  console: ["json", "settlement", "receipts", "tlog", "checker/dialect", "clients/typescript/src"],
  demo: ["abis", "clients/typescript/src", "stack"],
};

/** Files that several folders of `api/` or `jobs/` import: they present a resource, or act on it. */
const shared = [
  "api/accounts/api-key",
  "api/agents/(agent|capability-words|repute|verified)",
  "api/chain/served",
  "api/feedback/feedback",
  "api/mcp/resource",
  "api/orders/(fields|order|order-list|order-request|relay|trail-entry)",
  "api/organisations/membership",
  "api/payments/(payment-required|purchase-terms)",
  "api/receipts/receipt",
  "api/services/(categories|pricing|service)",
  "api/tlog/state",
  "api/webhooks/webhook",
  "jobs/receipts/(receipts|status)",
  "jobs/strangers/[^/]+",
].map((file) => `^${file}\\.ts$`);

/** The pattern of a room's files, or of one file. */
function pathOf(room) {
  if (room === "config") return `^(${config})`;
  return room.endsWith(".ts") ? `^${room.replaceAll(".", "\\.")}$` : `^${room}/`;
}
const rooms = Object.keys(mayImport);
/** Modules of Node have no extension. */
const ours = "^(?!node_modules/).+\\.[cm]?[jt]sx?$";

const layers = Object.entries(mayImport).map(([room, others]) => ({
  name: `${room}-may-import`,
  comment: `${room} imports of ours only ${others.join(", ") || "nothing"}.`,
  severity: "error",
  from: { path: pathOf(room), pathNot: rooms.filter((one) => one.startsWith(`${room}/`)).map(pathOf) },
  to: { path: ours, pathNot: [room, ...others].map(pathOf) },
}));

export default {
  forbidden: [
    ...layers,
    {
      name: "folders-of-api-and-jobs",
      comment: "A folder imports of its siblings only what they share. http/ is for all of api/.",
      severity: "error",
      from: { path: "^(api|jobs)/([^/]+)/" },
      to: { path: "^$1/(?!$2/|http/)[^/]+/", pathNot: shared },
    },
    {
      name: "http-knows-no-resource",
      severity: "error",
      from: { path: "^api/http/" },
      to: { path: "^api/(?!http/)[^/]+/" },
    },
    {
      name: "folders-of-tests",
      comment: "What tests of several folders need is in test/harness/.",
      severity: "error",
      from: { path: "^test/(?!harness/)(.+)/[^/]+$" },
      to: { path: "^test/(?!harness/|$1/)" },
    },
    {
      name: "free-of-node",
      comment: "It runs in browsers too. Only files that hold keys or keep files may use Node.",
      severity: "error",
      from: {
        path: `^(${protocol.join("|")}|facts|checker/dialect|console|clients/typescript/(src|mcp))/`,
        pathNot: [
          "^receipts/(keyring|keys|native|sign)\\.ts$",
          "^execution/sign\\.ts$",
          "^tlog/(file|native)\\.ts$",
        ],
      },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "free-of-the-service",
      comment: "Only the service itself uses the database and the web server.",
      severity: "error",
      from: {
        path: `^(${protocol.join("|")}|facts|outbound|checker|deploy|monitor|witness|clients/typescript/(src|mcp|cli)|console|demo)/`,
      },
      to: { path: "node_modules/(drizzle-orm|hono|@hono|pg|ponder|postgres)/" },
    },
    {
      name: "http-in-api",
      comment: "A verb, a job or a table knows nothing of HTTP.",
      severity: "error",
      from: { path: "^(db|trade|jobs|stack)/" },
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
      comment: "A type is gone when the program runs.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
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
