import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createServer } from "../mcp/server.ts";
import type { HeldWallet, ToolContext } from "../mcp/tool-context.ts";
import { Earnest, type Scope } from "../src/index.ts";
import { issuerOf, verifyReceipts } from "../src/receipts.ts";
import { openHeldSessions } from "./held-sessions.ts";
import { createStdio } from "./mcp-stdio.ts";
import { printToStderr } from "./print.ts";
import { openWallet, readKey, readPayWith, readUrl, stateFolder } from "./settings.ts";
import { openSpendingLimits } from "./spending-limits.ts";

export interface McpOptions {
  rpc: string[] | undefined;
  /** The trusted issuer of receipts. Default: the service. */
  issuer: string | undefined;
}

/** The default limits of a wallet, for each token by itself. */
const defaultLimits = { perOrder: "5.00", perDay: "20.00" };

/** Serves MCP on standard input and output, for one assistant on this machine. Standard output has only the protocol. */
export async function serveMcp({ rpc, issuer }: McpOptions): Promise<void> {
  const baseUrl = readUrl();
  const key = readKey();
  const earnest = new Earnest({ baseUrl, ...(key === undefined ? {} : { apiKey: key }) });
  const wallet = holdWallet(rpc);
  const scopes = await readScopes(earnest, key);
  const context: ToolContext = {
    earnest,
    scopes,
    wallet,
    ...(wallet ? { sessions: openHeldSessions(`${stateFolder()}/sessions`, wallet, baseUrl) } : {}),
    keysUrl: `${new URL(baseUrl).origin}/keys`,
    async verify(receipt) {
      const trusted = issuer ?? issuerOf(new URL(baseUrl).origin);
      const [checked] = await verifyReceipts([receipt], { issuer: trusted });
      if (!checked) throw new Error("The verifier returned no result for this receipt.");
      const about = { checked_by: "this program" as const, issuer: trusted };
      if (!checked.valid) {
        const { code, message } = checked;
        return { ...about, valid: false, code, message, says: null, status: null };
      }
      const says = "document" in checked ? checked.document : checked.receipt;
      return {
        ...about,
        valid: true,
        code: null,
        message: null,
        says: says as unknown as Record<string, unknown>,
        status: checked.status,
      };
    },
    // The process serves one assistant, so waiting calls need no limit.
    waits: { longest: 1800, acquire: async () => () => {} },
  };
  const holds = wallet
    ? `pays with ${wallet.address}, ${wallet.limits.perOrder} per order and ${wallet.limits.perDay} per day at most of each token`
    : "holds no wallet";
  printToStderr(`earnest mcp: ${baseUrl}, ${key ? `a key for ${scopes?.join(", ")}` : "no key"}; ${holds}`);
  await new Promise<void>((done) => {
    serveStdio(() => createServer(context), {
      transport: createStdio(),
      onerror: (error) => printToStderr(error.message),
    });
    process.stdin.once("end", done).once("close", done);
  });
}

/** @returns null without a key: then only public tools are available */
async function readScopes(earnest: Earnest, key: string | undefined): Promise<readonly Scope[] | null> {
  if (key === undefined) return null;
  return (await earnest.me()).auth.scopes;
}

/** Opens the wallet of WALLET_KEY with its limits; null if the variable is not set. */
function holdWallet(rpc: string[] | undefined): HeldWallet | null {
  const { env } = process;
  if (!env.WALLET_KEY) return null;
  const { wallet, nodes } = openWallet(rpc);
  const { address } = "transport" in wallet ? wallet.account : wallet;
  const limits = {
    perOrder: env.EARNEST_MAX_PER_ORDER ?? defaultLimits.perOrder,
    perDay: env.EARNEST_MAX_PER_DAY ?? defaultLimits.perDay,
  };
  const tokens = readPayWith(undefined);
  return {
    wallet,
    nodes,
    tokens,
    address,
    ...openSpendingLimits(`${stateFolder()}/paid-${address.toLowerCase()}`, limits),
  };
}
