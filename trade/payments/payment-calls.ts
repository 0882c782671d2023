import { x402ExactPermit2ProxyABI, x402UptoPermit2ProxyABI } from "@x402/evm";
import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
  parseErc6492Signature,
} from "viem";
import {
  createEscrowFromDepositCall,
  type EscrowOf,
  encodeCreateEscrowWithAuthorization,
} from "../../protocol/settlement/calls.ts";
import { permit2ProxyAddress, uptoProxyAddress } from "../../protocol/settlement/x402.ts";
import type { SignedPayment } from "../../protocol/settlement/x402-payload.ts";
import { gasBounds } from "../relay/gas-bounds.ts";

const tokenAbi = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
]);

/**
 * Builds the calls that move a signed payment into the escrow. Anyone can send them, in this order, except a permit of
 * scheme `upto`, which its facilitator sends.
 *
 * @param options.deploysWallet whether the signature's deployment of the payer's wallet comes first (ERC-6492)
 * @param options.callsToken whether the token is called directly, because the signature of a contract wallet has 65
 *   bytes. The escrow contract would pass them to the token as a key's.
 */
export function paymentCalls(
  signed: SignedPayment,
  escrow: EscrowOf,
  options: { deploysWallet?: boolean; callsToken?: boolean } = {},
): { to: Address; data: Hex; gasBound: number }[] {
  const { signature, address: factory, data: deployment } = parseErc6492Signature(signed.signature);
  if ("permit2Authorization" in signed) {
    const { from, permitted, nonce, deadline, witness } = signed.permit2Authorization;
    const amount = BigInt(permitted.amount);
    const permit = {
      permitted: { token: permitted.token, amount },
      nonce: BigInt(nonce),
      deadline: BigInt(deadline),
    };
    const { to, facilitator } = witness;
    const validAfter = BigInt(witness.validAfter);
    const settle = { functionName: "settle" } as const;
    const transfer = facilitator
      ? {
          to: uptoProxyAddress,
          data: encodeFunctionData({
            abi: x402UptoPermit2ProxyABI,
            ...settle,
            args: [permit, amount, from, { to, facilitator, validAfter }, signature],
          }),
        }
      : {
          to: permit2ProxyAddress,
          data: encodeFunctionData({
            abi: x402ExactPermit2ProxyABI,
            ...settle,
            args: [permit, from, { to, validAfter }, signature],
          }),
        };
    return [{ ...transfer, gasBound: gasBounds.payment }, createFromDeposit(escrow)];
  }
  const first =
    options.deploysWallet && factory && deployment
      ? [{ to: getAddress(factory), data: deployment, gasBound: gasBounds.deployment }]
      : [];
  const { from, to, value, validAfter, validBefore, nonce } = signed.authorization;
  if (options.callsToken) {
    const transfer = encodeFunctionData({
      abi: tokenAbi,
      functionName: "transferWithAuthorization",
      args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
    });
    return [
      ...first,
      { to: escrow.terms.token, data: transfer, gasBound: gasBounds.payment },
      createFromDeposit(escrow),
    ];
  }
  const data = encodeCreateEscrowWithAuthorization(escrow, {
    from,
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce,
    signature,
  });
  return [...first, { to: escrow.escrowContract, data, gasBound: gasBounds.payment }];
}

function createFromDeposit(escrow: EscrowOf) {
  const { to, data } = createEscrowFromDepositCall(escrow);
  return { to, data, gasBound: gasBounds.deposit };
}
