import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  type AbiStateMutability,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  toFunctionSelector,
} from "viem";
import { bytesPattern } from "./shapes.ts";
import { type WriteWord, wordWriterOf } from "./words.ts";

type Args = readonly unknown[];
/** A part of the call: a word, or bytes, whose place follows all words. */
type Part = { read: (args: Args) => unknown; write: WriteWord | null };

/**
 * Makes what writes the calls of a function, with the same result as viem's `encodeFunctionData` in a tenth of its time. It
 * writes words, structs of words and bytes; a function with anything else, and arguments that are not plainly of their
 * types, are left to viem, which says what is wrong with them.
 */
export function callWriterOf<const abi extends Abi, name extends ContractFunctionName<abi>>(
  abi: abi,
  functionName: name,
): (args: ContractFunctionArgs<abi, AbiStateMutability, name>) => Hex {
  const item = getAbiItem({ abi, name: functionName } as never) as AbiFunction;
  const selector = toFunctionSelector(item);
  const parts = partsOf(item.inputs);
  return (given) => {
    const args = given as Args;
    const written = parts && args.length === item.inputs.length ? writeCall(selector, parts, args) : null;
    return written ?? encodeFunctionData({ abi: [item], functionName: item.name, args });
  };
}

function partsOf(inputs: readonly AbiParameter[]): Part[] | null {
  const parts = inputs.flatMap((input, at): (Part | null)[] => {
    if (input.type === "bytes") return [{ read: (args) => args[at], write: null }];
    if (input.type !== "tuple") return [partOf(input.type, (args) => args[at])];
    const { components } = input as { components: readonly AbiParameter[] };
    return components.map(({ type, name = "" }) =>
      partOf(type, (args) => (args[at] as Record<string, unknown> | undefined)?.[name]),
    );
  });
  return parts.every((part) => part !== null) ? parts : null;
}

function partOf(type: string, read: Part["read"]): Part | null {
  const write = wordWriterOf(type);
  return write ? { read, write } : null;
}

/** Null where viem is to write it. */
function writeCall(selector: Hex, parts: Part[], args: Args): Hex | null {
  let words: string = selector;
  let tail = "";
  for (const { read, write } of parts) {
    const value = read(args);
    if (write) {
      const word = write(value);
      if (word === null) return null;
      words += word;
    } else {
      if (typeof value !== "string" || !bytesPattern.test(value)) return null;
      words += wordOfNumber(parts.length * 32 + tail.length / 2);
      const digits = value.length - 2;
      tail += wordOfNumber(digits / 2) + value.slice(2).padEnd(Math.ceil(digits / 64) * 64, "0");
    }
  }
  return `${words}${tail}` as Hex;
}

const wordOfNumber = (number: number) => number.toString(16).padStart(64, "0");
