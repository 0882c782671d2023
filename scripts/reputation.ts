// npm run reputation: recomputes an agent's record and score from public data of any installation, and compares them.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isAddress } from "viem";
import { Unreadable } from "../protocol/reputation/public-record.ts";
import { type AuditOptions, auditAgent, reportAudit } from "../protocol/reputation/reputation-report.ts";
import { slugPattern } from "../protocol/settlement/shapes.ts";
import { apiPath } from "../protocol/settlement/vocabulary.ts";
import { issuerOf, locateIssuer } from "../receipts/issuer.ts";
import { NodeError, NodeUnreachable, readFirstBlocks, readNodes } from "./chain-nodes.ts";
import { printError, printJson, printLines } from "./print.ts";

const usage = `Usage: npm run reputation -- --agent <slug or URL> [options]

  --agent            an agent's slug, or a URL that ends in agents/<slug>, of any installation
  --at <url>         the URL of the installation, for a slug (default: http://localhost:42069)
  --rpc <url>        a node of a chain; repeat it with a node of each chain that the installation serves. Without any,
                     nothing is compared with a chain. <chain id>=<url> names the chain of a node that may be down
  --contract <a>     a trusted escrow contract; may be repeated; without it, the contract's code is compared
  --from-block <n>   the first block of the contract's events, as <chain id>=<n> with several nodes; without it, a node with old states is searched for it, and
                     on other nodes the whole chain is read
  --issuer <did>     the did:web name of the receipts' issuer (default: the installation's own)
  --also <slug>      another agent that is paid at the same wallets; may be repeated
  --lag <seconds>    the time within which a settlement must be recorded (default: 600)
  --receipt <file>   a settlement document that you kept, whose escrow must be listed; may be repeated
  --strict           counts an unlisted escrow of the wallets as a difference, even if another installation may have it
  --skip-receipts    does not request receipts and the statement
  --json             prints JSON

Exit code: 0 everything agrees, 1 something differs, 2 no result, or usage. docs/reputation.md has more.`;

class UsageError extends Error {}

async function readRequest(args: string[]): Promise<{ options: AuditOptions; isJson: boolean }> {
  const { values } = parse(args);
  const [, base, slug] = /^(?:(https?:\/\/.+)\/agents\/)?([^/]+)\/?$/.exec(values.agent ?? "") ?? [];
  if (!slug || !slugPattern.test(slug))
    throw new UsageError("--agent must be a slug, or a URL that ends in agents/<slug>.");
  const at = base ?? values.at;
  if (!URL.canParse(at) || !/^https?:$/.test(new URL(at).protocol))
    throw new UsageError("--at must be an http(s) URL.");
  const { origin } = new URL(at);
  const issuer = values.issuer ?? issuerOf(origin);
  if (locateIssuer(issuer) === null)
    throw new UsageError("--issuer must be a did:web name in its normal form.");
  const { rpc = [], contract: contracts = [], also = [], receipt: receipts = [], lag } = values;
  if (!contracts.every((one) => isAddress(one, { strict: false })))
    throw new UsageError("--contract must be an address.");
  if (!also.every((one) => slugPattern.test(one))) throw new UsageError("--also must be a slug.");
  if (!/^\d{1,12}$/.test(lag)) throw new UsageError("--lag must be a whole number.");
  const nodes = await readNodes(rpc);
  return {
    isJson: values.json,
    options: {
      api: origin + apiPath,
      slug,
      issuer,
      also,
      contracts,
      nodes,
      firstBlocks: readFirstBlocks(values["from-block"] ?? [], nodes),
      lag: Number(lag) * 1000,
      checksReceipts: !values["skip-receipts"],
      storedReceipts: receipts.map(readKeptFile),
      isStrict: values.strict,
    },
  };
}

function readKeptFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`--receipt ${path} cannot be read: ${(error as Error).message}`);
  }
}

function parse(args: string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const many = { type: "string", multiple: true } as const;
  try {
    return parseArgs({
      args,
      options: {
        agent: text,
        rpc: many,
        "from-block": many,
        issuer: text,
        contract: many,
        also: many,
        receipt: many,
        at: { type: "string", default: "http://localhost:42069" },
        lag: { type: "string", default: "600" },
        "skip-receipts": flag,
        strict: flag,
        json: flag,
      } as const,
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

try {
  const { options, isJson } = await readRequest(process.argv.slice(2));
  const audit = await auditAgent(options);
  if (isJson) printJson(audit, 2);
  else printLines(...reportAudit(audit));
  process.exitCode = { agrees: 0, differs: 1, unknown: 2 }[audit.verdict];
} catch (error) {
  const isUsage = error instanceof UsageError || error instanceof NodeError;
  if (!(isUsage || error instanceof Unreadable || error instanceof NodeUnreachable)) throw error;
  printError(error.message, isUsage ? usage : undefined);
  process.exitCode = 2;
}
