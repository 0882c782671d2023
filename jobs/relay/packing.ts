import { bytesToHex, concatBytes, encodeFunctionData, type Hex, hexToBytes, numberToBytes } from "viem";
import { batchAbi } from "../../abis/batch.ts";
import type { RelayRow } from "../../trade/relay/queue.ts";

/** A call of a batch, and the gas that it is given. */
type Call = { row: Pick<RelayRow, "to" | "data">; gas: bigint };

/** A part of call data, from its first byte to the one behind its last. */
type Gap = { from: number; to: number };

/** What a further gap takes of each call, by the loop that fills it. */
const gasOfGap = 100;
const gasOfByte = (byte: number) => (byte === 0 ? 4 : 16);

/**
 * Calls in the order in which a batch packs them best: those of one form follow each other. Calls of one order stay in
 * theirs, so nothing is moved where an order has two.
 */
export function arrange<T extends { row: Pick<RelayRow, "orderId" | "data"> }>(calls: T[]): T[] {
  const orders = new Set(calls.map(({ row }) => row.orderId));
  if (orders.has(null) || orders.size < calls.length) return calls;
  const byForm = new Map<string, T[]>();
  for (const call of calls) {
    const alike = byForm.get(formOf(call));
    if (alike) alike.push(call);
    else byForm.set(formOf(call), [call]);
  }
  return [...byForm.values()].flat();
}

/** The call of a batch, as `run` of `contracts/src/Batch.sol` takes it. All calls are of the first one's contract. */
export function encodeBatch(calls: Call[]): Hex {
  const [first] = calls;
  if (!first) throw new Error("A batch has one call at least.");
  const forms: Call[][] = [];
  for (const call of calls) {
    const last = forms.at(-1);
    if (last?.[0] && formOf(last[0]) === formOf(call)) last.push(call);
    else forms.push([call]);
  }
  const packed = bytesToHex(concatBytes(forms.flatMap(packForm)));
  const args = [first.row.to, BigInt(calls.length), packed] as const;
  return encodeFunctionData({ abi: batchAbi, functionName: "run", args });
}

/** What calls have alike that can share bytes: their function, and their length. */
function formOf({ row: { data } }: { row: Pick<RelayRow, "data"> }): string {
  return `${data.slice(0, 10)} ${data.length}`;
}

function packForm(calls: Call[]): Uint8Array[] {
  const all = calls.map(({ row }) => hexToBytes(row.data as Hex));
  const form = Uint8Array.from(all[0] as Uint8Array);
  const gaps = findGaps(all);
  for (const { from, to } of gaps) form.fill(0, from, to);
  return [
    ...[calls.length, form.length, gaps.length].map(write),
    form,
    ...gaps.flatMap(({ from, to }) => [write(from), write(to - from)]),
    ...calls.flatMap(({ gas }, at) => [
      write(Number(gas)),
      ...gaps.map(({ from, to }) => (all[at] as Uint8Array).subarray(from, to)),
    ]),
  ];
}

/** Where calls of one length differ. Two gaps are one where the bytes between them cost less than a gap does. */
function findGaps([first, ...others]: Uint8Array[]): Gap[] {
  const gaps: Gap[] = [];
  let between = 0;
  for (const [at, byte] of (first as Uint8Array).entries()) {
    const last = gaps.at(-1);
    if (others.every((other) => other[at] === byte)) between += gasOfByte(byte);
    else {
      if (last && between <= gasOfGap) last.to = at + 1;
      else gaps.push({ from: at, to: at + 1 });
      between = 0;
    }
  }
  return gaps;
}

const write = (number: number) => numberToBytes(number, { size: 3 });
