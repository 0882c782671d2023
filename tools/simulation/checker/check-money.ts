import { decodeFunctionData, type Hex } from "viem";
import { escrowAbi } from "../../../abis/escrow.ts";
import type { Reading, Scene } from "./reading.ts";

// Written from docs/contract.md alone.

/** Calls that anyone may make. They have no signature, so a repeated call is identical. */
const openToAnyone = new Set(["release", "refund", "settleDispute", "returnDeposit"]);

/**
 * Checks that no completed action is relayed again. An action that time allows may be relayed again once, if its failure was
 * in a block that left the chain. A deposit may be returned again after another payment to it.
 */
export function checkRelays({ sent }: Reading): string[] {
  const done = new Map<string, { repeats: number }>();
  const wrong: string[] = [];
  for (const { hash, to, input, succeeded } of sent) {
    const what = `${to} ${input}`;
    const before = done.get(what);
    if (before && !(succeeded && nameOf(input) === "returnDeposit")) {
      before.repeats += 1;
      const isExcused = !succeeded && before.repeats === 1 && openToAnyone.has(nameOf(input));
      if (!isExcused) wrong.push(`${hash} relays a completed action again: ${nameOf(input)}`);
    } else if (succeeded) done.set(what, { repeats: 0 });
  }
  return wrong;
}

function nameOf(input: Hex): string {
  return decodeFunctionData({ abi: escrowAbi, data: input }).functionName;
}

/** Checks that each escrow takes and pays its amount once, and that all balances follow from the contract's events. */
export function checkBalances(
  { parties }: Scene,
  { logs, balances, held, transfers, orders }: Reading,
): string[] {
  const wrong: string[] = [];
  const expected = new Map(parties.map(({ address, minted }) => [address.toLowerCase(), minted]));
  const add = (address: unknown, amount: bigint) => {
    const key = String(address).toLowerCase();
    const before = expected.get(key);
    if (before !== undefined) expected.set(key, before + amount);
  };
  const inEscrow = new Map<string, bigint>();
  for (const { name, escrowId, args } of logs) {
    const amount = args.amount as bigint;
    if (name === "EscrowCreated") {
      if (inEscrow.has(escrowId)) wrong.push(`escrow ${escrowId} was paid twice`);
      const { amount } = args.terms as { amount: bigint };
      inEscrow.set(escrowId, amount);
      add(args.payer, -amount);
    } else if (name === "Released" || name === "Refunded") {
      inEscrow.set(escrowId, (inEscrow.get(escrowId) ?? 0n) - amount);
      add(name === "Released" ? args.provider : args.buyer, amount);
    } else if (name === "DepositReturned") add(args.buyer, amount);
  }
  const deposits = new Set(orders.map(({ order }) => order.escrow.deposit_address.toLowerCase()));
  const payers = new Set(
    logs.filter(({ name }) => name === "EscrowCreated").map(({ args }) => String(args.payer).toLowerCase()),
  );
  for (const { from, to, value } of transfers) {
    // A payment by signature passes the deposit address too, but the escrow's own event has it.
    const isGift = deposits.has(to) && !payers.has(from);
    if (isGift) add(from, -value);
  }
  for (const [escrowId, amount] of inEscrow)
    if (amount < 0n) wrong.push(`escrow ${escrowId} paid more than it had`);
  const open = [...inEscrow.values()].reduce((sum, amount) => sum + amount, 0n);
  if (open !== held) wrong.push(`the contract holds ${held}, but its open escrows sum to ${open}`);
  for (const { name, address } of parties) {
    const [has, should] = [balances.get(address.toLowerCase()), expected.get(address.toLowerCase())];
    if (has !== should) wrong.push(`${name} has ${has}, where ${should} belongs`);
  }
  return wrong;
}
