import { createRoute, z } from "@hono/zod-openapi";
import {
  type Address,
  createTestClient,
  http,
  parseEther,
  parseUnits,
  publicActions,
  walletActions,
} from "viem";
import { testUsdAbi } from "../../abis/testUsd.ts";
import type { Chain } from "../../config/config.ts";
import { isDemo } from "../../config/demo.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { addressField } from "../http/fields.ts";
import { jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";

/** The path that funds a sample wallet. */
export const sampleWalletPath = "/sample-wallet";

/** The balances to which a wallet is filled up. */
const tokens = "100";
const gas = parseEther("0.1");

/** Wallets that one process funds within an hour. */
const mostPerHour = 200;
const hour = 3_600_000;

/** Milliseconds to wait for the block of the transfer. */
const blockTimeoutMs = 10_000;

/**
 * Adds the route that funds a visitor's sample wallet with test tokens and gas. The route exists only on a local chain,
 * whose node is anvil and whose token anybody may mint. The API's description leaves the route out.
 */
export function addSampleWallet(app: App, { config, log }: Context): void {
  const chain = config.defaultChain;
  if (!chain || !isDemo(config)) return;
  const fund = createFaucet(chain);
  let window = { endsAt: 0, funded: 0 };

  app.openapi(
    createRoute({
      method: "post",
      path: sampleWalletPath,
      hide: true,
      request: { body: jsonBody(z.strictObject({ address: addressField })) },
      responses: {
        200: jsonResponse("The balances", z.object({ balance: z.string(), native_balance: z.string() })),
      },
    }),
    async (c) => {
      if (Date.now() >= window.endsAt) window = { endsAt: Date.now() + hour, funded: 0 };
      if (window.funded >= mostPerHour) {
        const seconds = Math.ceil((window.endsAt - Date.now()) / 1000);
        throw new ApiError(
          "rate_limited",
          `This service funds at most ${mostPerHour} sample wallets an hour. Try again in ${seconds} s.`,
          undefined,
          seconds,
        );
      }
      window.funded += 1;
      try {
        return c.json(await fund(c.req.valid("json").address as Address), 200);
      } catch (error) {
        log.warn({ err: error }, "a sample wallet was not funded");
        throw new ApiError("dependency_unavailable", "The local chain did not fund the wallet. Try again.");
      }
    },
  );
}

function createFaucet({ rpc_url, token }: Chain) {
  const node = createTestClient({ mode: "anvil", transport: http(rpc_url, { timeout: 5000 }) })
    .extend(publicActions)
    .extend(walletActions);
  const least = parseUnits(tokens, token.decimals);

  /** Fills a wallet up to the sample's balances. A larger balance stays. */
  return async (address: Address) => {
    const balance = await node.readContract({
      address: token.address as Address,
      abi: testUsdAbi,
      functionName: "balanceOf",
      args: [address],
    });
    if (balance < least) await mint(address, least - balance);
    const native = await node.getBalance({ address });
    if (native < gas) await node.setBalance({ address, value: gas });
    return {
      balance: formatAmount(balance < least ? least : balance, token.decimals),
      native_balance: formatAmount(native < gas ? gas : native, 18),
    };
  };

  /** Mints from the wallet's own address, for which anvil signs. So wallets do not share a nonce. */
  async function mint(to: Address, amount: bigint): Promise<void> {
    if ((await node.getBalance({ address: to })) < gas) await node.setBalance({ address: to, value: gas });
    await node.impersonateAccount({ address: to });
    const hash = await node.writeContract({
      chain: null,
      account: to,
      address: token.address as Address,
      abi: testUsdAbi,
      functionName: "mint",
      args: [to, amount],
    });
    await node.stopImpersonatingAccount({ address: to });
    const { status } = await node.waitForTransactionReceipt({
      hash,
      timeout: blockTimeoutMs,
      pollingInterval: 200,
    });
    if (status !== "success") throw new Error(`The transaction ${hash} was reverted.`);
  }
}
