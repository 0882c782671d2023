import {
  type Address,
  BaseError,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  multicall3Abi,
  numberToHex,
  type PublicClient,
} from "viem";
import { ConfigError } from "../../config/config.ts";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { multicall3Code } from "./multicall3.ts";

/** An account that nobody has. The node lends it the code of Multicall3 for a simulated call, so that it can act. */
const holder: Address = "0x4e6f626f647948617354686973486f6c6465724b";
const payee: Address = "0x4e6f626f6479486173546869735061796565724b";
/** Base units that fit every token, and a number so large that a token which divides balances still shows some. */
const amounts = [10n ** 15n, 10n ** 68n] as const;

/** The most storage slots of a balance that are tried. */
const mostSlots = 30;

type Slot = { address: Address; slot: Hex };
type Change = Slot & { value: Hex };

/**
 * Tries a transfer of a token between two new accounts, in the node's simulation. Nothing is sent.
 *
 * @returns null, or why the transfer could not be tried
 * @throws ConfigError for a token that changes balances by itself, keeps a fee, or refuses the transfer
 */
export async function tryTransfers(reader: PublicClient, token: Address): Promise<string | null> {
  try {
    return await simulateTransfers(reader, token);
  } catch (error) {
    if (error instanceof ConfigError || !(error instanceof BaseError)) throw error;
    return `the node failed: ${error.shortMessage}`;
  }
}

async function simulateTransfers(reader: PublicClient, token: Address): Promise<string | null> {
  const slots = await readSlots(reader, token).catch(() => null);
  if (!slots || !(await lendsCode(reader))) {
    return "the node does not simulate changed states (eth_createAccessList, and state overrides of eth_call)";
  }
  const own = await findBalanceSlot(reader, token, slots);
  if (!own) return "no one storage slot holds an account's balance";
  const others = slots.filter((one) => one.slot !== own.slot || one.address !== own.address);
  await refuseRate(reader, token, own, others);
  await refuseFee(reader, token, own);
  return null;
}

/** Reads the storage slots that the balance of an account depends on. */
async function readSlots(reader: PublicClient, token: Address): Promise<Slot[]> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [holder] });
  const { accessList } = await reader.createAccessList({ to: token, data });
  return accessList
    .flatMap(({ address, storageKeys }) => storageKeys.map((slot) => ({ address, slot })))
    .slice(0, mostSlots);
}

/** Tells whether the node runs a call with another code at an address. */
async function lendsCode(reader: PublicClient): Promise<boolean> {
  const answer = await act(reader, [], []).catch(() => null);
  return answer !== null;
}

/**
 * Finds the slot whose value is the account's balance.
 *
 * @returns null if no slot changes the balance
 * @throws ConfigError if a slot changes the balance to another value than its own
 */
async function findBalanceSlot(reader: PublicClient, token: Address, slots: Slot[]): Promise<Change | null> {
  const before = (await readBalance(reader, token, [])) ?? 0n;
  for (const amount of amounts) {
    const value = numberToHex(amount, { size: 32 });
    const shown = await Promise.all(slots.map((slot) => readBalance(reader, token, [{ ...slot, value }])));
    const own = slots[shown.indexOf(amount)];
    if (own) return { ...own, value };
    const other = shown.find((balance) => balance !== null && balance !== before);
    if (other === undefined) continue;
    throw refusal(
      token,
      `changes balances by itself: with ${amount} base units stored, an account shows ${other}`,
    );
  }
  return null;
}

/** @throws ConfigError if the balance follows another value, such as a rate */
async function refuseRate(reader: PublicClient, token: Address, own: Change, others: Slot[]): Promise<void> {
  const stored = hexToBigInt(own.value);
  for (const one of others) {
    const value = hexToBigInt((await reader.getStorageAt(one)) ?? "0x0");
    // A doubled address of an implementation or a flag gives no balance at all.
    const doubled = numberToHex(BigInt.asUintN(256, value * 2n), { size: 32 });
    const shown = value === 0n ? null : await readBalance(reader, token, [own, { ...one, value: doubled }]);
    if (shown === null || shown === stored || shown === 0n) continue;
    throw refusal(
      token,
      `changes balances by itself: with slot ${one.slot} of ${one.address} doubled, ${stored} base units become ${shown}`,
    );
  }
}

/** @throws ConfigError if the payee gets less than the amount, or the transfer fails */
async function refuseFee(reader: PublicClient, token: Address, own: Change): Promise<void> {
  const amount = hexToBigInt(own.value);
  const balanceOf = (account: Address) =>
    encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [account] });
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [payee, amount] });
  const calls = [balanceOf(payee), transfer, balanceOf(payee), balanceOf(holder)];
  const [had, moved, has, kept] = await act(
    reader,
    calls.map((data) => ({ to: token, data })),
    [own],
  );
  if (!had || !moved || !has || !kept || !moved.success) {
    throw refusal(
      token,
      "refuses a transfer between two new accounts. It may be paused, or only listed accounts may hold it",
    );
  }
  const received = hexToBigInt(has.returnData) - hexToBigInt(had.returnData);
  if (received !== amount || hexToBigInt(kept.returnData) !== 0n) {
    throw refusal(token, `keeps a fee: of ${amount} base units, ${received} arrive`);
  }
}

/** Reads the holder's balance with changed slots. Returns null if the token gives none. */
async function readBalance(reader: PublicClient, token: Address, changes: Change[]): Promise<bigint | null> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [holder] });
  try {
    const answer = await reader.call({ to: token, data, stateOverride: overrides(changes) });
    return decodeFunctionResult({ abi: erc20Abi, functionName: "balanceOf", data: answer.data ?? "0x" });
  } catch (error) {
    if (isContractAnswer(error)) return null;
    throw error;
  }
}

/** Makes calls as the holder, in one simulated call. */
async function act(reader: PublicClient, calls: { to: Address; data: Hex }[], changes: Change[]) {
  const call = { abi: multicall3Abi, functionName: "aggregate3" } as const;
  const targets = calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }));
  const { data } = await reader.call({
    to: holder,
    data: encodeFunctionData({ ...call, args: [targets] }),
    stateOverride: [{ address: holder, code: multicall3Code }, ...overrides(changes)],
  });
  return decodeFunctionResult({ ...call, data: data ?? "0x" });
}

/** Groups changes by address, since a node takes each address once. */
function overrides(changes: Change[]) {
  const addresses = [...new Set(changes.map(({ address }) => address))];
  return addresses.map((address) => ({
    address,
    stateDiff: changes.filter((one) => one.address === address).map(({ slot, value }) => ({ slot, value })),
  }));
}

const refusal = (token: Address, what: string) =>
  new ConfigError(
    `The token ${token} ${what}. An escrow needs a token that moves exactly the amount: name another token.`,
  );
