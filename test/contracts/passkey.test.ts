import fc from "fast-check";
import type { Address, Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { passkeyAccountAbi, passkeyAccountFactoryAbi } from "../../abis/passkeyAccount.ts";
import {
  createPasskeyAccountCall,
  isPasskeyAccountCode,
  isPlainDeployment,
  passkeyAccountOf,
  passkeyExecuteHash,
  passkeyMessageHash,
  withDeployment,
} from "../../protocol/settlement/passkey.ts";
import { localAccounts } from "../../tools/stack/anvil.ts";
import { gasBounds } from "../../trade/relay/gas-bounds.ts";
import { forkChain, type TestChain } from "../harness/chain.ts";
import { createAuthenticator, passkeyWallet } from "../harness/passkey.ts";

let chain: TestChain;
let factory: Address;
beforeAll(async () => {
  chain = await forkChain();
  factory = chain.chain.passkey_factory as Address;
});
afterAll(() => chain?.close());

const hexOf = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value): Hex => `0x${Buffer.from(value).toString("hex")}`);
const anyCall = fc.record({ to: hexOf(20), value: fc.bigInt(0n, 2n ** 96n), data: hexOf(37) });

test("the account's address and its challenges are the contract's own", async () => {
  const { key } = createAuthenticator();
  const address = passkeyAccountOf(factory, key);
  const { publicClient } = chain;
  const named = { account: address, chainId: chain.chain.chain_id };
  const foreseen = await publicClient.readContract({
    address: factory,
    abi: passkeyAccountFactoryAbi,
    functionName: "addressOf",
    args: [key.x, key.y],
  });
  expect(address).toBe(foreseen);
  const { status, gasUsed } = await send(createPasskeyAccountCall(factory, key));
  expect(status).toBe("success");
  expect(gasUsed).toBeLessThan(BigInt(gasBounds.accountDeployment));
  const code = (await publicClient.getCode({ address })) as Hex;
  expect(isPasskeyAccountCode(factory, code)).toBe(true);
  expect(isPasskeyAccountCode(chain.chain.escrow_contract as Address, code)).toBe(false);
  const account = { address, abi: passkeyAccountAbi } as const;
  await fc.assert(
    fc.asyncProperty(
      hexOf(32),
      fc.array(anyCall, { maxLength: 3 }),
      fc.bigInt(0n, 2n ** 64n),
      async (hash, calls, nonce) => {
        const execution = { calls, nonce, deadline: nonce + 7n };
        const [message, executed] = await Promise.all([
          publicClient.readContract({ ...account, functionName: "messageHash", args: [hash] }),
          publicClient.readContract({
            ...account,
            functionName: "executeHash",
            args: [calls, nonce, execution.deadline],
          }),
        ]);
        expect(passkeyMessageHash(named, hash)).toBe(message);
        expect(passkeyExecuteHash(named, execution)).toBe(executed);
      },
    ),
    { numRuns: 20 },
  );
});

test("only the factory's plain deployment comes with a signature", () => {
  const authenticator = createAuthenticator();
  const wallet = passkeyWallet(chain, authenticator);
  const wrapped = withDeployment(factory, wallet.key, "0x1234");
  expect(isPlainDeployment(factory, wrapped)).toBe(true);
  expect(isPlainDeployment(undefined, wrapped)).toBe(true);
  const executing = wrapped.replace("634bc7db", "3a4741bd") as Hex;
  expect(executing).not.toBe(wrapped);
  expect(isPlainDeployment(factory, executing)).toBe(false);
});

async function send(call: { to: Address; data: Hex }) {
  const hash = await chain.wallet(localAccounts.deployer).sendTransaction(call);
  return chain.publicClient.waitForTransactionReceipt({ hash });
}
