import {
  type Address,
  concat,
  decodeAbiParameters,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  hashTypedData,
  isAddressEqual,
  parseAbiParameters,
  parseErc6492Signature,
  serializeErc6492Signature,
  zeroHash,
} from "viem";
import { passkeyAccountFactoryAbi } from "../../abis/passkeyAccount.ts";
import { approveCall, createEscrowCall, type EscrowOf } from "./calls.ts";

/** A passkey's public key on the curve P-256. */
export type PasskeyKey = { x: Hex; y: Hex };

/** A call that a passkey account makes. */
export type AccountCall = { to: Address; value: bigint; data: Hex };

/** A passkey's answer to a challenge (WebAuthn), with the places of two members in the client's data. */
export type Assertion = {
  r: Hex;
  s: Hex;
  challengeIndex: number;
  typeIndex: number;
  authenticatorData: Hex;
  clientDataJSON: string;
};

/** The code of an account before and after the address of the implementation (ERC-1167), and the code that returns it. */
const cloneParts = {
  creation: "0x61006d3d81600a3d39f3",
  before: "0x363d3d373d3d3d363d73",
  after: "0x5af43d82803e903d91602b57fd5bf3",
} as const;

/** The factory deploys the code of all accounts by its first CREATE. */
const runtimeOf = (factory: Address): Hex =>
  concat([
    cloneParts.before,
    getContractAddress({ from: factory, nonce: 1n }).toLowerCase() as Hex,
    cloneParts.after,
  ]);

/** Computes the address of a passkey's account, whether it is deployed or not. */
export function passkeyAccountOf(factory: Address, { x, y }: PasskeyKey): Address {
  const bytecode = concat([cloneParts.creation, runtimeOf(factory), x, y]);
  return getContractAddress({ opcode: "CREATE2", from: factory, salt: zeroHash, bytecode });
}

/** Tells whether code on the chain is that of an account of this factory. */
export const isPasskeyAccountCode = (factory: Address, code: Hex): boolean =>
  code.toLowerCase().startsWith(runtimeOf(factory));

/** Builds the call that deploys a passkey's account. It does nothing if the account exists. */
export const createPasskeyAccountCall = (factory: Address, { x, y }: PasskeyKey) => ({
  to: factory,
  data: encodeFunctionData({ abi: passkeyAccountFactoryAbi, functionName: "create", args: [x, y] }),
});

/** Builds the call that makes signed calls from a passkey's account, and deploys it first if it does not exist. */
export const createAndExecuteCall = (
  factory: Address,
  { x, y }: PasskeyKey,
  signed: { calls: readonly AccountCall[]; deadline: bigint; signature: Hex },
) => ({
  to: factory,
  data: encodeFunctionData({
    abi: passkeyAccountFactoryAbi,
    functionName: "createAndExecute",
    args: [x, y, signed.calls, signed.deadline, signed.signature],
  }),
});

/**
 * Builds the calls by which a passkey's account pays an order: it allows the escrow contract to take the amount, and creates
 * the escrow. All of them succeed, or none has an effect.
 *
 * @param allowance what the account allows the contract before. Some tokens change an allowance only from zero
 */
export function accountPaymentCalls({ escrowContract, terms }: EscrowOf, allowance: bigint): AccountCall[] {
  const approve = (amount: bigint) => approveCall({ escrowContract, terms: { ...terms, amount } });
  const calls = [approve(terms.amount), createEscrowCall({ escrowContract, terms })];
  if (allowance > 0n) calls.unshift(approve(0n));
  return calls.map(({ to, data }) => ({ to, value: 0n, data }));
}

type NamedAccount = { account: Address; chainId: number };

const domainOf = ({ account, chainId }: NamedAccount) => ({
  name: "Earnest Passkey Account",
  version: "1",
  chainId,
  verifyingContract: account,
});

/** Computes the challenge by which a passkey signs a hash for its account on a chain. No other account accepts it. */
export const passkeyMessageHash = (named: NamedAccount, hash: Hex): Hex =>
  hashTypedData({
    domain: domainOf(named),
    types: { Message: [{ name: "hash", type: "bytes32" }] },
    primaryType: "Message",
    message: { hash },
  });

/** Computes the challenge by which a passkey signs calls of its account. */
export const passkeyExecuteHash = (
  named: NamedAccount,
  execution: { calls: readonly AccountCall[]; nonce: bigint; deadline: bigint },
): Hex =>
  hashTypedData({
    domain: domainOf(named),
    types: {
      Execute: [
        { name: "calls", type: "Call[]" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
      ],
      Call: [
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "data", type: "bytes" },
      ],
    },
    primaryType: "Execute",
    message: execution,
  });

const assertionFields = parseAbiParameters(
  "bytes32 r, bytes32 s, uint256 challengeIndex, uint256 typeIndex, bytes authenticatorData, string clientDataJSON",
);

/** Encodes an assertion as the account takes it. */
export const encodeAssertion = (assertion: Assertion): Hex =>
  encodeAbiParameters(assertionFields, [
    assertion.r,
    assertion.s,
    BigInt(assertion.challengeIndex),
    BigInt(assertion.typeIndex),
    assertion.authenticatorData,
    assertion.clientDataJSON,
  ]);

/** Decodes an assertion; null for other bytes. */
export function decodeAssertion(
  signature: Hex,
): Pick<Assertion, "authenticatorData" | "clientDataJSON"> | null {
  try {
    const fields = decodeAbiParameters(assertionFields, signature);
    return { authenticatorData: fields[4], clientDataJSON: fields[5] };
  } catch {
    return null;
  }
}

/** The factory's call `create(x, y)`: its selector and two words. */
const plainDeployment = /^0x634bc7db[0-9a-f]{128}$/i;

/**
 * Tells whether a deployment that comes with a signature (ERC-6492) only deploys. The factory of passkey accounts can make
 * signed calls too, which nobody else pays for. Other factories are not looked at.
 */
export function isPlainDeployment(passkeyFactory: Address | undefined, signature: Hex): boolean {
  const { address, data } = parseErc6492Signature(signature);
  if (!passkeyFactory || !address || !isAddressEqual(address, passkeyFactory)) return true;
  return plainDeployment.test(data);
}

/** Wraps an account's signature with its deployment (ERC-6492), for as long as the account does not exist. */
export const withDeployment = (factory: Address, key: PasskeyKey, signature: Hex): Hex =>
  serializeErc6492Signature({
    address: factory,
    data: createPasskeyAccountCall(factory, key).data,
    signature,
  });
