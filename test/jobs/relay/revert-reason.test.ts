import {
  encodeAbiParameters,
  encodeErrorResult,
  type Hex,
  HttpRequestError,
  parseAbi,
  RpcRequestError,
} from "viem";
import { describe, expect, test } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import { testUsdAbi } from "../../../abis/testUsd.ts";
import { revertReasonOf } from "../../../jobs/relay/revert-reason.ts";

/** The error that viem throws when a node returns a contract's refusal. */
function refusal(data: Hex): RpcRequestError {
  const error = { code: 3, message: "execution reverted", data };
  return new RpcRequestError({ body: {}, url: "http://127.0.0.1", error });
}

const words = (text: string): Hex =>
  `0x08c379a0${encodeAbiParameters([{ type: "string" }], [text]).slice(2)}`;

describe("the reason of a refusal", () => {
  test("is the escrow contract's error, with its arguments", () => {
    const data = encodeErrorResult({
      abi: escrowAbi,
      errorName: "TooLate",
      args: [1_700_000_100n, 1_700_000_000n],
    });
    expect(revertReasonOf(refusal(data))).toBe("TooLate(timestamp 1700000100, notAfter 1700000000)");
  });

  test("is the token's error, with its arguments", () => {
    const sender = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    const poor = encodeErrorResult({
      abi: testUsdAbi,
      errorName: "ERC20InsufficientBalance",
      args: [sender, 1n, 2n],
    });
    expect(revertReasonOf(refusal(poor))).toBe(
      `ERC20InsufficientBalance(sender ${sender}, balance 1, needed 2)`,
    );
    const used = encodeErrorResult({
      abi: testUsdAbi,
      errorName: "ERC3009UsedAuthorization",
      args: [sender, `0x${"ab".repeat(32)}`],
    });
    expect(revertReasonOf(refusal(used))).toMatch(/^ERC3009UsedAuthorization\(authorizer 0x/);
  });

  test("is the token's own sentence where it has one", () => {
    expect(revertReasonOf(refusal(words("FiatTokenV2: authorization is used or canceled")))).toBe(
      "FiatTokenV2: authorization is used or canceled",
    );
  });

  test("is the bytes where no ABI has them", () => {
    const data = encodeErrorResult({ abi: parseAbi(["error Whatever(uint256)"]), args: [7n] });
    expect(revertReasonOf(refusal(data))).toBe(`the contract refused the call with ${data}`);
  });

  test("is one line that can be stored, for any hostile contract", () => {
    const reason = revertReasonOf(refusal(words(`no\0\u0007\r\n\u2028${"x".repeat(100_000)}`)));
    expect(reason).toMatch(/^no x+\.\.\.$/);
    expect(reason?.length).toBe(303);
    expect(revertReasonOf(refusal(`0x12345678${"ab".repeat(100_000)}`))?.length).toBe(303);
  });

  test("is null without a refusal", () => {
    expect(revertReasonOf(new HttpRequestError({ url: "http://127.0.0.1" }))).toBeNull();
    expect(revertReasonOf(new Error("execution reverted"))).toBeNull();
  });
});
