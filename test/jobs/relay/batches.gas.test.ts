import { readFileSync } from "node:fs";
import { encodeFunctionData, multicall3Abi, toHex, zeroAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Call,
  createEscrowWithReceiveAuthorizationCall,
  plainCall,
  recordSignedDeliveryCall,
  voucherCall,
} from "../../../protocol/settlement/calls.ts";
import { typedDataOf, voucherData } from "../../../protocol/settlement/signatures.ts";
import { escrowIdOf, type Terms } from "../../../protocol/settlement/terms.ts";
import { multicall3Address, receiveAuthorizationToSign } from "../../../protocol/settlement/x402.ts";
import { multicall3Code } from "../../../tools/deploy/multicall3.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";

const size = 20;
const amount = 1_000_000n;
const document = readFileSync(new URL("../../../docs/contract.md", import.meta.url), "utf8").replaceAll(
  /\s+/g,
  " ",
);

let chain: TestChain;
let sender: Awaited<ReturnType<TestChain["newWallet"]>>;
beforeAll(async () => {
  chain = await forkChain();
  await chain.node.setCode({ address: multicall3Address, bytecode: multicall3Code });
  sender = await chain.newWallet();
});
afterAll(() => chain?.close());

/** The escrows of different orders: no two share a buyer or a provider. All parties have tokens already. */
async function newOrders() {
  const { timestamp } = await chain.publicClient.getBlock();
  return Promise.all(
    Array.from({ length: size }, async (_, index) => {
      const [buyer, provider] = [
        privateKeyToAccount(generatePrivateKey()),
        privateKeyToAccount(generatePrivateKey()),
      ];
      await chain.fund(buyer);
      await chain.fund(provider);
      const terms: Terms = {
        buyer: buyer.address,
        provider: provider.address,
        token: chain.chain.token.address,
        amount,
        fundBy: Number(timestamp) + 3600,
        deliveryWindow: 86_400,
        acceptanceWindow: 259_200,
        disputeWindow: 604_800,
        appealWindow: 172_800,
        arbiter: zeroAddress,
        orderHash: toHex(index + 1, { size: 32 }),
      };
      const { escrow_contract: escrowContract, chain_id: chainId } = chain.chain;
      return {
        buyer,
        provider,
        terms,
        escrowContract,
        chainId,
        escrowId: escrowIdOf(chainId, escrowContract, terms),
      };
    }),
  );
}
type Order = Awaited<ReturnType<typeof newOrders>>[number];

async function createCall(order: Order): Promise<Call> {
  const validBefore = BigInt(order.terms.fundBy) + 1n;
  const { chain_id: chainId, token } = chain.chain;
  const data = receiveAuthorizationToSign(
    { chainId, token },
    {
      from: order.buyer.address,
      to: order.escrowContract,
      value: amount.toString(),
      validAfter: "0",
      validBefore: validBefore.toString(),
      nonce: order.escrowId,
    },
  );
  const signature = await order.buyer.signTypedData(data as never);
  return createEscrowWithReceiveAuthorizationCall(order, {
    from: order.buyer.address,
    validBefore,
    signature,
  });
}

async function recordOf(order: Order): Promise<Call> {
  const record = { outputHash: toHex(7, { size: 32 }), number: 1, deadline: BigInt(order.terms.fundBy) };
  const message = { escrowId: order.escrowId, ...record };
  const signature = await order.provider.signTypedData(
    typedDataOf(order, "RecordDelivery", message) as never,
  );
  return recordSignedDeliveryCall(order, { ...record, charge: null, signature });
}

async function voucherOf(order: Order): Promise<Call> {
  const voucher = { cumulativeAmount: amount / 2n, workHash: toHex(7, { size: 32 }) };
  const signature = await order.buyer.signTypedData(voucherData(order, voucher) as never);
  return voucherCall(order, { ...voucher, signature });
}

/** Sends the calls in one transaction and returns the gas of its receipt for each. All must succeed. */
async function measure(calls: Promise<Call>[]): Promise<number> {
  const args = [
    (await Promise.all(calls)).map(({ to, data }) => ({ target: to, allowFailure: false, callData: data })),
  ] as const;
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args });
  const hash = await sender.sendTransaction({ to: multicall3Address, data });
  const { status, gasUsed } = await chain.publicClient.waitForTransactionReceipt({ hash });
  expect(status).toBe("success");
  return Number(gasUsed) / calls.length;
}

/** The document's figure before these words. */
function documented(words: string): number {
  const figure = document.split(` ${words}`)[0]?.match(/([\d,]+)$/)?.[1];
  if (!figure || !document.includes(words))
    throw new Error(`docs/contract.md: no figure stands before "${words}".`);
  return Number(figure.replaceAll(",", ""));
}

test("a batch of 20 takes the documented gas for each creation, record, release and voucher", async () => {
  const orders = await newOrders();
  const gas: Record<string, number> = {};
  gas["for each creation"] = await measure(orders.map(createCall));
  gas["for each delivery record"] = await measure(orders.map(recordOf));
  await chain.node.increaseTime({ seconds: 300_000 });
  gas["for each release"] = await measure(orders.map(async (order) => plainCall(order, "release")));
  const others = await newOrders();
  await measure(others.map(createCall));
  gas["for each voucher"] = await measure(others.map(voucherOf));
  for (const [words, measured] of Object.entries(gas)) {
    // The zero bytes of signatures differ.
    expect(Math.abs(measured / documented(words) - 1), `${words}: ${measured}`).toBeLessThan(0.005);
  }
});
