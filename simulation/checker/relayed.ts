import {
  type Address,
  bytesToHex,
  decodeAbiParameters,
  type Hex,
  hexToBytes,
  hexToNumber,
  size,
  slice,
  toEventSelector,
  toFunctionSelector,
} from "viem";

// Written from docs/contract.md alone.

/** A call that the relayer's wallet made, alone or in a batch. */
export type Sent = { hash: Hex; to: string; input: Hex; succeeded: boolean };

type Mined = {
  hash: Hex;
  to: Address | null;
  input: Hex;
  status: "success" | "reverted";
  logs: readonly { address: Address; topics: readonly Hex[]; data: Hex }[];
};

const runSelector = toFunctionSelector("run(address,uint256,bytes)");
const callFailed = toEventSelector("CallFailed(uint256,bytes)");

/** The calls that a transaction made: of a batch each of its own, of another the one that it is. */
export function callsOf({ hash, to, input, status, logs }: Mined): Sent[] {
  const done = status === "success";
  if (!input.startsWith(runSelector)) {
    return [{ hash, to: (to ?? "").toLowerCase(), input, succeeded: done }];
  }
  const [target, count, packed] = decodeAbiParameters(
    [{ type: "address" }, { type: "uint256" }, { type: "bytes" }],
    slice(input, 4),
  );
  const failed = new Set(
    logs
      .filter(
        ({ address, topics }) => address.toLowerCase() === to?.toLowerCase() && topics[0] === callFailed,
      )
      .map(({ data }) => decodeAbiParameters([{ type: "uint256" }], data)[0]),
  );
  const calls: Sent[] = [];
  let offset = 0;
  const readBytes = (length: number): Hex => {
    const begin = offset;
    offset += length;
    return length === 0 ? "0x" : slice(packed, begin, offset);
  };
  const readNumber = () => hexToNumber(readBytes(3));
  while (offset < size(packed)) {
    const [alike, length, gaps] = [readNumber(), readNumber(), readNumber()];
    const form = hexToBytes(readBytes(length));
    const places = Array.from({ length: gaps }, () => ({ from: readNumber(), bytes: readNumber() }));
    for (let call = 0; call < alike; call += 1) {
      readNumber();
      for (const { from, bytes } of places) form.set(hexToBytes(readBytes(bytes)), from);
      const succeeded = done && !failed.has(BigInt(calls.length));
      calls.push({ hash, to: target.toLowerCase(), input: bytesToHex(form), succeeded });
    }
  }
  if (BigInt(calls.length) !== count) throw new Error(`A batch of ${count} calls has ${calls.length}.`);
  return calls;
}
