import {
  type Address,
  decodeAbiParameters,
  type Hex,
  hexToNumber,
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
  for (let index = 0n; index < count; index += 1n) {
    const begin = offset + 6;
    offset = begin + hexToNumber(slice(packed, offset + 3, begin));
    const input = slice(packed, begin, offset);
    calls.push({ hash, to: target.toLowerCase(), input, succeeded: done && !failed.has(index) });
  }
  return calls;
}
