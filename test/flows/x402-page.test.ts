import { execFile } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Address, type Hex, toHex } from "viem";
import { afterAll, describe, expect, test } from "vitest";
import { escrowBytecode } from "../../abis/bytecode.ts";
import { escrowAbi } from "../../abis/escrow.ts";
import { deriveDeposit } from "../../protocol/settlement/deposit.ts";
import { localAccount, localAccounts } from "../../tools/stack/anvil.ts";
import { type Answer, createKey, expectStatus, signIn } from "../harness/api.ts";
import type { TestChain } from "../harness/chain.ts";
import { blockOf } from "../harness/documents/blocks.ts";
import { type Market, openMarket, placeOrder, reach } from "../harness/flows/x402-order.ts";
import { ourProgram, root, startProgram } from "../harness/programs.ts";
import { type SharedStack, testOnStack } from "../harness/stack.ts";

const run = promisify(execFile);

const page = readFileSync(join(root, "docs", "x402.md"), "utf8");
const [paying, checking, curling, agreementText, byHand, values] = [
  "docs/examples/pay_order.mjs",
  "docs/x402.md: Sign only what you checked",
  "docs/examples/pay_order.sh",
  "docs/examples/agreement.json",
  "docs/examples/recompute.mjs",
  "docs/x402.md: Recomputed by hand",
].map(blockOf) as [string, string, string, string, string, string];

/** Follows the paying program, and prints the order's status on each change. */
const waiting = `
let order;
do {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  order = await (await fetch(\`\${BASE}/orders/\${ORDER}\`, { headers: { "x-api-key": KEY } })).json();
} while (order.status === "created");
console.log(order.status);
`;

test("the page names every reason of a refused payment", () => {
  const folder = join(root, "trade", "payments");
  const code = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  const reasons =
    code.match(/\b(invalid_exact_evm|invalid_permit2|permit2|eip6492|asset_not|wallet_gas)_\w+/g) ?? [];
  expect(reasons.length).toBeGreaterThan(20);
  for (const reason of [...reasons, "unsupported_payload_type", "transaction_failed"]) {
    expect(page).toContain(`\`${reason}\``);
  }
});

describe("the programs of the page", () => {
  /** A user's folder, with the packages of the page, and this package as npm would install it. */
  let folder: string;
  let chain: TestChain;
  let stack: SharedStack;
  let market: Market;
  testOnStack.beforeAll(async ({ stack: shared }) => {
    folder = mkdtempSync(join(tmpdir(), "earnest-page-"));
    const modules = join(folder, "node_modules");
    mkdirSync(join(modules, "earnest"), { recursive: true });
    for (const name of ["@x402", "viem", "canonicalize"]) {
      symlinkSync(join(root, "node_modules", name), join(modules, name));
    }
    symlinkSync(join(root, "package.json"), join(modules, "earnest", "package.json"));
    await run(process.execPath, [join(root, "scripts", "build.ts"), join(modules, "earnest", "dist")]);
    writeFileSync(join(folder, "agreement.json"), agreementText);
    stack = shared;
    chain = stack.chain;
    // A wallet whose key the node holds, as the page's `WALLET`.
    market = await openMarket(chain, stack.baseUrl);
    const buyer = await signIn(market.api, localAccount(5));
    await chain.fund(buyer.account);
    market.buyer = buyer;
    market.buyerKey = await createKey(market.api, buyer, ["orders:read", "orders:write"]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("let a stock client pay, and wait until the order is funded", async () => {
    const order = await placeOrder(market);
    const output = await runProgram(onThisChain(paying) + waiting, order);
    expect(output).toContain("202 {");
    expect(output.trim().split("\n").at(-1)).toBe("funded");
  });

  test("let a stock client check the agreement first, and pay exactly that", async () => {
    const [order, other] = [await placeOrder(market), await placeOrder(market)];
    // The check comes before the payment.
    const careful = onThisChain(paying).replace("const paid =", (pay) => `${checking}\n${pay}`);
    const elsewhere = careful.replace(/\$\{ORDER\}(?=\/agreement)/, other.id);
    await expect(runProgram(elsewhere, order)).rejects.toThrow("something else than was agreed");
    expect((await read(`/orders/${order.id}/payment`)).payment).toBeNull();
    expect(await runProgram(careful, order)).toContain("2500000 for 0x");
    await reach(market, order, "funded");
  });

  test("pay with curl and a wallet behind JSON-RPC", async () => {
    const order = await placeOrder(market);
    const shell = startProgram("sh", ["-ec", curling], {
      cwd: folder,
      env: { ...process.env, ...environmentOf(order), WALLET: chain.rpcUrl },
    });
    expect(await shell.ended, shell.output()).toBe(0);
    const { payment } = JSON.parse(shell.output());
    expect(payment).toMatchObject({ method: "eip3009", payer: market.buyer.account.address });
    await reach(market, order, "funded");
  });

  test("settle an order by a signature with npm run demo -- --rail x402", async () => {
    const env = { ...process.env, BASE_URL: stack.baseUrl, DEMO_RPC_URL: chain.rpcUrl };
    const demo = startProgram(process.execPath, ourProgram("scripts/demo.ts", "--rail", "x402"), { env });
    expect(await demo.ended, demo.output()).toBe(0);
    expect(demo.output()).toMatch(/deposit {2}0x[0-9a-fA-F]{40}, as recomputed from the agreement/);
    expect(demo.output()).toMatch(/payment {2}pay_\w+: \w+, 0x[0-9a-f]{64}/);
    expect(demo.output()).toContain("the order is released");
    expect(demo.output()).not.toContain("createEscrow");
    const wrong = startProgram(process.execPath, ourProgram("scripts/demo.ts", "--rail", "cash"), { env });
    expect(await wrong.ended).toBe(1);
    expect(wrong.output()).toBe("--rail must be escrow or x402, but is cash.\n");
  });

  test("recompute by hand the deposit address that the page shows", async () => {
    writeFileSync(join(folder, "by-hand.mjs"), byHand);
    expect((await run(process.execPath, ["by-hand.mjs"], { cwd: folder })).stdout).toBe(values);
  });

  test("recompute it in a user's program", async () => {
    const program = `
      import { readFileSync } from "node:fs";
      import { depositAddressOf, depositImplementationOf, deriveDeposit, digestOf, escrowIdOf } from "earnest/settlement";
      const agreement = JSON.parse(readFileSync("agreement.json", "utf8"));
      const { chainId, escrowContract, terms } = deriveDeposit(agreement);
      const escrowId = escrowIdOf(chainId, escrowContract, terms);
      const implementation = depositImplementationOf(escrowContract);
      console.log("orderHash       ", digestOf(agreement));
      console.log("escrowId        ", escrowId);
      console.log("implementation  ", implementation);
      console.log("deposit address ", depositAddressOf(escrowContract, implementation, escrowId));
    `;
    writeFileSync(join(folder, "outsider.mjs"), program);
    expect((await run(process.execPath, ["outsider.mjs"], { cwd: folder })).stdout).toBe(values);
  });

  test("compile with the types in a user's program", async () => {
    const program = `
      import { deriveDeposit, type DerivedDeposit, escrowIdOf, type Terms } from "earnest/settlement";
      const derived: DerivedDeposit = deriveDeposit(JSON.parse("{}"));
      const terms: Terms = derived.terms;
      const id: \`0x\${string}\` = escrowIdOf(derived.chainId, derived.escrowContract, terms);
      const amount: bigint = terms.amount;
      console.log(id, amount);
      // @ts-expect-error: a number of tokens is no number
      const wrong: Terms = { ...terms, amount: 2.5 };
    `;
    writeFileSync(join(folder, "typed.mts"), program);
    const options = ["--module", "nodenext", "--target", "es2022", "--strict", "--noEmit", "--types", ""];
    const { stdout } = await run(join(root, "node_modules", ".bin", "tsc"), [...options, "typed.mts"], {
      cwd: folder,
    }).catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  });

  test("agree with the contract at that address on the page's agreement", async () => {
    const { escrowContract, terms, escrowId, implementation, depositAddress } = deriveDeposit(
      JSON.parse(agreementText),
    );
    // The address of the page is the second contract of anvil's first account.
    const { address } = localAccounts.deployer;
    const nonce = await chain.publicClient.getTransactionCount({ address });
    await chain.node.setNonce({ address, nonce: 1 });
    const hash = await chain.wallet(localAccounts.deployer).sendTransaction({ data: escrowBytecode });
    const { contractAddress } = await chain.publicClient.waitForTransactionReceipt({ hash });
    await chain.node.setNonce({ address, nonce });
    expect(contractAddress?.toLowerCase()).toBe(escrowContract.toLowerCase());
    expect(await ask("escrowIdOf", escrowContract, [terms])).toBe(escrowId);
    expect(await ask("depositAddressOf", escrowContract, [terms])).toBe(depositAddress);
    expect(await ask("DEPOSIT_IMPLEMENTATION", escrowContract, [])).toBe(implementation);
  });

  test("derive its escrow's id and its deposit address from an order's own agreement", async () => {
    const order = await placeOrder(market, { arbiter: localAccounts.arbiter.address });
    const derived = deriveDeposit(await read(`/orders/${order.id}/agreement`));
    expect(derived).toMatchObject({
      chainId: order.escrow.chain_id,
      escrowContract: order.escrow.contract_address,
      escrowId: order.escrow.escrow_id,
      depositAddress: order.escrow.deposit_address,
    });
    const { terms } = derived;
    expect(await ask("depositAddressOf", derived.escrowContract, [terms])).toBe(derived.depositAddress);
  });

  function ask(functionName: string, address: Address, args: unknown[]): Promise<unknown> {
    return chain.publicClient.readContract({ abi: escrowAbi, address, functionName, args } as never);
  }

  async function read(path: string): Promise<Answer["body"]> {
    return expectStatus(200, await market.api.request("GET", path, { apiKey: market.buyerKey }));
  }

  /** The page pays on Base. */
  function onThisChain(code: string): string {
    const { chain_id, token } = chain.chain;
    const here = code
      .replace("eip155:8453", `eip155:${chain_id}`)
      .replace("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", token.address);
    expect(here).not.toBe(code);
    return here;
  }

  async function runProgram(code: string, order: { id: string }): Promise<string> {
    const file = join(folder, `${order.id}.mjs`);
    writeFileSync(file, code);
    const env = { ...process.env, ...environmentOf(order) };
    return (await run(process.execPath, [file], { cwd: folder, env })).stdout;
  }

  function environmentOf(order: { id: string }): Record<string, string> {
    return {
      BASE: `${stack.baseUrl}/api/v1`,
      KEY: market.buyerKey,
      ORDER: order.id,
      PRIVATE_KEY: privateKeyOf(market.buyer.account),
    };
  }
});

function privateKeyOf(account: unknown): Hex {
  const { getHdKey } = account as ReturnType<typeof localAccount>;
  return toHex(getHdKey().privateKey as Uint8Array);
}
