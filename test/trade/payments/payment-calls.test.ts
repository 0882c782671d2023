import fc from "fast-check";
import { type Address, bytesToHex, concatHex, encodeAbiParameters, getAddress, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import { escrowCall } from "../../../protocol/settlement/calls.ts";
import type { Terms } from "../../../protocol/settlement/terms.ts";
import { permit2ProxyAddress } from "../../../protocol/settlement/x402.ts";
import { signedAuthorization, signedPermit } from "../../../protocol/settlement/x402-payload.ts";
import { paymentCalls } from "../../../trade/payments/payment-calls.ts";
import { gasBounds } from "../../../trade/relay/gas-bounds.ts";

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => bytesToHex(array));
const address = bytes(20).map((hex): Address => getAddress(hex));
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String);
const authorization = fc.record({
  from: address,
  to: address,
  value: uint256,
  validAfter: uint256,
  validBefore: uint256,
  nonce: bytes(32),
});
const permit = fc.record({
  from: address,
  permitted: fc.record({ token: address, amount: uint256 }),
  spender: address,
  nonce: uint256,
  deadline: uint256,
  witness: fc.record({ to: address, validAfter: uint256 }),
});

describe("paymentCalls", () => {
  const terms: Terms = {
    buyer: getAddress(`0x${"01".repeat(20)}`),
    provider: getAddress(`0x${"02".repeat(20)}`),
    token: getAddress(`0x${"03".repeat(20)}`),
    amount: 2_500_000n,
    fundBy: 2_000_000_000,
    deliveryWindow: 1,
    acceptanceWindow: 1,
    disputeWindow: 1,
    appealWindow: 1,
    arbiter: getAddress(`0x${"04".repeat(20)}`),
    orderHash: `0x${"05".repeat(32)}`,
  };
  const escrowContract = getAddress(`0x${"06".repeat(20)}`);
  const place = { escrowContract, terms };
  const magic: Hex = `0x${"6492".repeat(16)}`;
  const deployment = fc.record({ factory: address, data: bytes(36), inner: bytes(65) });
  const wrap = ({ factory, data, inner }: { factory: Address; data: Hex; inner: Hex }) =>
    concatHex([
      encodeAbiParameters(
        [{ type: "address" }, { type: "bytes" }, { type: "bytes" }],
        [factory, data, inner],
      ),
      magic,
    ]);

  test("an authorization is one call of the escrow contract, with exactly the signed values", () => {
    fc.assert(
      fc.property(authorization, bytes(130), fc.boolean(), (signed, bytesOf, deploysWallet) => {
        const parsed = signedAuthorization.parse({ signature: bytesOf, authorization: signed });
        const calls = paymentCalls(parsed, place, { deploysWallet });
        expect(calls.map(({ to }) => to)).toEqual([escrowContract]);
        const { function: name, args } = escrowCall(escrowContract, calls[0]?.data as Hex);
        expect(name).toBe("createEscrowWithAuthorization");
        const { to: _, value: __, ...rest } = signed;
        expect(args).toMatchObject({ ...rest, signature: bytesOf });
      }),
    );
  });

  test("the wallet's deployment comes first where it is missing, and only there", () => {
    fc.assert(
      fc.property(authorization, deployment, fc.boolean(), (signed, wallet, deploysWallet) => {
        const parsed = signedAuthorization.parse({ signature: wrap(wallet), authorization: signed });
        const calls = paymentCalls(parsed, place, { deploysWallet });
        const create = calls.at(-1);
        const deployment = { to: wallet.factory, data: wallet.data, gasBound: gasBounds.deployment };
        expect(calls.slice(0, -1)).toEqual(deploysWallet ? [deployment] : []);
        // The wallet checks its own signature, without the wrapping.
        const { args } = escrowCall(escrowContract, create?.data as Hex);
        expect(args.signature).toBe(wallet.inner);
      }),
    );
  });

  test("a permit is the transfer through x402's proxy, and then the creation from the deposit", () => {
    fc.assert(
      fc.property(permit, bytes(65), (signed, bytesOf) => {
        const parsed = signedPermit.parse({ signature: bytesOf, permit2Authorization: signed });
        const calls = paymentCalls(parsed, place);
        expect(calls.map(({ to }) => to)).toEqual([permit2ProxyAddress, escrowContract]);
        expect(escrowCall(escrowContract, calls[1]?.data as Hex).function).toBe("createEscrowFromDeposit");
      }),
    );
  });
});
