import { encodeFunctionData, erc20Abi, type Hex, parseEther } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { escrowBytecode, testUsdBytecode } from "../../abis/bytecode.ts";
import { testUsdAbi } from "../../abis/testUsd.ts";
import {
  createEscrowCall,
  createEscrowFromDepositCall,
  decideDisputeCall,
  disputeCall,
  plainCall,
  recordDeliveryCall,
  returnDepositCall,
  signedActCall,
} from "../../settlement/calls.ts";
import { signedActData } from "../../settlement/signatures.ts";
import { depositAddressOf, depositImplementationOf, escrowIdOf, type Terms } from "../../settlement/terms.ts";
import { createRandom } from "../../simulation/random.ts";
import { createEvm } from "../../simulation/virtual/evm.ts";
import { localAccount } from "../../stack/anvil.ts";
import { forkChain, type TestChain } from "../harness/chain.ts";
import { until } from "../harness/jobs/ledger.ts";

const people = [5, 6, 7, 8].map((index) => localAccount(index));
const calls = 120;
let chain: TestChain;

beforeAll(async () => {
  chain = await forkChain();
});
afterAll(() => chain?.close());

test("the machine of this process does with the contracts what anvil does: the same calls fail, the same logs are written", async () => {
  const { escrow_contract: escrowContract, token, chain_id: chainId } = chain.chain;
  const random = createRandom(1, "evm");
  const evm = createEvm(chainId);
  evm.deploy(escrowContract, escrowBytecode);
  evm.deploy(token.address, testUsdBytecode);
  const [buyer, provider, arbiter, stranger] = people as [(typeof people)[0], ...typeof people];
  if (!provider || !arbiter || !stranger) throw new Error("There are four people.");
  let time = Number((await chain.publicClient.getBlock()).timestamp);
  let succeeded = 0;

  /** Sends a transaction on both. */
  async function send(from: Hex, to: Hex, data: Hex): Promise<void> {
    time += random.pick([1, 1, 1, 40]);
    await chain.node.setNextBlockTimestamp({ timestamp: BigInt(time) });
    await chain.node.impersonateAccount({ address: from });
    const request = { from, to, data, gas: "0x200000" } as const;
    const hash = await chain.node.request({ method: "eth_sendTransaction", params: [request] } as never);
    const receipt = await until(
      () => chain.publicClient.getTransactionReceipt({ hash: hash as Hex }).catch(() => null),
      "it is mined",
    );
    const result = evm.send({ from, to, data, time });
    const plain = (logs: readonly { address: Hex; topics: readonly Hex[]; data: Hex }[]) =>
      logs.map((log) => ({ address: log.address.toLowerCase(), topics: [...log.topics], data: log.data }));
    expect(result.ok, `${data.slice(0, 10)} from ${from} at ${time}`).toBe(receipt.status === "success");
    expect(plain(result.logs)).toEqual(plain(receipt.logs));
    if (result.ok) succeeded += 1;
  }

  for (const { address } of people) {
    await chain.node.setBalance({ address, value: parseEther("10") });
    const ofToken = (functionName: "mint" | "approve", to: Hex) =>
      encodeFunctionData({ abi: testUsdAbi, functionName, args: [to, 10n ** 12n] });
    await send(address, token.address, ofToken("mint", address));
    await send(address, token.address, ofToken("approve", escrowContract));
  }
  const orders = Array.from(
    { length: 6 },
    (_, at): Terms => ({
      ...{ buyer: buyer.address, provider: provider.address, token: token.address, arbiter: arbiter.address },
      ...{ amount: 1000n + BigInt(at), fundBy: time + 1500, orderHash: random.hex(32) },
      ...{ deliveryWindow: 300, acceptanceWindow: 120, disputeWindow: 200, appealWindow: 60 },
    }),
  );
  for (let count = 0; count < calls; count += 1) {
    const terms = random.pick(orders);
    const escrow = { escrowContract, terms };
    const escrowId = escrowIdOf(chainId, escrowContract, terms);
    const deposit = depositAddressOf(escrowContract, depositImplementationOf(escrowContract), escrowId);
    const deadline = BigInt(time + random.pick([-1, 5000]));
    const released = signedActData("release", { chainId, escrowContract, escrowId }, { deadline });
    const signer = random.pick([buyer, buyer, stranger]);
    const signature = await signer.signTypedData(released as Parameters<typeof signer.signTypedData>[0]);
    const transfer = { abi: erc20Abi, functionName: "transfer", args: [deposit, terms.amount] } as const;
    const data = random.pick([
      createEscrowCall(escrow).data,
      createEscrowCall(escrow).data,
      createEscrowFromDepositCall(escrow).data,
      returnDepositCall(escrow).data,
      recordDeliveryCall(escrow, random.hex(32)).data,
      plainCall(escrow, "release").data,
      plainCall(escrow, "refund").data,
      plainCall(escrow, "settleDispute").data,
      disputeCall(escrow, random.hex(32)).data,
      decideDisputeCall(escrow, { providerAmount: BigInt(random.whole(0, 1010)), rulingHash: random.hex(32) })
        .data,
      signedActCall(escrow, { act: "release", deadline, signature }).data,
    ]);
    const by = random.pick(people).address;
    if (random.chance(0.15)) await send(by, token.address, encodeFunctionData(transfer));
    else await send(by, escrowContract, data);
  }
  expect(succeeded).toBeGreaterThan(30);
});
