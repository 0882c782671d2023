/** `npm run verify -- <receipt> --issuer <did>`: checks a receipt from outside, with nothing of the service's own. */
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { createPublicClient, http, isAddress } from "viem";
import { z } from "zod";
import { confirmOnChain } from "../receipts/chain.ts";
import type { ReceiptErrorCode, ReceiptFailure } from "../receipts/errors.ts";
import { locateIssuer } from "../receipts/issuer.ts";
import { parseJson } from "../receipts/json.ts";
import { verifyKeyLog } from "../receipts/keylog.ts";
import { fetchText } from "../receipts/resolve.ts";
import type { StatusAnswer } from "../receipts/status.ts";
import { type VerifiedDocument, verifyReceipt, verifyX402Receipt } from "../receipts/verify.ts";

const USAGE = `Usage: npm run verify -- <receipt> --issuer <did> [--rpc <url>] [--contract <address>] [--confirmations <n>]
       npm run verify -- --key-log --issuer <did> [--pin <hash>]

  <receipt>        a file, an http(s) URL or - for standard input: a settlement document, a receipt
                   as the API gives it, a compact JWS, or {"format": "jws", "signature": "..."}
  --issuer         the did:web name it must come from, such as did:web:localhost%3A42069
  --rpc            a node of the receipt's chain; without it the chain is not asked
  --contract       the escrow contract it must be about; without it, the one that the receipt names
  --confirmations  how deep the transaction must be (1 unless told)
  --skip-status    do not ask the issuer whether it took the receipt back
  --key-log        checks the log of the issuer's keys in the place of a receipt
  --pin            the head that an earlier check of the log printed

Exit code: 0 all that was asked is good, 1 something is not or could not be asked, 2 usage.`;

const jwsSchema = z.union([z.string(), z.looseObject({ format: z.literal("jws"), signature: z.string() })]);

/** The API's receipt object, of which only the signed parts are evidence. */
const receiptObjectSchema = z.looseObject({
  document: z.unknown().refine((document) => document !== undefined && document !== null),
  x402_receipt: jwsSchema.nullish(),
  revoked: z.boolean().optional(),
});

interface Request {
  /** null where the key log is to be checked. */
  receipt: string | null;
  issuer: string;
  rpc: string | undefined;
  contract: string | undefined;
  confirmations: number;
  status: "ask" | "skip";
  pin: string | undefined;
}

interface Parts {
  document?: unknown;
  jws?: unknown;
  revoked?: boolean;
}

class UsageError extends Error {}

function readRequest(args: string[]): Request {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const [receipt, ...rest] = parsed.positionals;
  const { issuer, rpc, contract, confirmations, pin } = parsed.values;
  const isLog = parsed.values["key-log"];
  if (isLog ? receipt !== undefined : receipt === undefined || rest.length > 0) {
    throw new UsageError("Give one receipt, or --key-log.");
  }
  if (issuer === undefined)
    throw new UsageError("Give the issuer you expect: a receipt's own word is not evidence.");
  if (locateIssuer(issuer) === null)
    throw new UsageError("--issuer must be a did:web name in its normal form.");
  if (rpc !== undefined && !/^https?:\/\//.test(rpc)) throw new UsageError("--rpc must be an http(s) URL.");
  if (!/^[1-9]\d{0,8}$/.test(confirmations))
    throw new UsageError("--confirmations must be a whole number from 1 on.");
  if (contract !== undefined && !isAddress(contract, { strict: false }))
    throw new UsageError("--contract must be an address.");
  if (pin !== undefined && !(isLog && /^0x[0-9a-f]{64}$/.test(pin)))
    throw new UsageError("--pin goes with --key-log and is a hash, as the check of a key log prints it.");
  const status = parsed.values["skip-status"] ? "skip" : "ask";
  return {
    receipt: receipt ?? null,
    issuer,
    rpc,
    contract,
    confirmations: Number(confirmations),
    status,
    pin,
  };
}

function parse(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      issuer: { type: "string" },
      rpc: { type: "string" },
      contract: { type: "string" },
      confirmations: { type: "string", default: "1" },
      "skip-status": { type: "boolean", default: false },
      "key-log": { type: "boolean", default: false },
      pin: { type: "string" },
    },
  });
}

async function readReceipt(source: string): Promise<string> {
  if (source === "-") return text(process.stdin);
  if (/^https?:\/\//.test(source)) return fetchText(source, { timeoutMs: 10_000, maxBytes: 262_144 });
  return readFile(source, "utf8");
}

/** Takes what was read apart into what is signed. A document stays text, so that doubled members are found. */
function readParts(input: string): Parts {
  const trimmed = input.trim();
  if (!trimmed.startsWith("{")) return { jws: trimmed };
  const value = parseJson(trimmed);
  if (jwsSchema.safeParse(value).success) return { jws: value };
  const receipt = receiptObjectSchema.safeParse(value);
  if (!receipt.success) return { document: trimmed };
  const { document, x402_receipt, revoked = false } = receipt.data;
  return { document, jws: x402_receipt ?? undefined, revoked };
}

async function checkDocument(document: unknown, request: Request): Promise<VerifiedDocument | null> {
  const { issuer, status, contract, confirmations } = request;
  const client = clientOf(request);
  const chain = client && contract !== undefined ? { client, contract, confirmations } : undefined;
  const result = await verifyReceipt(document, { issuer, status, chain });
  if (!result.valid) {
    console.log(`settlement document: ${describeFailure(result)}`);
    return null;
  }
  const said = result.document;
  const sentence = {
    funded: `${said.buyer} funded the escrow for ${said.provider}`,
    released: `the escrow was released to ${said.provider}`,
    refunded: `the escrow was refunded to ${said.buyer}`,
  }[said.claim];
  console.log("settlement document: signature good");
  console.log(`  key          ${result.keyId}`);
  console.log(`  says         ${sentence}`);
  console.log(`  amount       ${said.amount} base units of ${said.token}`);
  console.log(`  order        ${said.order_id}, agreement ${said.agreement_hash}`);
  console.log(`  transaction  ${said.transaction} on ${said.chain}, block ${said.block_number}`);
  console.log(`  issued at    ${said.issued_at}`);
  if (result.compromisedSince) {
    console.log(
      `  note         the key is compromised since ${result.compromisedSince}; the chain bears out the event, and`,
    );
    console.log("               nothing bears out what the event does not name");
  }
  console.log(`  status       ${describeStatus(result)}`);
  return result;
}

async function checkX402Receipt(
  jws: unknown,
  { issuer, status }: Request,
  verified: VerifiedDocument | null,
): Promise<boolean> {
  const beside = verified
    ? { transaction: verified.document.transaction, network: verified.document.chain }
    : {};
  const result = await verifyX402Receipt(jws, { issuer, status, ...beside });
  if (!result.valid) {
    console.log(`x402 receipt: ${describeFailure(result)}`);
    return false;
  }
  const said = result.receipt;
  console.log("x402 receipt: signature good");
  console.log(`  key          ${result.keyId}`);
  console.log(`  says         ${said.payer} paid for ${said.resourceUrl}, which was delivered`);
  console.log(`  transaction  ${said.transaction} on ${said.network}`);
  console.log(`  issued at    ${new Date(said.issuedAt * 1000).toISOString()}`);
  console.log(`  status       ${describeStatus(result)}`);
  return isStatusGood(result);
}

function describeStatus({ status, statusReason }: StatusAnswer): string {
  if (status === "good") return "good: the issuer did not take it back";
  if (statusReason.code === "status_not_asked") return "not asked";
  return `unknown, ${statusReason.code}\n  ${statusReason.message}`;
}

function isStatusGood({ status, statusReason }: StatusAnswer): boolean {
  return status === "good" || statusReason.code === "status_not_asked";
}

function describeFailure({ code, message }: ReceiptFailure): string {
  const verdicts: Partial<Record<ReceiptErrorCode, string>> = {
    keys_unavailable: "signature not checked",
    key_compromised: "signature not trusted",
    receipt_revoked: "signature good, but taken back",
  };
  return `${verdicts[code] ?? "signature bad"}, ${code}\n  ${message}`;
}

function clientOf({ rpc }: Request) {
  if (rpc === undefined) return undefined;
  return createPublicClient({ transport: http(rpc, { retryCount: 1, timeout: 10_000 }) });
}

async function checkChain(
  request: Request,
  parts: Parts,
  verified: VerifiedDocument | null,
): Promise<boolean> {
  const client = clientOf(request);
  if (!client) {
    console.log("chain: not asked (give --rpc to ask); a good signature does not show that money moved");
    return true;
  }
  if (!verified) {
    const reason =
      "document" in parts ? "the document is not good" : "only a settlement document names an event";
    console.log(`chain: could not be asked, ${reason}`);
    return false;
  }
  const { confirmations, contract } = request;
  const answer = await confirmOnChain(verified, client, { confirmations, contract });
  if (!answer.checked) console.log(`chain: could not be asked, ${answer.code}\n  ${answer.message}`);
  else if (!answer.agrees) console.log(`chain: disagrees, ${answer.code}\n  ${answer.message}`);
  else console.log(`chain: agrees, ${answer.confirmations} confirmations`);
  return answer.checked && answer.agrees;
}

async function checkKeyLog({ issuer, pin }: Request): Promise<boolean> {
  const result = await verifyKeyLog(undefined, { issuer, pin });
  if (!result.valid) {
    console.log(`key log: bad, ${result.code}\n  ${result.message}`);
    return false;
  }
  console.log(`key log: good, ${result.entries} entries${pin ? ", the pinned one among them" : ""}`);
  for (const { kid, not_before, retired_at, compromised_since } of result.keys) {
    const until = retired_at ? ` to ${retired_at}` : "";
    console.log(
      `  ${kid}  from ${not_before}${until}${compromised_since ? `, compromised since ${compromised_since}` : ""}`,
    );
  }
  if (result.doubtful.length > 0) {
    console.log(`  entries a thief could have made, by their keys: ${result.doubtful.join(", ")}`);
  }
  console.log(`  head  ${result.head}`);
  return true;
}

async function verify(request: Request): Promise<boolean> {
  if (request.receipt === null) return checkKeyLog(request);
  let parts: Parts;
  try {
    parts = readParts(await readReceipt(request.receipt));
  } catch (error) {
    console.log(`receipt: cannot be read\n  ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
  const verified = "document" in parts ? await checkDocument(parts.document, request) : null;
  const documentGood = !("document" in parts) || (verified !== null && isStatusGood(verified));
  const jwsGood = parts.jws === undefined || (await checkX402Receipt(parts.jws, request, verified));
  if (parts.revoked) console.log("service: says that this receipt is revoked");
  const chainGood = await checkChain(request, parts, verified);
  return documentGood && jwsGood && chainGood && !parts.revoked;
}

try {
  process.exitCode = (await verify(readRequest(process.argv.slice(2)))) ? 0 : 1;
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
