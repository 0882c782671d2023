import { serve } from "@hono/node-server";
import { x402Facilitator } from "@x402/core/facilitator";
import type { HTTPFacilitatorClient } from "@x402/core/server";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme as ExactEvmFacilitator } from "@x402/evm/exact/facilitator";
import { ExactEvmScheme as ExactEvmServer } from "@x402/evm/exact/server";
import { type PaymentRequirements, paymentMiddleware, x402ResourceServer } from "@x402/hono";
import { Hono } from "hono";
import type { LocalAccount } from "viem";
import type { TestChain } from "../chain.ts";

/**
 * The facilitator of the x402 packages in this process: it verifies, and settles from a wallet of its own.
 */
export function createFacilitator(chain: TestChain, account: LocalAccount): x402Facilitator {
  const { publicClient } = chain;
  const wallet = chain.wallet(account);
  const signer = toFacilitatorEvmSigner({
    address: account.address,
    readContract: (call) => publicClient.readContract(call),
    verifyTypedData: (data) => publicClient.verifyTypedData(data as never),
    getCode: (of) => publicClient.getCode(of),
    writeContract: (call) => wallet.writeContract(call as never),
    sendTransaction: (transaction) => wallet.sendTransaction(transaction),
    waitForTransactionReceipt: (of) => publicClient.waitForTransactionReceipt(of),
  });
  const scheme = new ExactEvmFacilitator(signer);
  return new x402Facilitator().register(`eip155:${chain.chain.chain_id}`, scheme);
}

/** A seller with x402's own middleware only, which requires exactly these payments at `POST /goods`. */
export async function startSeller(
  facilitator: x402Facilitator | HTTPFacilitatorClient,
  requirements: PaymentRequirements,
) {
  const { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra } = requirements;
  const server = new x402ResourceServer({
    verify: (payload, terms) => facilitator.verify(payload, terms),
    settle: (payload, terms) => facilitator.settle(payload, terms),
    getSupported: async () => facilitator.getSupported() as never,
  }).register(network, new ExactEvmServer());
  const app = new Hono();
  app.use(
    paymentMiddleware(
      {
        "POST /goods": {
          accepts: { scheme, network, payTo, maxTimeoutSeconds, price: { amount, asset, extra } },
          description: "Goods",
          mimeType: "application/json",
        },
      },
      server,
    ),
  );
  app.post("/goods", (c) => c.json({ goods: "yours" }));
  const listening = Promise.withResolvers<number>();
  const http = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
    listening.resolve(port),
  );
  return {
    url: `http://127.0.0.1:${await listening.promise}/goods`,
    close: () => new Promise((resolve) => http.close(resolve)),
  };
}
