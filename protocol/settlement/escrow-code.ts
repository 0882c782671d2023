import {
  type Address,
  type BaseError,
  bytesToHex,
  domainSeparator,
  type Hex,
  hexToBytes,
  keccak256,
  numberToHex,
  type PublicClient,
  pad,
  parseAbi,
  stringToBytes,
} from "viem";
import { escrowBuild } from "../../abis/build.ts";
import { escrowAbi } from "../../abis/escrow.ts";
import { isContractAnswer } from "./contract-answers.ts";
import { escrowDomain } from "./signatures.ts";
import { depositImplementationOf } from "./terms.ts";

/**
 * Compares the contract at an address, and its deposit implementation, with the escrow of this build. Code must be equal
 * byte by byte; immutables and the values that both contracts return must be equal by value.
 *
 * @returns a sentence for each difference; none if they are equal
 * @throws viem's error if the node does not answer, which is no difference
 */
export async function compareEscrow(reader: PublicClient, escrow: Address): Promise<string[]> {
  const deposit = depositImplementationOf(escrow);
  const [chainId, escrowCode, depositCode] = await Promise.all([
    reader.getChainId(),
    reader.getCode({ address: escrow }),
    reader.getCode({ address: deposit }),
  ]);
  if (!escrowCode) return [`There is no contract at ${escrow} on chain ${chainId}.`];
  const domain = escrowDomain({ chainId, escrowContract: escrow });
  const differences = [
    ...compareCode(`The escrow ${escrow}`, escrowCode, escrowBuild.escrow, {
      DEPOSIT_IMPLEMENTATION: pad(deposit),
      _cachedDomainSeparator: domainSeparator({ domain }),
      _cachedChainId: numberToHex(chainId, { size: 32 }),
      _cachedThis: pad(escrow),
      _hashedName: keccak256(stringToBytes(domain.name)),
      _hashedVersion: keccak256(stringToBytes(domain.version)),
      _name: shortString(domain.name),
      _version: shortString(domain.version),
    }),
    ...(depositCode
      ? compareCode(`The deposit implementation ${deposit}`, depositCode, escrowBuild.deposit, {
          ESCROW: pad(escrow),
        })
      : [`There is no contract at ${deposit}, where the escrow's deposit implementation belongs.`]),
  ];

  const answers: [what: string, expected: string, answer: Promise<string>][] = [
    [
      `DEPOSIT_IMPLEMENTATION() of ${escrow}`,
      deposit,
      reader.readContract({ address: escrow, abi: escrowAbi, functionName: "DEPOSIT_IMPLEMENTATION" }),
    ],
    [
      `ESCROW() of ${deposit}`,
      escrow,
      reader.readContract({
        address: deposit,
        abi: parseAbi(["function ESCROW() view returns (address)"]),
        functionName: "ESCROW",
      }),
    ],
    [
      `eip712Domain() of ${escrow}`,
      [domain.name, domain.version, chainId, escrow].join(", "),
      reader
        .readContract({ address: escrow, abi: escrowAbi, functionName: "eip712Domain" })
        .then(([, name, version, chain, contract]) => [name, version, chain, contract].join(", ")),
    ],
  ];
  const refused = (error: BaseError) => {
    if (!isContractAnswer(error)) throw error;
    return `an error (${error.shortMessage})`;
  };
  const all = await Promise.all(answers.map(([, , answer]) => answer.catch(refused)));
  for (const [at, [what, expected]] of answers.entries()) {
    const got = all[at];
    if (got !== expected) differences.push(`${what} is ${got}, in this build it is ${expected}.`);
  }
  return differences;
}

type Runtime = { code: Hex; immutables: Record<string, readonly number[]> };

/** Compares code with the build's: first the bytes outside of immutables, then each immutable. */
function compareCode<T extends Runtime>(
  what: string,
  deployed: Hex,
  build: T,
  values: { [name in keyof T["immutables"]]: Hex },
): string[] {
  const [found, expected] = [hexToBytes(deployed), hexToBytes(build.code)];
  if (found.length !== expected.length) {
    return [`${what} has ${found.length} bytes of code, but this build has ${expected.length}.`];
  }
  const differences: string[] = [];
  for (const [name, positions] of Object.entries(build.immutables)) {
    const value = values[name as keyof typeof values];
    const others = new Set<Hex>();
    for (const place of positions) {
      const word = bytesToHex(found.subarray(place, place + 32));
      if (word !== value.toLowerCase()) others.add(word);
      expected.set(found.subarray(place, place + 32), place);
    }
    for (const other of others)
      differences.push(`${what} has ${other} as ${name}, where ${value.toLowerCase()} belongs.`);
  }
  const unlike = [...expected.keys()].filter((at) => found[at] !== expected[at]);
  if (unlike.length > 0) {
    const at = unlike[0] as number;
    const excerpt = (bytes: Uint8Array) => bytesToHex(bytes.subarray(at, at + 8));
    differences.push(
      `${what} differs from this build in ${unlike.length} of ${found.length} bytes, first at byte ${at}: ${excerpt(found)}, in this build ${excerpt(expected)}.`,
    );
  }
  return differences;
}

/** Encodes a string as OpenZeppelin's ShortStrings do: its bytes from the left, its length in the last byte. */
function shortString(text: string): Hex {
  const word = new Uint8Array(32);
  word.set(stringToBytes(text));
  word[31] = text.length;
  return bytesToHex(word);
}
