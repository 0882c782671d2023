import { bytesToBigInt, bytesToHex, type Hex, hexToBytes } from "viem";
import { arithmetic, max } from "./arithmetic.ts";

/** A log as a contract writes it. */
export type EvmLog = { address: Hex; topics: Hex[]; data: Hex };

export type Account = { code: Uint8Array; targets: Set<number>; storage: Map<bigint, bigint>; nonce: number };
export type Message = {
  /** whose storage and address it is */
  at: bigint;
  caller: bigint;
  code: Uint8Array;
  targets: Set<number>;
  input: Uint8Array;
  isStatic: boolean;
};
export type Halt = { ok: boolean; output: Uint8Array };

/** What all messages of a transaction share. */
export type World = {
  chainId: number;
  /** unix seconds of the block */
  timestamp: bigint;
  accounts: Map<bigint, Account>;
  /** how each change is undone, oldest first */
  journal: (() => void)[];
  transient: Map<string, bigint>;
  logs: EvmLog[];
  steps: number;
  keccak256: (data: Uint8Array) => Hex;
  create(creator: bigint, address: bigint, code: Uint8Array, depth: number): Halt;
  call(to: bigint, message: Omit<Message, "code" | "targets">, depth: number): Halt;
};

export const empty = new Uint8Array();
/** More than any check of the contracts asks for: gas is not counted here. */
const plenty = 30_000_000n;
/** Steps after which a call counts as endless. */
const mostSteps = 3_000_000;

/** Runs a message's code to its end. Changes of a failed one are its caller's to undo. */
export function run(world: World, message: Message, depth: number): Halt {
  const { at, caller, code, targets, input, isStatic } = message;
  const stack: bigint[] = [];
  let memory = new Uint8Array(1024);
  let size = 0;
  let returned: Uint8Array = empty;
  let pc = 0;
  const pop = (): bigint => {
    const value = stack.pop();
    if (value === undefined) throw new Error("The stack is empty.");
    return value;
  };
  const push = (value: bigint) => void stack.push(value);
  const reserve = (from: number, length: number) => {
    if (length === 0) return;
    size = Math.max(size, Math.ceil((from + length) / 32) * 32);
    if (size <= memory.length) return;
    const larger = new Uint8Array(Math.max(size, memory.length * 2));
    larger.set(memory);
    memory = larger;
  };
  const read = (from: bigint, length: bigint) => {
    reserve(Number(from), Number(length));
    return memory.slice(Number(from), Number(from) + Number(length));
  };
  const write = (from: bigint, bytes: Uint8Array) => {
    reserve(Number(from), bytes.length);
    memory.set(bytes, Number(from));
  };
  const copy = (source: Uint8Array) => {
    const [to, from, length] = [pop(), Number(pop()), Number(pop())];
    const bytes = new Uint8Array(length);
    bytes.set(source.subarray(from, from + length));
    write(to, bytes);
  };
  const storageOf = (address: bigint) => {
    const storage = world.accounts.get(address)?.storage;
    if (!storage) throw new Error("Only contracts have storage here.");
    return storage;
  };
  const answer = (halt: Halt, to: bigint, length: bigint) => {
    returned = halt.output;
    write(to, halt.output.subarray(0, Math.min(Number(length), halt.output.length)));
    push(halt.ok ? 1n : 0n);
  };

  for (;;) {
    world.steps += 1;
    if (world.steps > mostSteps) throw new Error("A call does not end.");
    const op = code[pc] ?? 0;
    pc += 1;
    if (op >= 0x5f && op <= 0x7f) {
      const length = op - 0x5f;
      push(length === 0 ? 0n : bytesToBigInt(padEnd(code.subarray(pc, pc + length), length)));
      pc += length;
      continue;
    }
    if (op >= 0x80 && op <= 0x8f) {
      push(stack.at(0x7f - op) as bigint);
      continue;
    }
    if (op >= 0x90 && op <= 0x9f) {
      const [top, other] = [stack.length - 1, stack.length - 1 - (op - 0x8f)];
      [stack[top], stack[other]] = [stack[other] as bigint, stack[top] as bigint];
      continue;
    }
    if (op >= 0xa0 && op <= 0xa4) {
      const [from, length] = [pop(), pop()];
      const topics = Array.from({ length: op - 0xa0 }, () => bytesToHex(wordOf(pop())));
      if (isStatic) return { ok: false, output: empty };
      world.logs.push({ address: addressOf(at), topics, data: bytesToHex(read(from, length)) });
      continue;
    }
    const compute = arithmetic[op];
    if (compute) {
      const top = pop();
      push(compute(top, pop()));
      continue;
    }
    switch (op) {
      case 0x00:
        return { ok: true, output: empty };
      case 0x15:
        push(pop() === 0n ? 1n : 0n);
        break;
      case 0x19:
        push(max ^ pop());
        break;
      case 0x20:
        push(BigInt(world.keccak256(read(pop(), pop()))));
        break;
      case 0x30:
        push(at);
        break;
      case 0x33:
        push(caller);
        break;
      case 0x34:
        push(0n);
        break;
      case 0x35: {
        const from = pop();
        push(
          from >= BigInt(input.length)
            ? 0n
            : bytesToBigInt(padEnd(input.subarray(Number(from), Number(from) + 32), 32)),
        );
        break;
      }
      case 0x36:
        push(BigInt(input.length));
        break;
      case 0x37:
        copy(input);
        break;
      case 0x38:
        push(BigInt(code.length));
        break;
      case 0x39:
        copy(code);
        break;
      case 0x3b:
        push(BigInt(world.accounts.get(pop())?.code.length ?? 0));
        break;
      case 0x3d:
        push(BigInt(returned.length));
        break;
      case 0x3e:
        copy(returned);
        break;
      case 0x42:
        push(world.timestamp);
        break;
      case 0x46:
        push(BigInt(world.chainId));
        break;
      case 0x47:
        push(0n);
        break;
      case 0x50:
        pop();
        break;
      case 0x51: {
        const from = pop();
        push(bytesToBigInt(read(from, 32n)));
        break;
      }
      case 0x52: {
        const to = pop();
        write(to, wordOf(pop()));
        break;
      }
      case 0x53: {
        const to = pop();
        write(to, Uint8Array.of(Number(pop() & 0xffn)));
        break;
      }
      case 0x54:
        push(storageOf(at).get(pop()) ?? 0n);
        break;
      case 0x55: {
        const [key, value] = [pop(), pop()];
        if (isStatic) return { ok: false, output: empty };
        const storage = storageOf(at);
        const before = storage.get(key);
        storage.set(key, value);
        world.journal.push(() => (before === undefined ? storage.delete(key) : storage.set(key, before)));
        break;
      }
      case 0x56:
        pc = Number(pop());
        if (!targets.has(pc)) return { ok: false, output: empty };
        break;
      case 0x57: {
        const to = Number(pop());
        if (pop() === 0n) break;
        pc = to;
        if (!targets.has(pc)) return { ok: false, output: empty };
        break;
      }
      case 0x58:
        push(BigInt(pc - 1));
        break;
      case 0x59:
        push(BigInt(size));
        break;
      case 0x5a:
        push(plenty);
        break;
      case 0x5b:
        break;
      case 0x5c:
        push(world.transient.get(`${at} ${pop()}`) ?? 0n);
        break;
      case 0x5d: {
        const key = `${at} ${pop()}`;
        const before = world.transient.get(key) ?? 0n;
        world.transient.set(key, pop());
        const kept = world.transient;
        world.journal.push(() => kept.set(key, before));
        break;
      }
      case 0x5e: {
        const [to, from, length] = [pop(), pop(), pop()];
        write(to, read(from, length));
        break;
      }
      case 0xf0:
      case 0xf5: {
        if (pop() !== 0n) throw new Error("There are no native coins here.");
        const creation = read(pop(), pop());
        const account = world.accounts.get(at) as Account;
        const nonce = account.nonce;
        account.nonce += 1;
        world.journal.push(() => {
          account.nonce = nonce;
        });
        const preimage =
          op === 0xf5
            ? Uint8Array.of(
                0xff,
                ...addressBytes(at),
                ...wordOf(pop()),
                ...hexToBytes(world.keccak256(creation)),
              )
            : Uint8Array.of(0xd6, 0x94, ...addressBytes(at), nonce);
        const address = BigInt(world.keccak256(preimage)) & (2n ** 160n - 1n);
        const halt = world.create(at, address, creation, depth);
        returned = halt.ok ? empty : halt.output;
        push(halt.ok ? address : 0n);
        break;
      }
      case 0xf1: {
        const [, to, value, from, length, place, room] = [pop(), pop(), pop(), pop(), pop(), pop(), pop()];
        if (value !== 0n) throw new Error("There are no native coins here.");
        answer(
          world.call(to, { at: to, caller: at, input: read(from, length), isStatic }, depth),
          place,
          room,
        );
        break;
      }
      case 0xf4: {
        const [, to, from, length, place, room] = [pop(), pop(), pop(), pop(), pop(), pop()];
        answer(world.call(to, { at, caller, input: read(from, length), isStatic }, depth), place, room);
        break;
      }
      case 0xfa: {
        const [, to, from, length, place, room] = [pop(), pop(), pop(), pop(), pop(), pop()];
        answer(
          world.call(to, { at: to, caller: at, input: read(from, length), isStatic: true }, depth),
          place,
          room,
        );
        break;
      }
      case 0xf3:
        return { ok: true, output: read(pop(), pop()) };
      case 0xfd:
        return { ok: false, output: read(pop(), pop()) };
      case 0xfe:
        return { ok: false, output: empty };
      default:
        throw new Error(`The instruction 0x${op.toString(16)} is not built in here.`);
    }
  }
}

export function wordOf(value: bigint): Uint8Array {
  const word = new Uint8Array(32);
  for (let at = 31, rest = value; rest > 0n && at >= 0; at -= 1, rest >>= 8n) word[at] = Number(rest & 0xffn);
  return word;
}

const addressBytes = (address: bigint) => wordOf(address).subarray(12);
const addressOf = (address: bigint) => bytesToHex(addressBytes(address));

function padEnd(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  return padded;
}
