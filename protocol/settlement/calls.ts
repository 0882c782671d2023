import {
  type Abi,
  type AbiFunction,
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  toFunctionSelector,
} from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import type { Terms } from "./terms.ts";

/** A contract call that any wallet can send, with its description. `value` is wei: no call here sends native coin. */
export type Call = {
  function: string;
  to: Address;
  data: Hex;
  value: "0";
  /** the arguments by their names in the ABI; integers wider than 53 bits are decimal strings */
  args: Record<string, unknown>;
};

export type EscrowOf = { escrowContract: Address; terms: Terms };

/** Allows the escrow contract to take exactly the amount from the sender. */
export function approveCall({ escrowContract, terms }: EscrowOf): Call {
  const args = [escrowContract, terms.amount] as const;
  return describeCall(
    erc20Abi,
    terms.token,
    encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }),
  );
}

/** Creates the escrow from the sender's allowance. */
export function createEscrowCall({ escrowContract, terms }: EscrowOf): Call {
  return escrowCall(
    escrowContract,
    encodeFunctionData({ abi: escrowAbi, functionName: "createEscrow", args: [terms] }),
  );
}

type Authorization = { from: Address; validAfter: bigint; validBefore: bigint; nonce: Hex; signature: Hex };

/** Creates the escrow by the payer's EIP-3009 authorization to the deposit address; anyone sends it. */
export function createEscrowWithAuthorizationCall(escrow: EscrowOf, authorization: Authorization): Call {
  return escrowCall(escrow.escrowContract, encodeCreateEscrowWithAuthorization(escrow, authorization));
}

/** Encodes that call's data alone. */
export function encodeCreateEscrowWithAuthorization(
  { terms }: Pick<EscrowOf, "terms">,
  { from, validAfter, validBefore, nonce, signature }: Authorization,
): Hex {
  return encodeFunctionData({
    abi: escrowAbi,
    functionName: "createEscrowWithAuthorization",
    args: [terms, from, validAfter, validBefore, nonce, signature],
  });
}

/** Creates the escrow by the payer's EIP-3009 authorization to the contract, whose nonce is the escrow's id; anyone sends it. */
export function createEscrowWithReceiveAuthorizationCall(
  { escrowContract, terms }: EscrowOf,
  { from, validBefore, signature }: { from: Address; validBefore: bigint; signature: Hex },
): Call {
  return escrowCall(
    escrowContract,
    encodeFunctionData({
      abi: escrowAbi,
      functionName: "createEscrowWithReceiveAuthorization",
      args: [terms, from, validBefore, signature],
    }),
  );
}

/** Creates the escrow from the money at its deposit address; anyone sends it. */
export function createEscrowFromDepositCall({ escrowContract, terms }: EscrowOf): Call {
  return escrowCall(
    escrowContract,
    encodeFunctionData({ abi: escrowAbi, functionName: "createEscrowFromDeposit", args: [terms] }),
  );
}

/** Ends or moves the escrow with no argument but its terms. */
export function plainCall(
  { escrowContract, terms }: EscrowOf,
  functionName: "release" | "refund" | "settleDispute" | "releasePart",
): Call {
  return escrowCall(escrowContract, encodeFunctionData({ abi: escrowAbi, functionName, args: [terms] }));
}

/**
 * Records a delivery; the provider's own wallet sends it.
 *
 * @param charge the sum in base units that the record claims as a part; null for the whole amount
 * @param isFinal whether the provider claims no more than this part
 */
export function recordDeliveryCall(
  { escrowContract, terms }: EscrowOf,
  outputHash: Hex,
  charge: bigint | null = null,
  isFinal = true,
): Call {
  if (charge !== null) {
    const args = [terms, charge, outputHash, isFinal] as const;
    return escrowCall(
      escrowContract,
      encodeFunctionData({ abi: escrowAbi, functionName: "recordPart", args }),
    );
  }
  return escrowCall(
    escrowContract,
    encodeFunctionData({ abi: escrowAbi, functionName: "recordDelivery", args: [terms, outputHash] }),
  );
}

/** Records a delivery by the provider's signature; anyone sends it. `charge` and `isFinal` are as in `recordDeliveryCall`. */
export function recordSignedDeliveryCall(
  { escrowContract, terms }: EscrowOf,
  delivery: {
    outputHash: Hex;
    charge?: bigint | null;
    isFinal?: boolean;
    deadline: bigint;
    signature: Hex;
  },
): Call {
  const { charge = null, isFinal = true } = delivery;
  if (charge !== null) {
    const part = [
      terms,
      charge,
      delivery.outputHash,
      isFinal,
      delivery.deadline,
      delivery.signature,
    ] as const;
    return escrowCall(
      escrowContract,
      encodeFunctionData({ abi: escrowAbi, functionName: "recordPartWithSignature", args: part }),
    );
  }
  const args = [terms, delivery.outputHash, delivery.deadline, delivery.signature] as const;
  return escrowCall(
    escrowContract,
    encodeFunctionData({ abi: escrowAbi, functionName: "recordDeliveryWithSignature", args }),
  );
}

/** Pays a part by the buyer's voucher; anyone sends it. The buyer's own wallet sends it without a signature. */
export function voucherCall(
  { escrowContract, terms }: EscrowOf,
  voucher: { cumulativeAmount: bigint; workHash: Hex; signature?: Hex },
): Call {
  const args = [terms, voucher.cumulativeAmount, voucher.workHash, voucher.signature ?? "0x"] as const;
  return escrowCall(escrowContract, encodeFunctionData({ abi: escrowAbi, functionName: "useVoucher", args }));
}

/** The end of an escrow by both parties: the provider's amount in all, and the signatures of `Close`. */
export type SignedClose = {
  providerAmount: bigint;
  deadline: bigint;
  buyerSignature: Hex;
  providerSignature: Hex;
};

/** Ends the escrow by both parties' signatures; anyone sends it. */
export function closeCall({ escrowContract, terms }: EscrowOf, close: SignedClose): Call {
  const { providerAmount, deadline, buyerSignature, providerSignature } = close;
  const args = [terms, providerAmount, deadline, buyerSignature, providerSignature] as const;
  return escrowCall(escrowContract, encodeFunctionData({ abi: escrowAbi, functionName: "close", args }));
}

/** Disputes the escrow; a party's own wallet sends it. */
export function disputeCall({ escrowContract, terms }: EscrowOf, reasonHash: Hex): Call {
  return escrowCall(
    escrowContract,
    encodeFunctionData({ abi: escrowAbi, functionName: "dispute", args: [terms, reasonHash] }),
  );
}

/** A decision of a dispute: the provider's share in base units, and the hash of the ruling's text. */
export type Decision = { providerAmount: bigint; rulingHash: Hex };

/** Decides a dispute; the arbiter's own wallet sends it. */
export function decideDisputeCall({ escrowContract, terms }: EscrowOf, decision: Decision): Call {
  const args = [terms, decision.providerAmount, decision.rulingHash] as const;
  return escrowCall(
    escrowContract,
    encodeFunctionData({ abi: escrowAbi, functionName: "decideDispute", args }),
  );
}

/** Decides a dispute by the arbiter's signature; anyone sends it. `deadline` is unix seconds. */
export function decideSignedDisputeCall(
  { escrowContract, terms }: EscrowOf,
  decision: Decision & { deadline: bigint; signature: Hex },
): Call {
  const { providerAmount, rulingHash, deadline, signature } = decision;
  const args = [terms, providerAmount, rulingHash, deadline, signature] as const;
  return escrowCall(
    escrowContract,
    encodeFunctionData({ abi: escrowAbi, functionName: "decideDisputeWithSignature", args }),
  );
}

/** A party's signed act other than a delivery record; `deadline` is unix seconds. */
export type SignedActCall = { deadline: bigint; signature: Hex } & (
  | { act: "release" | "refund" }
  | { act: "dispute"; party: Address; reasonHash: Hex }
);

/** Releases, refunds or disputes by a party's signature; anyone sends it. */
export function signedActCall({ escrowContract, terms }: EscrowOf, signed: SignedActCall): Call {
  const { act, deadline, signature } = signed;
  const data =
    act === "dispute"
      ? encodeFunctionData({
          abi: escrowAbi,
          functionName: "disputeWithSignature",
          args: [terms, signed.party, signed.reasonHash, deadline, signature],
        })
      : encodeFunctionData({
          abi: escrowAbi,
          functionName: act === "release" ? "releaseWithSignature" : "refundWithSignature",
          args: [terms, deadline, signature],
        });
  return escrowCall(escrowContract, data);
}

/** Sends the deposit address's balance of the order's token to the buyer. */
export function returnDepositCall({ escrowContract, terms }: EscrowOf): Call {
  return escrowCall(
    escrowContract,
    encodeFunctionData({ abi: escrowAbi, functionName: "returnDeposit", args: [terms, terms.token] }),
  );
}

/** Pays what the contract owes to a payee, because the token refused a payout; anyone sends it. */
export function withdrawCall(escrowContract: Address, owed: { token: Address; payee: Address }): Call {
  const args = [owed.token, owed.payee] as const;
  return escrowCall(escrowContract, encodeFunctionData({ abi: escrowAbi, functionName: "withdraw", args }));
}

/** Decodes call data of the escrow contract, as in a stored relay. */
export function escrowCall(escrowContract: Address, data: Hex): Call {
  return describeCall(escrowAbi, escrowContract, data);
}

/** Describes a call from its encoded data, so that the description is what is sent. */
export function describeCall(abi: Abi, to: Address, data: Hex): Call {
  const item = functionsOf(abi).get(data.slice(0, 10));
  const { functionName, args = [] } = decodeFunctionData({ abi: item ? [item] : abi, data });
  const inputs = item?.inputs ?? [];
  return {
    function: functionName,
    to: getAddress(to),
    data,
    value: "0",
    args: Object.fromEntries(inputs.map((input, index) => [input.name ?? `${index}`, plain(args[index])])),
  };
}

/** The functions of each ABI by their selectors: viem would hash all of them for each call. */
const functions = new WeakMap<Abi, Map<string, AbiFunction>>();

function functionsOf(abi: Abi): Map<string, AbiFunction> {
  const known = functions.get(abi);
  if (known) return known;
  const found = new Map(
    abi.filter((item) => item.type === "function").map((item) => [toFunctionSelector(item), item]),
  );
  functions.set(abi, found);
  return found;
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
