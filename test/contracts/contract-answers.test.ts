import { BaseError, createPublicClient, type Hex, http, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isContractAnswer, isOutOfGas } from "../../protocol/settlement/contract-answers.ts";
import { forkChain, type TestChain } from "../harness/chain.ts";
import { forwardRequests } from "../harness/jobs/processes.ts";

type Answer = { code: number; message: string; data?: string };

let chain: TestChain;
let refusal: Answer | null = null;
let node: Awaited<ReturnType<typeof forwardRequests>>;
beforeAll(async () => {
  chain = await forkChain();
  node = await forwardRequests(chain.rpcUrl, {
    treat: () => (refusal ? { error: refusal as { code: number; message: string } } : "forward"),
  });
});
afterAll(async () => {
  await node?.close();
  await chain?.close();
});

const to = "0x00000000000000000000000000000000000c0de0";
const client = () => createPublicClient({ transport: http(node.url, { retryCount: 0 }) });

/**
 * Returns the errors of a call and of an estimate of this code, or of any code on a node with this answer.
 */
async function failures(): Promise<BaseError[]> {
  const gas = 1_000_000n;
  const calls = [client().call({ to, gas }), client().estimateGas({ to, gas })];
  const settled = await Promise.allSettled<unknown>(calls);
  return settled.map((each) => {
    if (each.status === "rejected" && each.reason instanceof BaseError) return each.reason;
    throw new Error("It did not fail.");
  });
}

async function tellsOf(): Promise<{ isContracts: boolean; isGas: boolean }[]> {
  return (await failures()).map((error) => ({
    isContracts: isContractAnswer(error),
    isGas: isOutOfGas(error),
  }));
}
const contracts = { isContracts: true, isGas: false };
const gas = { isContracts: true, isGas: true };
const nodes = { isContracts: false, isGas: false };

describe("the local chain's error", () => {
  test.each<[what: string, bytecode: Hex, expected: typeof gas]>([
    ["a loop without an end", "0x5b5f56", gas],
    ["more memory than there is gas for", "0x5f630fffffff52", gas],
    ["memory that no gas pays for", `0x5f7f${"ff".repeat(32)}52`, gas],
    ["INVALID", "0xfe", contracts],
    ["an opcode that is none", "0x0c", contracts],
    ["a jump to nowhere", "0x600156", contracts],
    ["an empty stack", "0x01", contracts],
    ["a full stack", `0x${"5f".repeat(1030)}`, contracts],
    ["a read behind what a call returned", "0x60015f5f3e", contracts],
    ["a revert without a word", "0x5f5ffd", contracts],
  ])("of %s is a refusal of the contract", async (_, bytecode, expected) => {
    await chain.node.setCode({ address: to, bytecode });
    expect(await tellsOf()).toEqual([expected, expected]);
  });
});

test.each<[what: string, bytecode: Hex]>([
  ["nothing", "0x00"],
  ["half a word", "0x60105ff3"],
  ["a larger number than its type has", "0x5f195f5260205ff3"],
])("for a contract that answers %s is a malformed answer", async (_, bytecode) => {
  await chain.node.setCode({ address: to, bytecode });
  for (const type of ["uint8", "bool"]) {
    const abi = parseAbi([`function asked() view returns (${type})`]);
    const error = await client()
      .readContract({ address: to, abi, functionName: "asked" })
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(BaseError);
    expect(isContractAnswer(error)).toBe(true);
  }
});

test("for call data that costs more than all its gas is too little gas", async () => {
  const data = `0x${"ff".repeat(1000)}` as const;
  const call = client().call({ to, data, gas: 22_000n });
  const error = await call.catch((error: unknown) => error);
  expect(isOutOfGas(error as BaseError)).toBe(true);
});

describe("another node's error", () => {
  test.each<[node: string, Answer[]]>([
    [
      "geth and Erigon",
      [
        { code: -32000, message: "out of gas" },
        { code: -32000, message: "gas required exceeds allowance (50000)" },
        { code: -32000, message: "gas uint64 overflow" },
      ],
    ],
    [
      "Reth",
      [
        { code: -32003, message: "out of gas: gas required exceeds: 50000" },
        { code: -32003, message: "out of gas: gas exhausted during memory expansion: 50000" },
        { code: -32000, message: "EVM error: OutOfGas(Memory)" },
      ],
    ],
    ["anvil", ["OutOfGas", "MemoryOOG", "MemoryLimitOOG", "PrecompileOOG"].map(ofAnvil)],
    [
      "Nethermind",
      [
        { code: -32015, message: "OutOfGas" },
        { code: -32000, message: "Gas estimation failed due to out of gas" },
        { code: -32015, message: "VM execution error.", data: "Out of gas" },
      ],
    ],
  ])("of %s means too little gas", async (_, answers) => {
    for (const answer of answers) {
      refusal = answer;
      expect([answer, ...(await tellsOf())]).toEqual([answer, gas, gas]);
    }
    refusal = null;
  });

  test.each<[node: string, Answer[]]>([
    [
      "geth and Erigon",
      [
        "invalid opcode: INVALID",
        "invalid jump destination",
        "stack underflow (0 <=> 1)",
        "stack limit reached 1024 (1023)",
        "return data out of bounds",
        "write protection",
      ].map((message) => ({ code: -32000, message })),
    ],
    [
      "anvil",
      ["InvalidFEOpcode", "OpcodeNotFound", "StackOverflow", "OutOfOffset", "NotActivated"].map(ofAnvil),
    ],
    ["Reth", [{ code: -32000, message: "EVM error: InvalidJump" }]],
    [
      "Nethermind",
      [
        ...[
          "BadInstruction",
          "InvalidJumpDestination",
          "StackUnderflow",
          "AccessViolation",
          "StaticCallViolation",
        ].map((message) => ({ code: -32015, message })),
        { code: -32015, message: "VM execution error.", data: "Bad instruction fe" },
        { code: -32015, message: "VM execution error.", data: "Bad jump destination 0x1" },
        { code: -32015, message: "VM execution error.", data: "Reverted 0x" },
      ],
    ],
    ["a contract that reverts with such words", [{ code: 3, message: "execution reverted: out of gas" }]],
    ["a token", [{ code: 3, message: "execution reverted: ERC20: transfer amount exceeds allowance" }]],
  ])("of %s means that the contract halted", async (_, answers) => {
    for (const answer of answers) {
      refusal = answer;
      expect([answer, ...(await tellsOf())]).toEqual([answer, contracts, contracts]);
    }
    refusal = null;
  });

  test.each<Answer>([
    { code: -32000, message: "header not found" },
    { code: -32603, message: "EVM error FatalExternalError" },
    { code: -32603, message: "internal error" },
    { code: -32005, message: "rate limit exceeded" },
    { code: -32000, message: "execution timeout" },
    { code: -32000, message: "daily allowance exceeded" },
  ])("$message is the node's own", async (answer) => {
    refusal = answer;
    expect(await tellsOf()).toEqual([nodes, nodes]);
    refusal = null;
  });
});

function ofAnvil(reason: string): Answer {
  return { code: -32603, message: `EVM error ${reason}` };
}
