import { encodeFunctionData, parseSignature } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { escrowAbi } from "../../abis/escrow.ts";
import { uptoProxyAddress } from "../../protocol/settlement/x402.ts";
import { signedPaymentData } from "../../protocol/settlement/x402-payload.ts";
import { type Answer, expectStatus, publishService } from "../harness/api.ts";
import { approvePermit2, secondsFromNow, settlePermit, signPermit } from "../harness/flows/permits.ts";
import { exactKinds, type Kind, openTokenMarket, type TokenMarket } from "../harness/flows/token-market.ts";
import { tokenAbi } from "../harness/flows/tokens.ts";
import { newAccount, reach } from "../harness/flows/x402-order.ts";

let shop: TokenMarket;
beforeAll(async () => {
  shop = await openTokenMarket();
});
afterAll(() => shop?.close());

test("every token is listed with its decimals; without EIP-3009 it is paid by Permit2 and by approve", async () => {
  const { items } = await shop.ask("GET", "/chains");
  const listed = items[0].tokens.map(({ symbol, decimals, methods }: Answer["body"]) => [
    symbol,
    decimals,
    methods,
  ]);
  const methods = ["approve", "permit2"];
  expect(listed).toEqual([
    ["TUSD", 6, ["approve", "eip3009", "permit2"]],
    ["ZERO", 0, methods],
    ["TWO", 2, methods],
    ["EIGHT", 8, methods],
    ["BIG", 24, methods],
    ["USDT", 6, methods],
    ["DAI", 18, methods],
    ["NOZ", 6, methods],
    ["CALL", 6, methods],
    ["REB", 6, methods],
  ]);
});

test("a price is exact in each token, or refused with a sentence", async () => {
  const { api, provider } = shop.market;
  const { items } = expectStatus(200, await api.request("GET", "/marketplace/services"));
  const { accepts } = items.find(({ id }: { id: string }) => id === shop.services.exact);
  expect(accepts.map(({ symbol, price }: Answer["body"]) => [symbol, price])).toEqual(
    exactKinds.map((kind) => [shop.deployed[kind].symbol, shop.shown("2.5", kind)]),
  );
  const sell = (price: string, kind: Kind) =>
    api.request("POST", `/agents/${shop.agent}/services`, {
      token: provider.token,
      body: {
        slug: "other",
        title: "Other",
        delivery_time_hours: 1,
        price,
        price_currency: "USD",
        accepts: [shop.nameOf(kind)],
      },
    });
  for (const [price, kind, message] of [
    ["2.5", "ZERO", "Field price: ZERO has only 0 decimals."],
    ["2.501", "TWO", "Field price: TWO has only 2 decimals."],
    ["2.0000001", "BIG", "6 decimals"],
  ] as const) {
    const { status, body } = await sell(price, kind);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
  }
});

describe.sequential("an order in each token, by approve and by Permit2", () => {
  const orders: Partial<Record<Kind, Answer["body"][]>> = {};
  const amountOf = (kind: Kind) => (kind === "ZERO" ? "3" : "2.5");
  const settled = [...exactKinds, "ZERO"] as const;
  const had: Partial<Record<Kind, bigint>> = {};
  test("is funded, and released by the buyer", async () => {
    // The token calls the escrow contract while the money moves.
    const args = [shop.deployed.CALL.address, shop.market.provider.account.address] as const;
    const data = encodeFunctionData({ abi: escrowAbi, functionName: "withdraw", args });
    await shop.tools.call(shop.deployed.CALL.address, "setCall", [shop.chain.chain.escrow_contract, data]);
    for (const kind of settled) {
      had[kind] = await shop.holds(kind, shop.market.provider.account.address);
      const service = kind === "ZERO" ? shop.services.whole : shop.services.exact;
      const approved = await shop.place(kind, "escrow", service);
      expect(await shop.payByCalls(approved)).toEqual(["success", "success"]);
      const permitted = await shop.place(kind, "x402", service);
      const payer = newAccount();
      await shop.tools.call(shop.deployed[kind].address, "mint", [
        payer.address,
        shop.units(amountOf(kind), kind),
      ]);
      await approvePermit2(shop.marketIn(kind), payer);
      const answer = await shop.payByStockClient(kind, permitted, payer);
      expect(await answer.json()).toMatchObject({ payment: { method: "permit2" } });
      orders[kind] = [approved, permitted];
    }
    const all = Object.values(orders).flat();
    for (const order of all) await reach(shop.market, order, "funded");
    for (const order of all) await shop.release(order);
    for (const order of all) await reach(shop.market, order, "released");
  });

  test.each(settled)("%s pays the provider exactly, and leaves the contract nothing", async (kind) => {
    const twice = 2n * shop.units(amountOf(kind), kind);
    const { escrow_contract } = shop.chain.chain;
    expect(await shop.holds(kind, escrow_contract)).toBe(0n);
    const has = await shop.holds(kind, shop.market.provider.account.address);
    expect(has - (had[kind] ?? 0n)).toBe(twice);
  });

  test.each(settled)("%s is exact in the API, in receipts, sums and tables", async (kind) => {
    const amount = shop.shown(amountOf(kind), kind);
    const { address: token, symbol } = shop.deployed[kind];
    for (const { id } of orders[kind] ?? []) {
      const order = await shop.ask("GET", `/orders/${id}`);
      expect(order).toMatchObject({ currency: symbol, total_amount: amount, unit_price: amount });
      const receipts = async () => (await shop.ask("GET", `/orders/${id}/receipts`)).items;
      await expect.poll(async () => (await receipts()).length).toBe(2);
      for (const { document } of await receipts()) {
        expect(document).toMatchObject({ token, amount: shop.units(amountOf(kind), kind).toString() });
      }
      for (const table of ["orders", "payments"]) {
        const { body } = await shop.market.api.request("GET", `/exports/${table}.csv`, {
          apiKey: shop.market.buyerKey,
        });
        const lines = String(body)
          .split("\r\n")
          .filter((line) => line.includes(id));
        expect(lines.length).toBeGreaterThan(0);
        for (const line of lines) expect(line.split(",")).toEqual(expect.arrayContaining([amount, symbol]));
      }
    }
    const { items } = await shop.ask("GET", "/payments/sums");
    const sum = items.find(({ token_address }: Answer["body"]) => token_address === token);
    const twice = (BigInt(amount.replace(".", "")) * 2n).toString();
    expect(sum.paid.replace(".", "")).toBe(twice);
  });

  test("a token that calls the contract back was refused each time", async () => {
    const read = { abi: tokenAbi, address: shop.deployed.CALL.address } as const;
    const { publicClient } = shop.chain;
    expect(await publicClient.readContract({ ...read, functionName: "calls" })).toBeGreaterThan(4n);
    expect(await publicClient.readContract({ ...read, functionName: "successes" })).toBe(0n);
  });
});

test("DAI's own permit, which allows everything, replaces the approve", async () => {
  const order = await shop.place("DAI", "escrow");
  const holder = shop.market.buyer.account;
  const { escrow_contract: spender, chain_id: chainId } = shop.chain.chain;
  const message = { holder: holder.address, spender, nonce: 0n, expiry: 0n, allowed: true };
  const types = {
    Permit: [
      { name: "holder", type: "address" },
      { name: "spender", type: "address" },
      { name: "nonce", type: "uint256" },
      { name: "expiry", type: "uint256" },
      { name: "allowed", type: "bool" },
    ],
  };
  const { address: verifyingContract } = shop.deployed.DAI;
  const domain = { name: "Dai Stablecoin", version: "1", chainId, verifyingContract };
  const signature = await holder.signTypedData({ domain, types, primaryType: "Permit", message });
  const { r, s, v } = parseSignature(signature);
  const data = encodeFunctionData({
    abi: tokenAbi,
    functionName: "permit",
    args: [holder.address, spender, 0n, 0n, true, Number(v), r, s],
  });
  expect(await shop.send({ to: verifyingContract, data })).toBe("success");
  const { calls } = await shop.ask("GET", `/orders/${order.id}/payment-instructions`);
  expect(await shop.send(calls[1])).toBe("success");
  await reach(shop.market, order, "funded");
});

test("a left-over allowance of USDT is set to zero first", async () => {
  const order = await shop.place("USDT", "escrow");
  const approve = (value: bigint) => {
    const args = [shop.chain.chain.escrow_contract, value] as const;
    const data = encodeFunctionData({ abi: tokenAbi, functionName: "approve", args });
    return shop.send({ to: shop.deployed.USDT.address, data });
  };
  expect(await approve(1n)).toBe("success");
  expect(await shop.payByCalls(order)).toEqual(["reverted", "reverted"]);
  expect(await approve(0n)).toBe("success");
  expect(await shop.payByCalls(order)).toEqual(["success", "success"]);
  await reach(shop.market, order, "funded");
});

describe.sequential("a token that begins to take a fee", () => {
  beforeAll(() => shop.tools.call(shop.deployed.USDT.address, "setFee", [100]));
  afterAll(() => shop.tools.call(shop.deployed.USDT.address, "setFee", [0]));

  test("funds no escrow by approve, and the buyer keeps its money", async () => {
    const order = await shop.place("USDT", "escrow");
    const has = () => shop.holds("USDT", shop.market.buyer.account.address);
    const had = await has();
    expect(await shop.payByCalls(order)).toEqual(["success", "reverted"]);
    expect(await has()).toBe(had);
  });

  test("is refused by Permit2 with a sentence, and the permit stays unused", async () => {
    const order = await shop.place("USDT", "x402");
    const payer = newAccount();
    await shop.tools.call(shop.deployed.USDT.address, "mint", [payer.address, shop.units("2.5", "USDT")]);
    await approvePermit2(shop.marketIn("USDT"), payer);
    const answer = await shop.payByStockClient("USDT", order, payer);
    expect([answer.status, await answer.json()]).toMatchObject([
      402,
      {
        error: {
          details: [{ keyword: "token_moves_less", message: expect.stringContaining("keeps a fee") }],
        },
      },
    ]);
    expect(await shop.holds("USDT", payer.address)).toBe(shop.units("2.5", "USDT"));
  });

  test("is refused by a permit of scheme upto with the same sentence, and the permit stays unused", async () => {
    const { api, provider, chain } = shop.market;
    const { service } = await publishService(api, provider, {
      pricing_model: "metered",
      price: "0.05",
      price_unit: "page",
      min_quantity: 10,
      max_quantity: 50,
      price_currency: "USD",
      accepts: [shop.nameOf("USDT")],
    });
    const order = await shop.place("USDT", "x402", service.id);
    const payer = newAccount();
    await shop.tools.call(shop.deployed.USDT.address, "mint", [payer.address, shop.units("2.5", "USDT")]);
    await approvePermit2(shop.marketIn("USDT"), payer);
    const { accepts } = await shop.ask("POST", `/orders/${order.id}/payment`, undefined, 402);
    const accepted = accepts.find(({ scheme }: Answer["body"]) => scheme === "upto");
    const permit2Authorization = {
      from: payer.address,
      permitted: { token: accepted.asset, amount: accepted.amount },
      spender: uptoProxyAddress,
      nonce: "7",
      deadline: secondsFromNow(300),
      witness: { to: accepted.payTo, facilitator: accepted.extra.facilitatorAddress, validAfter: "0" },
    };
    const { token } = shop.marketIn("USDT").chain.chain;
    const signed = { signature: "0x" as const, permit2Authorization };
    const data = signedPaymentData({ chainId: chain.chain.chain_id, token }, signed);
    const signature = await payer.signTypedData(data);
    const { error } = await shop.ask(
      "POST",
      `/orders/${order.id}/payment`,
      { signature, permit2Authorization },
      402,
    );
    expect(error.details[0].keyword).toBe("token_moves_less");
    expect(await shop.holds("USDT", payer.address)).toBe(shop.units("2.5", "USDT"));
  });

  test("leaves money that somebody sent to the deposit address to the buyer", async () => {
    const order = await shop.place("USDT", "x402");
    const permit = await signPermit(shop.marketIn("USDT"), order, shop.market.buyer.account);
    await approvePermit2(shop.marketIn("USDT"), shop.market.buyer.account);
    await settlePermit(shop.marketIn("USDT"), permit);
    await shop.tools.call(shop.deployed.USDT.address, "setFee", [0]);
    await shop.expectReturned("USDT", await shop.readTerms(order), shop.units("2.475", "USDT"));
    await shop.tools.call(shop.deployed.USDT.address, "setFee", [100]);
  });
});

describe.sequential("a token that changes balances by a rate", () => {
  const setRate = (rate: bigint) => shop.tools.call(shop.deployed.REB.address, "setRate", [rate]);

  test("leaves a deposit that has shrunk to the buyer", async () => {
    const order = await shop.place("REB", "x402", shop.services.whole);
    const permit = await signPermit(shop.marketIn("REB"), order, shop.market.buyer.account);
    await approvePermit2(shop.marketIn("REB"), shop.market.buyer.account);
    await settlePermit(shop.marketIn("REB"), permit);
    await setRate(50n);
    await shop.expectReturned("REB", await shop.readTerms(order), shop.units("1.5", "REB"));
    await setRate(100n);
  });

  test("leaves the surplus of a deposit that has grown to the buyer", async () => {
    const order = await shop.place("REB", "x402", shop.services.whole);
    const permit = await signPermit(shop.marketIn("REB"), order, shop.market.buyer.account);
    await settlePermit(shop.marketIn("REB"), permit);
    await setRate(200n);
    const terms = await shop.readTerms(order);
    const data = encodeFunctionData({
      abi: escrowAbi,
      functionName: "createEscrowFromDeposit",
      args: [terms],
    });
    expect(await shop.send({ to: shop.chain.chain.escrow_contract, data })).toBe("success");
    await reach(shop.market, order, "funded");
    await shop.expectReturned("REB", terms, shop.units("3", "REB"));
    await setRate(100n);
  });
});
