import { encodePaymentSignatureHeader } from "@x402/core/http";
import { eq } from "drizzle-orm";
import { type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { payment } from "../../../db/schema.ts";
import { expectStatus } from "../../harness/api.ts";
import { place } from "../../harness/market/market.ts";
import {
  type Authorization,
  fromNow,
  isUsed,
  newAccount,
  type Signed,
  sendAsOutsider,
  signPayment,
} from "../../harness/market/payments.ts";
import { type Refusals, startRefusals } from "../../harness/market/refused.ts";

let market: Refusals["market"];
let order: Refusals["order"];
let other: Refusals["other"];
let offered: Refusals["offered"];
let post: Refusals["post"];
let sign: Refusals["sign"];
let payloadOf: Refusals["payloadOf"];
let expectRefused: Refusals["expectRefused"];

beforeAll(async () => {
  ({ market, order, other, offered, post, sign, payloadOf, expectRefused } = await startRefusals());
});
afterAll(() => market?.close());

describe("402 for a signature that differs from the terms, unused", () => {
  const now = () => Math.floor(Date.now() / 1000);
  type Make = () => Promise<Signed>;
  const cases: [what: string, Make, [reason: string, path: string, message: RegExp]][] = [
    [
      "another order's deposit address",
      () => sign({ to: other.escrow.deposit_address }),
      ["invalid_exact_evm_recipient_mismatch", "/payload/authorization/to", /deposit address/],
    ],
    [
      "the provider's own address",
      () => sign({ to: market.provider.account.address }),
      ["invalid_exact_evm_recipient_mismatch", "/payload/authorization/to", /deposit address/],
    ],
    [
      "less than the amount",
      () => sign({ value: "2499999" }),
      ["invalid_exact_evm_payload_authorization_value_mismatch", "/payload/authorization/value", /exact/],
    ],
    [
      "more than the amount",
      () => sign({ value: "2500001" }),
      ["invalid_exact_evm_payload_authorization_value_mismatch", "/payload/authorization/value", /exact/],
    ],
    [
      "a value altered after signing",
      async () => alter(await sign({ value: "1" }), { value: "2500000" }),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "a receiver altered after signing",
      async () =>
        alter(await sign({ to: market.provider.account.address }), { to: order.escrow.deposit_address }),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "a nonce altered after signing",
      async () => alter(await sign(), { nonce: `0x${"ab".repeat(32)}` }),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "an authorization that has expired",
      () => sign({ validBefore: String(now() - 1) }),
      [
        "invalid_exact_evm_payload_authorization_valid_before",
        "/payload/authorization/validBefore",
        /expired/,
      ],
    ],
    [
      "one that expires within seconds",
      () => sign({ validBefore: String(now() + 3) }),
      [
        "invalid_exact_evm_payload_authorization_valid_before",
        "/payload/authorization/validBefore",
        /within seconds/,
      ],
    ],
    [
      "one that is not good yet",
      () => sign({ validAfter: fromNow(3600), validBefore: fromNow(7200) }),
      ["invalid_exact_evm_payload_authorization_valid_after", "/payload/authorization/validAfter", /future/],
    ],
    [
      "a garbage signature",
      async () => ({ ...(await sign()), signature: `0x${"11".repeat(65)}` }),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "a signature of two bytes",
      async () => ({ ...(await sign()), signature: "0x1234" }),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "another payer's signature",
      async () => {
        const { signature, authorization } = await sign({}, order, newAccount());
        return { signature, authorization: { ...authorization, from: market.buyer.account.address } };
      },
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "a signature for another chain",
      () => signPayment(market.testChain, order, market.buyer.account, {}, { chainId: 1 }),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "a signature for another token",
      () =>
        signPayment(
          market.testChain,
          order,
          market.buyer.account,
          {},
          { verifyingContract: market.chain.escrow_contract },
        ),
      ["invalid_exact_evm_signature", "/payload/signature", /not the payer's signature/],
    ],
    [
      "a contract wallet's signature where no wallet stands",
      async () => ({ ...(await sign({}, order, newAccount())), signature: `0x${"22".repeat(130)}` }),
      ["invalid_exact_evm_signature", "/payload/signature", /must be deployed/],
    ],
    [
      "a payer who holds nothing",
      () => sign({}, order, newAccount()),
      ["invalid_exact_evm_insufficient_balance", "/payload/authorization/from", /holds less/],
    ],
  ];

  test.each(cases)("%s", async (_, make, refusal) => {
    const signed = await make();
    await expectRefused(signed, refusal);
    await expectRefused(payloadOf(signed), refusal);
    expect(await isUsed(market.testChain, signed)).toBe(false);
  });

  test("an authorization that its payer cancelled", async () => {
    const signed = await sign();
    await cancel(signed);
    await expectRefused(signed, [
      "invalid_exact_evm_nonce_already_used",
      "/payload/authorization/nonce",
      /used or cancelled/,
    ]);
  });

  test("an authorization that paid another order", async () => {
    const third = await place(market, { settlement_rail: "x402" });
    const used = await sign({}, third);
    await sendAsOutsider(market.testChain, used);
    const signed = await sign({ nonce: used.authorization.nonce });
    await expectRefused(signed, [
      "invalid_exact_evm_nonce_already_used",
      "/payload/authorization/nonce",
      /used or cancelled/,
    ]);
  });

  test.each<[what: string, code: Hex]>([
    ["stops at INVALID", "0xfe"],
    ["never comes to an end", "0x5b5f56"],
    ["takes more memory than there is gas for", "0x5f630fffffff52"],
    ["jumps to nowhere", "0x600156"],
    ["finds its stack empty", "0x01"],
    ["reverts without a word", "0x5f5ffd"],
    ["answers nothing", "0x00"],
  ])("the signature of a contract wallet that %s on verification", async (_, bytecode) => {
    const { address } = newAccount();
    await market.testChain.fund({ address });
    await market.testChain.node.setCode({ address, bytecode });
    const { authorization, signature } = alter(await sign({}, order, newAccount()), { from: address });
    for (const each of [signature, `0x${"22".repeat(130)}` as Hex]) {
      await expectRefused({ authorization, signature: each }, [
        "invalid_exact_evm_signature",
        "/payload/signature",
        /not the payer's signature/,
      ]);
    }
  });

  test("a permit for Permit2, which this chain lacks", async () => {
    const refusal: [string, string, RegExp] = ["unsupported_payload_type", "/payload", /does not accept/];
    const permit = {
      signature: `0x${"11".repeat(65)}`,
      permit2Authorization: {
        from: market.buyer.account.address,
        permitted: { token: market.chain.token.address, amount: "2500000" },
        spender: market.chain.escrow_contract,
        nonce: "1",
        deadline: fromNow(300),
        witness: { to: order.escrow.deposit_address, validAfter: "0" },
      },
    };
    await expectRefused(permit, refusal);
    await expectRefused(
      payloadOf(permit, { extra: { ...offered.extra, assetTransferMethod: "permit2" } }),
      refusal,
    );
  });

  function alter({ signature, authorization }: Signed, change: Partial<Authorization>): Signed {
    return { signature, authorization: { ...authorization, ...change } };
  }
});

describe("402 for a payment that accepts other terms, unused", () => {
  const cases: [member: string, value: () => string, [reason: string, path: string, message: RegExp]][] = [
    ["scheme", () => "upto", ["invalid_exact_evm_scheme", "/accepted/scheme", /upto.*exact/]],
    [
      "network",
      () => "eip155:1",
      ["invalid_exact_evm_network_mismatch", "/accepted/network", /eip155:1,.*eip155:31337/],
    ],
    [
      "asset",
      () => market.chain.escrow_contract,
      ["invalid_exact_evm_asset_mismatch", "/accepted/asset", /requires 0x/],
    ],
    ["asset", () => "gold", ["invalid_exact_evm_asset_mismatch", "/accepted/asset", /gold.*requires 0x/]],
    [
      "payTo",
      () => other.escrow.deposit_address,
      ["invalid_exact_evm_recipient_mismatch", "/accepted/payTo", /requires 0x/],
    ],
    ["amount", () => "1", ["invalid_exact_evm_amount_mismatch", "/accepted/amount", /1,.*2500000/]],
    ["amount", () => "2500000.0", ["invalid_exact_evm_amount_mismatch", "/accepted/amount", /2500000\.0,/]],
  ];

  test.each(cases)("%s", async (member, value, refusal) => {
    const signed = await sign();
    const payload = payloadOf(signed, { [member]: value() });
    await expectRefused(payload, refusal);
    await expectRefused(undefined, refusal, {
      "payment-signature": encodePaymentSignatureHeader(payload as never),
    });
    expect(await isUsed(market.testChain, signed)).toBe(false);
  });

  test("a long or odd value is repeated in part, and as text", async () => {
    const network = `${"\u0000\ud800<script>"}${"x".repeat(5000)}`;
    const header = Buffer.from(JSON.stringify(payloadOf(await sign(), { network }))).toString("base64");
    const { body } = await post(order, undefined, { "payment-signature": header });
    expect(body.error.message.length).toBeLessThan(300);
  });
});

test("the order can be paid after all refusals", async () => {
  const { db } = market.api;
  expect(await db.$count(payment, eq(payment.orderId, order.id))).toBe(0);
  expectStatus(202, await post(order, await sign()));
  expect(await db.$count(payment, eq(payment.orderId, order.id))).toBe(1);
});

/** The payer's call to the token that cancels an authorization. */
async function cancel({ authorization: { from, nonce } }: Signed): Promise<void> {
  const { chain, wallet, fund, publicClient } = market.testChain;
  const { name, version, address } = chain.token;
  const signature = await market.buyer.account.signTypedData({
    domain: { name, version, chainId: chain.chain_id, verifyingContract: address },
    types: {
      CancelAuthorization: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "CancelAuthorization",
    message: { authorizer: from, nonce },
  });
  const sender = newAccount();
  await fund(sender);
  const hash = await wallet(sender).writeContract({
    address,
    abi: parseAbi(["function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)"]),
    functionName: "cancelAuthorization",
    args: [from, nonce, signature],
  });
  await publicClient.waitForTransactionReceipt({ hash });
}
