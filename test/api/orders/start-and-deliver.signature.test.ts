import { eq } from "drizzle-orm";
import type { Hex, LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { relay } from "../../../db/schema.ts";
import { digestOf } from "../../../protocol/settlement/terms.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { deployWallet, lengthWalletCode } from "../../harness/contract-wallet.ts";
import {
  ask,
  countRows,
  createMarket,
  expectRefusal,
  type Market,
  placeDelivered,
  placeFunded,
  placeStarted,
} from "../../harness/market/market.ts";

let chain: TestChain;
let market: Market;

beforeAll(async () => {
  chain = await forkChain();
  market = await createMarket({ chain });
});
afterAll(async () => {
  await market.api.close();
  await chain.close();
});

const read = (id: string, who = market.provider) => ask(market, who, "GET", `/orders/${id}/delivery-record`);
const send = (id: string, signature: Hex, who = market.provider) =>
  ask(market, who, "POST", `/orders/${id}/delivery-record`, { signature });

async function typedDataOf(id: string): Promise<Answer["body"]> {
  return expectStatus(200, await read(id)).typed_data;
}

/** Signs typed data from the HTTP answer, as a wallet does. */
async function sign(id: string, account: LocalAccount = market.provider.account): Promise<Hex> {
  return account.signTypedData(await typedDataOf(id));
}

const relaysOf = (orderId: string) => market.api.db.select().from(relay).where(eq(relay.orderId, orderId));

describe("POST /orders/{id}/deliver with a signature", () => {
  /** The signature of the provider before the delivery: its content is known beforehand. */
  async function signDelivery(id: string, output: unknown, account: LocalAccount = market.provider.account) {
    const order = expectStatus(200, await ask(market, market.provider, "GET", `/orders/${id}`));
    return account.signTypedData({
      domain: {
        name: "Earnest Escrow",
        version: "1",
        chainId: order.escrow.chain_id,
        verifyingContract: order.escrow.contract_address,
      },
      types: {
        RecordDelivery: [
          { name: "escrowId", type: "bytes32" },
          { name: "outputHash", type: "bytes32" },
          { name: "number", type: "uint32" },
          { name: "deadline", type: "uint256" },
        ],
      },
      primaryType: "RecordDelivery",
      message: {
        escrowId: order.escrow.escrow_id,
        outputHash: digestOf(output),
        number: 1,
        deadline: BigInt(Date.parse(order.delivery_deadline) / 1000),
      },
    });
  }

  const output_payload = { translation: "Good day" };
  const deliver = (id: string, body: unknown) =>
    ask(market, market.provider, "POST", `/orders/${id}/deliver`, body);

  test("delivers and queues the record at once; a later request for the record gives that relay", async () => {
    const { id } = await placeStarted(market);
    const signature = await signDelivery(id, output_payload);
    const answer = await deliver(id, { output_payload, signature });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: "delivered", relay: { status: "queued" } });
    const again = expectStatus(202, await send(id, signature));
    expect(again.relay.id).toBe(answer.body.relay.id);
  });

  test("is 400 for the signature of another output or signer, and delivers nothing", async () => {
    const { id } = await placeStarted(market);
    for (const signature of [
      await signDelivery(id, { translation: "Good night" }),
      await signDelivery(id, output_payload, market.buyer.account),
    ]) {
      await expectRefusal(market, () => deliver(id, { output_payload, signature }), 400, "invalid_request");
    }
    const order = expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${id}`));
    expect(order).toMatchObject({ status: "started", output_payload: null });
  });

  test("is 409 before the start, with any signature", async () => {
    const { id } = await placeFunded(market);
    const signature = await signDelivery(id, output_payload);
    await expectRefusal(market, () => deliver(id, { output_payload, signature }), 409, "invalid_state");
  });
});

describe("from a payout wallet that is a contract", () => {
  const owner = privateKeyToAccount(generatePrivateKey());

  let ownersWallet: Hex;

  beforeAll(async () => {
    const address = await deployWallet(chain, owner.address);
    ownersWallet = (await chain.publicClient.getCode({ address })) as Hex;
  });

  async function turnIntoContract<T>(code: Hex, work: () => Promise<T>): Promise<T> {
    const { address } = market.provider.account;
    await chain.node.setCode({ address, bytecode: code });
    try {
      return await work();
    } finally {
      await chain.node.setCode({ address, bytecode: "0x" });
    }
  }

  test("is 202 for a signature that the wallet accepts, relayed unchanged", async () => {
    const { id } = await placeDelivered(market);
    const signature = await sign(id, owner);
    await turnIntoContract(ownersWallet, async () => {
      expect((await send(id, signature)).status).toBe(202);
    });
    const [queued] = await relaysOf(id);
    expect(queued?.data).toContain(signature.slice(2));
  });

  test.each([0, 1, 8192])("is 202 for a signature of %i bytes that the wallet accepts", async (bytes) => {
    const { id } = await placeDelivered(market);
    await turnIntoContract(lengthWalletCode(bytes), async () => {
      expect((await send(id, `0x${"5a".repeat(bytes)}`)).status).toBe(202);
    });
    expect(await relaysOf(id)).toHaveLength(1);
  });

  test("is 400 for a signature that the wallet refuses, reverts on or answers malformed", async () => {
    const { id } = await placeDelivered(market);
    const signature = await sign(id, market.buyer.account);
    for (const code of [ownersWallet, "0x5f5ffd", "0x00", "0x60205ff3"] as Hex[]) {
      await turnIntoContract(code, () =>
        expectRefusal(market, () => send(id, signature), 400, "invalid_request", "This is not"),
      );
    }
  });

  test("is 503 when the node is unreachable, while a plain key's signature needs no chain", async () => {
    const cut = await createMarket({ env: { RPC_URL_31337: "http://127.0.0.1:1" } });
    try {
      const { id } = await placeDelivered(cut);
      const path = `/orders/${id}/delivery-record`;
      const { typed_data } = expectStatus(200, await ask(cut, cut.provider, "GET", path));
      const before = await countRows(cut);
      const foreign = await owner.signTypedData(typed_data);
      const answer = await ask(cut, cut.provider, "POST", path, { signature: foreign });
      expect([answer.status, answer.body.error.code]).toEqual([503, "dependency_unavailable"]);
      expect(await countRows(cut)).toEqual(before);
      const signature = await cut.provider.account.signTypedData(typed_data);
      expect((await ask(cut, cut.provider, "POST", path, { signature })).status).toBe(202);
    } finally {
      await cut.api.close();
    }
  });
});
