import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { erc20Abi, parseEther } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inTransaction } from "../../../db/transaction.ts";
import { insertWallet } from "../../../trade/accounts/wallet-claim.ts";
import { createKey, createTestApi, expectStatus, type Session, signIn } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import {
  ask,
  createMarket,
  indexer,
  type Market,
  placeDelivered,
  placeFunded,
  settleNow,
} from "../../harness/market/market.ts";
import { fresh, organisationOf, refusal } from "../../harness/organisation.ts";

let chain: TestChain;
let market: Market;
beforeAll(async () => {
  chain = await forkChain();
  market = await createMarket({ chain });
});
afterAll(async () => {
  await market?.api.close();
  await chain?.close();
});

const read = async (who: Session) => expectStatus(200, await ask(market, who, "GET", "/balances"));

describe("GET /balances", () => {
  test("has each wallet's tokens and native coin on the chain, exactly", async () => {
    const reader = await signIn(market.api);
    await chain.fund(reader.account);
    await chain.node.setBalance({ address: reader.account.address, value: parseEther("1.5") + 1n });
    const [wallet] = (await read(reader)).wallets;
    const token = await chain.publicClient.readContract({
      abi: erc20Abi,
      address: market.chain.token.address,
      functionName: "balanceOf",
      args: [reader.account.address],
    });
    expect(token).toBeGreaterThan(0n);
    expect(wallet).toMatchObject({
      address: reader.account.address,
      is_primary: true,
      chain_id: market.chain.chain_id,
      currency: market.chain.token.symbol,
      balance_base_units: token.toString(),
      native_currency: "ETH",
      native_balance: "1.500000000000000001",
      native_balance_base_units: "1500000000000000001",
      unknown_reason: null,
    });
  });

  test("has what is in escrow and in dispute, for each side, and not what has ended", async () => {
    const ended = await placeFunded(market);
    await indexer(market, ended.row).ended("Refunded");
    const disputed = await placeDelivered(market);
    await indexer(market, disputed.row).disputed();
    await placeFunded(market);
    await settleNow(market);
    const token = { chain_id: market.chain.chain_id, currency: market.chain.token.symbol };
    const nothing = { paid_into_escrow: "0.000000", to_be_earned: "0.000000", purchases: 0, sales: 0 };
    expect((await read(market.buyer)).escrow).toMatchObject([
      {
        ...token,
        ...nothing,
        paid_into_escrow: "5.000000",
        paid_into_escrow_base_units: "5000000",
        paid_in_dispute: "2.500000",
        purchases: 2,
      },
    ]);
    expect((await read(market.provider)).escrow).toMatchObject([
      { ...token, ...nothing, to_be_earned: "5.000000", earnings_in_dispute: "2.500000", sales: 2 },
    ]);
    expect((await read(market.outsider)).escrow).toEqual([]);
  });

  test("shows at most ten wallets, the primary first, and that there are more", async () => {
    const reader = await signIn(market.api);
    for (let at = 0; at < 10; at += 1) {
      const added = { address: fresh().address, chainId: null };
      await inTransaction(market.api.db, (tx) => insertWallet(tx, reader.accountId, added));
    }
    const { wallets, more_wallets } = await read(reader);
    expect([wallets.length, more_wallets, wallets[0].address]).toEqual([10, true, reader.account.address]);
  });

  test("belongs to the organisation: a member reads it, and a removed member nothing", async () => {
    const of = organisationOf(market.api, market.provider);
    const member = await of.join("viewer");
    const ofMember = () => of.send(member, "GET", "/balances", undefined, market.provider);
    expect(expectStatus(200, await ofMember()).escrow).toEqual((await read(market.provider)).escrow);
    expect((await read(member)).escrow).toEqual([]);
    expectStatus(200, await of.remove(member));
    expect(refusal(await ofMember())).toEqual([403, "insufficient_role"]);
    const key = await createKey(market.api, market.buyer, ["orders:read"]);
    expect(refusal(await market.api.request("GET", "/balances", { token: key }))).toEqual([
      ...[403, "insufficient_scope"],
    ]);
  });

  test("is answered without a balance if the node refuses, or takes too long; many at once wait for no node", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const reasonsOf = async (rpcUrl: string, times: number) => {
      const api = await createTestApi({ env: { [`RPC_URL_${market.chain.chain_id}`]: rpcUrl } });
      try {
        const { token } = await signIn(api);
        const started = Date.now();
        const answers = await Promise.all(
          Array.from({ length: times }, () => api.request("GET", "/balances", { token })),
        );
        expect(Date.now() - started).toBeLessThan(9000);
        return answers.map((answer) => {
          const { wallets, deposits, unknown_deposits } = expectStatus(200, answer);
          const [wallet] = wallets;
          expect([wallet.balance, wallet.native_balance_base_units]).toEqual([null, null]);
          // An account without orders has no deposits that could be unknown.
          expect([deposits, unknown_deposits]).toEqual([[], []]);
          return wallet.unknown_reason;
        });
      } finally {
        await api.close();
      }
    };
    try {
      expect(await reasonsOf("http://127.0.0.1:1", 1)).toEqual(["unreachable"]);
      expect((await reasonsOf(`http://127.0.0.1:${port}`, 4)).sort()).toEqual([
        "busy",
        "busy",
        "slow",
        "slow",
      ]);
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });
});
