import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, type Hex, hexToBytes, keccak256 } from "viem";
// biome-ignore lint/style/noRestrictedImports: the one function that recovers a signer at once
import { recoverSigner } from "../../trade/signer-recovery.ts";
import {
  type Account,
  type EvmLog,
  empty,
  type Halt,
  type Message,
  run,
  type World,
  wordOf,
} from "./frame.ts";

/** Calls within calls. */
const deepest = 64;

export type EvmResult = { ok: boolean; output: Uint8Array; logs: EvmLog[] };

/**
 * The chain's machine, as far as our contracts use it (Cancun, without gas and native coins), so that they run in this
 * process by the ten thousand. `test/simulation/evm.test.ts` compares it with anvil.
 */
export function createEvm(chainId: number) {
  const world: World = {
    ...{ chainId, timestamp: 0n, accounts: new Map<bigint, Account>(), journal: [], transient: new Map() },
    ...{ logs: [], steps: 0, keccak256: (data: Uint8Array) => keccak256(data), create, call },
  };
  const { accounts, journal } = world;

  function undo(to: number): void {
    while (journal.length > to) journal.pop()?.();
  }

  function put(address: bigint, code: Uint8Array): void {
    accounts.set(address, { code, targets: findTargets(code), storage: new Map(), nonce: 1 });
    journal.push(() => accounts.delete(address));
  }

  /** Runs a message, with all its changes undone where it fails. */
  function enter(message: Message, depth: number): Halt {
    const [mark, told] = [journal.length, world.logs.length];
    const halt = depth > deepest ? { ok: false, output: empty } : run(world, message, depth);
    if (!halt.ok) {
      undo(mark);
      world.logs.length = told;
    }
    return halt;
  }

  function create(creator: bigint, address: bigint, code: Uint8Array, depth: number): Halt {
    if (accounts.has(address)) return { ok: false, output: empty };
    const mark = journal.length;
    put(address, empty);
    const message = {
      at: address,
      caller: creator,
      code,
      targets: findTargets(code),
      input: empty,
      isStatic: false,
    };
    const halt = enter(message, depth + 1);
    if (!halt.ok) {
      undo(mark);
      return halt;
    }
    const made = accounts.get(address) as Account;
    made.code = halt.output;
    made.targets = findTargets(halt.output);
    return halt;
  }

  function call(to: bigint, message: Omit<Message, "code" | "targets">, depth: number): Halt {
    if (to <= 9n) return precompiled(Number(to), message.input);
    const { code, targets } = accounts.get(to) ?? { code: empty, targets: new Set<number>() };
    return enter({ ...message, code, targets }, depth + 1);
  }

  function precompiled(which: number, input: Uint8Array): Halt {
    if (which === 4) return { ok: true, output: input };
    if (which === 2) return { ok: true, output: sha256(input) };
    if (which !== 1) throw new Error(`The contract ${which} is not built in here.`);
    const asked = new Uint8Array(128);
    asked.set(input.subarray(0, 128));
    const signature = new Uint8Array(65);
    signature.set(asked.subarray(64, 128));
    signature[64] = asked[63] as number;
    try {
      const signer = recoverSigner(bytesToHex(asked.subarray(0, 32)), bytesToHex(signature));
      if (typeof signer !== "string") throw new Error("This curve answers late.");
      return { ok: true, output: wordOf(BigInt(signer)) };
    } catch {
      return { ok: true, output: empty };
    }
  }

  function begin(time: number): void {
    Object.assign(world, { transient: new Map(), logs: [], timestamp: BigInt(time), steps: 0 });
  }

  return {
    /** Puts a contract at an address, by its creation code. */
    deploy(address: Hex, creationCode: Hex): void {
      begin(0);
      const halt = create(0n, BigInt(address), hexToBytes(creationCode), 0);
      if (!halt.ok) throw new Error(`The contract could not be made: ${bytesToHex(halt.output)}`);
    },
    /** Sends a transaction in a block of this time (unix seconds); one that reverts changes nothing. */
    send(message: { from: Hex; to: Hex; data: Hex; time: number }): EvmResult {
      begin(message.time);
      const to = BigInt(message.to);
      const input = hexToBytes(message.data);
      const halt = call(to, { at: to, caller: BigInt(message.from), input, isStatic: false }, -1);
      return { ...halt, logs: world.logs };
    },
    /** As `send`, and nothing stays of it. */
    ask(message: { from: Hex; to: Hex; data: Hex; time: number }): EvmResult {
      const mark = journal.length;
      const result = this.send(message);
      undo(mark);
      return result;
    },
    /** Where it stands, for `rewind`. */
    mark: () => journal.length,
    /** Undoes all since a mark. */
    rewind: undo,
  };
}

function findTargets(code: Uint8Array): Set<number> {
  const targets = new Set<number>();
  for (let at = 0; at < code.length; at += 1) {
    const op = code[at] as number;
    if (op === 0x5b) targets.add(at);
    if (op >= 0x60 && op <= 0x7f) at += op - 0x5f;
  }
  return targets;
}
