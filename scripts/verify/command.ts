import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { isAddress } from "viem";
import { memoryFile, rememberInFile } from "../../protocol/tlog/checkpoint-file.ts";
import { reportLookup } from "../../protocol/tlog/log-report.ts";
import { partsInLog } from "../../protocol/tlog/logged-receipt.ts";
import { fetchText } from "../../receipts/did-resolution.ts";
import { locateIssuer } from "../../receipts/issuer.ts";
import { printable } from "../../receipts/printable.ts";
import {
  type ReceiptParts,
  type ReportOptions,
  readParts,
  reportKeyLog,
  reportReceipt,
  reportRecord,
} from "../../receipts/receipt-report.ts";

const USAGE = `Usage: npm run verify -- <receipt> --issuer <did> [--rpc <url>]... [--contract <address>] [--confirmations <n>]
       npm run verify -- --record <statement> --issuer <did> [--agent <id or slug>]
       npm run verify -- --key-log --issuer <did> [--pin <hash>]

  <receipt>        a file, an http(s) URL or - for standard input: a settlement document, a receipt
                   as the API gives it, a compact JWS, or {"format": "jws", "signature": "..."}
  --issuer         the expected issuer, a did:web name such as did:web:localhost%3A42069
  --rpc            a node of the receipt's chain; without it, nothing is compared with the chain.
                   May be repeated with a node of each chain
  --contract       the expected escrow contract (default: the contract in the receipt)
  --confirmations  the required depth of the transaction (default: 1)
  --skip-status    does not check whether the issuer revoked the receipt
  --log            the use of the issuer's log: ask (default) reports a missing receipt, require fails without it,
                   skip does not read the log
  --log-key        the log's verifier key, as /log/vkey gives it; implies --log require
  --policy         a file with a policy of witnesses (c2sp.org/tlog-policy); implies --log require
  --log-memory     the file that remembers the logs (default: ~/.local/state/earnest/logs.json)
  --record         checks a statement of an agent's record instead of a receipt
  --agent          the expected agent of the statement (default: any)
  --key-log        checks the log of the issuer's keys instead of a receipt
  --pin            the head of the key log that an earlier check printed

Exit code: 0 every check passed, 1 a check failed or could not be made, 2 usage.`;

type Request = Omit<ReportOptions, "print"> & {
  /** null to check the key log */
  receipt: string | null;
  pin: string | undefined;
  isRecord: boolean;
  agent: string | undefined;
  log: "ask" | "require" | "skip";
  logKey: string | undefined;
  /** the name of a file */
  policy: string | undefined;
  memory: string | undefined;
};

class UsageError extends Error {}

/** The command's environment besides its arguments. */
type CommandEnvironment = {
  readInput: () => Promise<string>;
  print: (line: string) => void;
  complain: (lines: string) => void;
};

/** Runs the command. Returns its exit code. */
export async function runVerify(args: string[], outside: CommandEnvironment): Promise<0 | 1 | 2> {
  try {
    return (await verify(readRequest(args), outside)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    outside.complain(`${error.message}\n\n${USAGE}`);
    return 2;
  }
}

function readRequest(args: string[]): Request {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const [receipt, ...rest] = parsed.positionals;
  const { issuer, rpc = [], contract, confirmations, pin } = parsed.values;
  const isLog = parsed.values["key-log"];
  if (isLog ? receipt !== undefined : receipt === undefined || rest.length > 0) {
    throw new UsageError("Give one receipt, or --record and one statement, or --key-log.");
  }
  const { record: isRecord, agent } = parsed.values;
  if (isRecord && isLog) throw new UsageError("--record and --key-log exclude each other: give one of them.");
  if (agent !== undefined && !isRecord) throw new UsageError("--agent needs --record.");
  if (issuer === undefined)
    throw new UsageError(
      "--issuer is missing: give the issuer that you expect. The issuer in the receipt proves nothing.",
    );
  if (locateIssuer(issuer) === null)
    throw new UsageError("--issuer must be a did:web name in its normal form.");
  if (rpc.some((url) => !/^https?:\/\//.test(url))) throw new UsageError("--rpc must be an http(s) URL.");
  if (!/^[1-9]\d{0,8}$/.test(confirmations))
    throw new UsageError("--confirmations must be a whole number of at least 1.");
  if (contract !== undefined && !isAddress(contract, { strict: false }))
    throw new UsageError("--contract must be an address.");
  if (pin !== undefined && !(isLog && /^0x[0-9a-f]{64}$/.test(pin)))
    throw new UsageError("--pin needs --key-log, and must be a hash, as the check of a key log prints it.");
  const status = parsed.values["skip-status"] ? "skip" : "ask";
  const { log, "log-key": logKey, policy, "log-memory": memory } = parsed.values;
  if (log !== "ask" && log !== "require" && log !== "skip")
    throw new UsageError("--log must be ask, require or skip.");
  if (log === "skip" && (logKey ?? policy) !== undefined)
    throw new UsageError("--log-key and --policy exclude --log skip.");
  return {
    receipt: receipt ?? null,
    issuer,
    rpc,
    contract,
    confirmations: Number(confirmations),
    status,
    pin,
    isRecord,
    agent,
    log: (logKey ?? policy) === undefined ? log : "require",
    logKey,
    policy,
    memory,
  };
}

function parse(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      issuer: { type: "string" },
      rpc: { type: "string", multiple: true },
      contract: { type: "string" },
      confirmations: { type: "string", default: "1" },
      "skip-status": { type: "boolean", default: false },
      record: { type: "boolean", default: false },
      agent: { type: "string" },
      "key-log": { type: "boolean", default: false },
      pin: { type: "string" },
      log: { type: "string", default: "ask" },
      "log-key": { type: "string" },
      policy: { type: "string" },
      "log-memory": { type: "string" },
    },
  });
}

async function readReceipt(source: string, readInput: () => Promise<string>): Promise<string> {
  if (source === "-") return readInput();
  if (/^https?:\/\//.test(source)) return fetchText(source, { timeoutMs: 10_000, maxBytes: 262_144 });
  return readFile(source, "utf8");
}

async function verify(request: Request, { print, readInput }: CommandEnvironment): Promise<boolean> {
  const printLines = (...lines: string[]) => {
    for (const line of lines) print(printable(line));
  };
  const report = { ...request, print: printLines };
  if (request.receipt === null) return reportKeyLog(report);
  let parts: ReceiptParts;
  try {
    const given = await readReceipt(request.receipt, readInput);
    if (request.isRecord) return await reportRecord(given, report);
    parts = readParts(given);
  } catch (error) {
    const name = request.isRecord ? "agent record" : "receipt";
    printLines(`${name}: cannot be read`, `  ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
  const isGood = await reportReceipt(parts, report);
  return (await findInLog(parts, report)) && isGood;
}

/** Whether the issuer's log has the receipt, if the request includes the log. */
async function findInLog(
  parts: ReceiptParts,
  request: Request & Pick<ReportOptions, "print">,
): Promise<boolean> {
  if (request.log === "skip") return true;
  const policy = request.policy === undefined ? undefined : await readFile(request.policy, "utf8");
  return reportLookup(partsInLog(parts), {
    issuer: request.issuer,
    ...(request.logKey === undefined ? {} : { vkey: request.logKey }),
    ...(policy === undefined ? {} : { policy }),
    memory: rememberInFile(request.memory),
    memoryFile: request.memory ?? memoryFile(),
    isRequired: request.log === "require",
    print: request.print,
  });
}
