// npm run monitor: follows the log of an installation, and reports missing, extra, late and changed entries.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Address, isAddress } from "viem";
import { parseJson } from "../protocol/json/parse.ts";
import { findNetwork } from "../protocol/settlement/networks.ts";
import { findUnchecked, servedChainsAnswer } from "../protocol/settlement/served-chains.ts";
import { apiPath } from "../protocol/settlement/vocabulary.ts";
import { LogRejection } from "../protocol/tlog/errors.ts";
import { formatVerifierKey, parseVerifierKey } from "../protocol/tlog/note.ts";
import { parsePolicy } from "../protocol/tlog/policy.ts";
import { issuerOf, locateIssuer } from "../receipts/issuer.ts";
import type { ChainOptions } from "../verifiers/monitor/anchors-on-chain.ts";
import { type Finding, Findings } from "../verifiers/monitor/findings.ts";
import { Installation, Unreachable } from "../verifiers/monitor/installation.ts";
import { Monitor, type MonitorOptions } from "../verifiers/monitor/monitor.ts";
import { MemoryError } from "../verifiers/monitor/state-file.ts";
import { NodeError, NodeUnreachable, readFirstBlocks, readNodes } from "./chain-nodes.ts";
import { indented, printError, printJson, printLines } from "./print.ts";

const usage = `Usage: npm run monitor -- <address> [options]

  <address>          the URL of the installation, as in https://earnest.example
  --once             reads the whole log once, and ends (default)
  --follow           reads the log every --every seconds (default: 10) until it is stopped
  --vkey <key>       the log's verifier key (default: the key of the first run)
  --state <file>     the file that remembers the log (default: .earnest/monitor/<host>.json)
  --policy <file>    a policy (c2sp.org/tlog-policy): its quorum must have cosigned, and its witnesses with a URL
                     are asked for their checkpoints
  --issuer <did>     the did:web name of the receipts' issuer (default: the name of the address)
  --rpc <url>        a node of a chain: every receipt is compared with its event, every event with the log. Repeat it
                     with a node of each chain that the installation serves. <chain id>=<url> names the chain of a node
                     that may be down
  --contract <a>     an escrow contract; may be repeated (default: the contract that the installation names, by chain)
  --from-block <n>   the first block of the events, as <chain id>=<n> with several nodes (default: the block of the first
                     logged receipt)
  --confirmations <n>  the required depth of an event (default: the chain's usual depth)
  --shared-contract  the contract has other users too: only escrows in the log count
  --anchors <a>      the contract of anchors; with --anchored-by <address>, its anchors are compared with the log
  --grace <seconds>  the time within which a fact must be logged (default: 120)
  --tree-only        checks only the tree, and requests no receipt
  --json             prints JSON: a line for each finding, and one at the end of each pass

Exit code: 0 no findings, 1 findings, 2 usage. docs/monitor.md explains each finding.`;

class UsageError extends Error {}

type Request = {
  options: MonitorOptions;
  isFollowing: boolean;
  everyMs: number;
  isJson: boolean;
};
type Values = ReturnType<typeof parse>["values"];

function parse(args: string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h" },
        once: flag,
        follow: flag,
        json: flag,
        "tree-only": flag,
        "shared-contract": flag,
        vkey: text,
        state: text,
        policy: text,
        issuer: text,
        rpc: { type: "string", multiple: true } as const,
        anchors: text,
        "anchored-by": text,
        contract: { type: "string", multiple: true },
        "from-block": { type: "string", multiple: true },
        confirmations: text,
        every: { type: "string", default: "10" },
        grace: { type: "string", default: "120" },
      } as const,
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readAddress(text: string | undefined): string {
  if (text === undefined || !/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new UsageError("Give the URL of an installation, as in https://earnest.example.");
  return text.replace(/\/+$/, "");
}

function readNumber(option: string, text: string, least: number): number {
  if (!/^\d{1,12}$/.test(text) || Number(text) < least)
    throw new UsageError(`--${option} must be a whole number of at least ${least}.`);
  return Number(text);
}

function readOption<T>(option: string, text: string | undefined, read: (text: string) => T): T | undefined {
  if (text === undefined) return undefined;
  try {
    return read(text);
  } catch (error) {
    throw new UsageError(`--${option}: ${(error as Error).message}`);
  }
}

function readContract(option: string, text: string): Address {
  if (!isAddress(text, { strict: false })) throw new UsageError(`--${option} must be an address.`);
  return text;
}

async function readRequest(args: string[]): Promise<Request | null> {
  const { values, positionals } = parse(args);
  if (values.help) return null;
  const address = readAddress(positionals[0]);
  if (positionals.length > 1) throw new UsageError("Give only one URL.");
  if (values.once && values.follow) throw new UsageError("Give either --once or --follow.");
  const issuer = values.issuer ?? issuerOf(address);
  if (locateIssuer(issuer) === null)
    throw new UsageError("--issuer must be a did:web name in its normal form.");
  const host = new URL(address).host.replaceAll(":", "_");
  return {
    options: {
      address,
      issuer,
      vkey: readOption("vkey", values.vkey, (text) => formatVerifierKey(parseVerifierKey(text))),
      policy: readOption("policy", values.policy, (file) => parsePolicy(readFileSync(file, "utf8"))),
      memoryFile: values.state ?? `.earnest/monitor/${host}.json`,
      ...(await readChains(address, values)),
      graceMs: 1000 * readNumber("grace", values.grace, 1),
      // Longer than the log waits for its witnesses.
      aheadMs: 15_000,
      isTreeOnly: values["tree-only"],
    },
    isFollowing: values.follow,
    everyMs: 1000 * readNumber("every", values.every, 1),
    isJson: values.json,
  };
}

/** Reads the options of the comparison with the chains. The installation gives the missing values. */
async function readChains(
  address: string,
  values: Values,
): Promise<Pick<MonitorOptions, "chains" | "unchecked">> {
  const { rpc = [], anchors, "anchored-by": publisher } = values;
  const nodes = await readNodes(rpc);
  const firstBlocks = readFirstBlocks(values["from-block"] ?? [], nodes);
  if ((anchors === undefined) !== (publisher === undefined))
    throw new UsageError("--anchors and --anchored-by need each other: give both.");
  if (nodes.length === 0) return {};
  const { text } = await new Installation(address).readText(`${apiPath}/chains`, 1_048_576);
  const served = text === null ? [] : servedChainsAnswer.parse(parseJson(text)).items;
  const chains = nodes.map(({ chainId, url }): ChainOptions => {
    const named = served.find(({ chain_id }) => chain_id === chainId)?.escrow_contract;
    const contracts = values.contract ?? (named === undefined ? [] : [named]);
    if (contracts.length === 0)
      throw new UsageError(
        `The installation names no escrow contract on chain ${chainId}, the chain of ${url}: give --contract.`,
      );
    const usual = findNetwork(chainId)?.confirmations ?? 12;
    return {
      chainId,
      rpc: url,
      fromBlock: firstBlocks.get(chainId),
      isShared: values["shared-contract"],
      contracts: contracts.map((one) => readContract("contract", one)),
      confirmations:
        values.confirmations === undefined ? usual : readNumber("confirmations", values.confirmations, 1),
      anchors:
        anchors === undefined || publisher === undefined
          ? undefined
          : {
              contract: readContract("anchors", anchors),
              publisher: readContract("anchored-by", publisher),
            },
    };
  });
  return { chains, unchecked: findUnchecked(served, nodes) };
}

function printFinding({ code, subject, message, evidence }: Finding): void {
  printLines(`${code}  ${subject}`, `  ${message}`);
  for (const note of evidence ?? []) printLines("", ...indented(note), "");
}

function summarise(monitor: Monitor, findings: Findings, seconds: number, isJson: boolean): void {
  const { vkey, entries, unread, receipts, chains, requests } = monitor.progress;
  const found = Object.fromEntries(findings.counts);
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  if (isJson) {
    printJson({ pass: { ...monitor.progress, found, seconds, peak_mb: peakMb } });
    return;
  }
  const codes = Object.entries(found).map(([code, count]) => `${count} ${code}`);
  printLines(`${codes.length === 0 ? "No findings" : `Findings: ${codes.join(", ")}`}.`);
  printLines(`  log key   ${vkey ?? "unknown"}`);
  const without = unread === 0 ? "" : `, of which ${unread} could not be read`;
  printLines(`  entries   ${entries}${without}; ${receipts} receipts are served as they were logged`);
  for (const { chain, confirmed, unconfirmed } of chains)
    printLines(`  chain     ${chain} confirms ${confirmed}; ${unconfirmed} could not be compared`);
  printLines(`  effort    ${requests} requests, ${seconds} s, ${peakMb} MB at most`);
}

async function run(request: Request): Promise<number> {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());
  const { isJson, isFollowing, everyMs } = request;
  const findings = new Findings((finding) => (isJson ? printJson({ finding }) : printFinding(finding)));
  const monitor = new Monitor({ ...request.options, signal: stop.signal }, findings);
  try {
    do {
      const begin = performance.now();
      await monitor.check();
      summarise(monitor, findings, Math.round((performance.now() - begin) / 100) / 10, isJson);
      if (isFollowing) await sleep(everyMs, undefined, { signal: stop.signal });
    } while (isFollowing);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    monitor.close();
  }
  return findings.total > 0 ? 1 : 0;
}

try {
  const request = await readRequest(process.argv.slice(2));
  if (request === null) console.log(usage);
  else process.exitCode = await run(request);
} catch (error) {
  if (error instanceof UsageError || error instanceof NodeError) {
    printError(error.message, usage);
    process.exitCode = 2;
  } else if (error instanceof Unreachable || error instanceof NodeUnreachable) {
    printError(error.message);
    process.exitCode = 1;
  } else if (error instanceof MemoryError || error instanceof LogRejection) {
    printError(error.message);
    process.exitCode = 2;
  } else throw error;
}
