import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createServer } from "../mcp/server.ts";
import type { HeldWallet, ToolContext } from "../mcp/tool-context.ts";
import { Earnest, type Scope } from "../src/index.ts";
import { issuerOf, verifyReceipts } from "../src/receipts.ts";
import { createStdio } from "./mcp-stdio.ts";
import { say } from "./print.ts";
import { openWallet, readKey, readUrl, stateFolder } from "./settings.ts";
import { openSpending } from "./spending-limits.ts";

export interface McpWords {
  rpc: string | undefined;
  /** Whose receipts are believed; the service's unless given. */
  issuer: string | undefined;
}

/** What a wallet may pay unless its owner says otherwise, in the token of the order. */
const usualLimits = { perOrder: "5.00", perDay: "20.00" };

/** Serves MCP on standard input and output, for one assistant on this machine. Standard output is the protocol's alone. */
export async function serveMcp({ rpc, issuer }: McpWords): Promise<void> {
  const baseUrl = readUrl();
  const key = readKey();
  const earnest = new Earnest({ baseUrl, ...(key === undefined ? {} : { apiKey: key }) });
  const wallet = holdWallet(rpc);
  const scopes = await readScopes(earnest, key);
  const context: ToolContext = {
    earnest,
    scopes,
    wallet,
    keysUrl: `${new URL(baseUrl).origin}/keys`,
    async verify(receipt) {
      const of = issuer ?? issuerOf(new URL(baseUrl).origin);
      const [checked] = await verifyReceipts([receipt], { issuer: of });
      if (!checked) throw new Error("No answer came for this receipt.");
      const about = { checked_by: "this program" as const, issuer: of };
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
    // One assistant of this machine's owner: nobody else waits for a place.
    waits: { longest: 1800, enter: async () => () => {} },
  };
  const holds = wallet
    ? `pays with ${wallet.address}, ${wallet.limits.perOrder} an order and ${wallet.limits.perDay} a day at most`
    : "holds no wallet";
  say(`earnest mcp: ${baseUrl}, ${key ? `a key for ${scopes?.join(", ")}` : "no key"}; ${holds}`);
  await new Promise<void>((done) => {
    serveStdio(() => createServer(context), {
      transport: createStdio(),
      onerror: (error) => say(error.message),
    });
    process.stdin.once("end", done).once("close", done);
  });
}

/** @returns null where no key is kept or given: then there is what anybody may read */
async function readScopes(earnest: Earnest, key: string | undefined): Promise<readonly Scope[] | null> {
  if (key === undefined) return null;
  return (await earnest.me()).auth.scopes;
}

/** The wallet of WALLET_KEY with its limits; null where the environment has none. */
function holdWallet(rpc: string | undefined): HeldWallet | null {
  const { env } = process;
  if (!env.WALLET_KEY) return null;
  const wallet = openWallet(rpc);
  const { address } = "transport" in wallet ? wallet.account : wallet;
  const limits = {
    perOrder: env.EARNEST_MAX_PER_ORDER ?? usualLimits.perOrder,
    perDay: env.EARNEST_MAX_PER_DAY ?? usualLimits.perDay,
  };
  return { wallet, address, ...openSpending(`${stateFolder()}/paid-${address.toLowerCase()}`, limits) };
}
