import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Address, getAddress, type Hex, toHex } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { anchorsAbi } from "../../../abis/anchors.ts";
import { anchorsBytecode } from "../../../abis/bytecode.ts";
import { hashLeaf, rootOf } from "../../../protocol/tlog/merkle.ts";
import type { ChainOptions } from "../../../verifiers/monitor/anchors-on-chain.ts";
import { type Finding, Findings } from "../../../verifiers/monitor/findings.ts";
import { Monitor, type MonitorOptions } from "../../../verifiers/monitor/monitor.ts";
import { type Chain, startChain } from "../../harness/receipts/chain.ts";
import { hash } from "../../harness/receipts/documents.ts";
import { TestInstallation } from "../../harness/tlog/installation.ts";
import { lookOnce } from "../../harness/tlog/monitor.ts";

let chain: Chain;
let installation: TestInstallation;
let folder: string;

beforeAll(async () => {
  chain = await startChain();
});
afterAll(() => chain.stop());
beforeEach(async () => {
  installation = await TestInstallation.start();
  folder = mkdtempSync(join(tmpdir(), "earnest-monitor-test-"));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await installation.close();
});

const check = (
  options: Partial<ChainOptions> = {},
  graceMs = 600_000,
  more: Partial<MonitorOptions> = {},
) => {
  const { address, issuer } = installation;
  const contracts = [chain.funded.contract as Address];
  return lookOnce({
    address,
    issuer,
    memoryFile: join(folder, "memory.json"),
    graceMs,
    ...more,
    chains: [
      { chainId: 31_337, rpc: chain.rpc, contracts, confirmations: 1, fromBlock: 0n, ...options },
      ...(more.chains ?? []),
    ],
  });
};
const issue = async (fields: object) =>
  (await installation.issue(1, { chain: "eip155:31337", ...fields }))[0];
/** All receipts of `startChain`, except for the funding of its second and its third escrow. */
const issueAll = () =>
  [
    ...[chain.funded, chain.released, chain.paidParts, chain.refunded],
    ...[chain.split.released, chain.split.refunded],
  ].map(issue);

test("receipts that match the chain are no findings; without a first block, the first receipt's is used", async () => {
  issueAll();
  expect(await check()).toMatchObject({ found: [], progress: { confirmed: 6, unconfirmed: 0 } });
  expect(await check({ fromBlock: undefined })).toMatchObject({ found: [], progress: { confirmed: 6 } });
});

test("events without a receipt are found after the grace period", async () => {
  issueAll();
  // anvil's clock runs ahead of ours by a second for each block.
  await expect
    .poll(async () => (await check({}, 1)).found.filter(({ code }) => code === "receipt_not_logged").length, {
      interval: 1000,
    })
    .toBe(2);
  const { found } = await check({}, 1);
  const messages = found.filter(({ code }) => code === "receipt_not_logged").map(({ message }) => message);
  for (const message of messages) expect(message).toMatch(/EscrowCreated of the escrow 0x/);
  // In a shared contract only the escrows in the log count: here, two of the three.
  const shared = await check({ isShared: true }, 1);
  expect(shared.found.filter(({ code }) => code === "receipt_not_logged")).toHaveLength(2);
  await installation.close();
  installation = await TestInstallation.start();
  await issue(chain.funded);
  rmSync(join(folder, "memory.json"));
  const left = (await check({ isShared: true }, 1)).found.filter(({ code }) => code === "receipt_not_logged");
  expect(left).toMatchObject([{ subject: `${chain.released.transaction} ${chain.released.log_index}` }]);
});

test("signed and logged receipts that differ from the chain are found, each with its reason", async () => {
  const wrong = [
    [{ ...chain.released, amount: "1" }, "amount_mismatch"],
    [{ ...chain.released, transaction: hash("77") }, "transaction_not_found"],
    [{ ...chain.funded, block_hash: hash("78") }, "block_mismatch"],
    [{ ...chain.refunded, claim: "released" }, "event_mismatch"],
  ] as const;
  const issued: Awaited<ReturnType<typeof issue>>[] = [];
  for (const [fields] of wrong) issued.push(await issue(fields));
  const { found } = await check();
  expect(found).toMatchObject(
    wrong.map(([, reason], i) => ({
      code: "receipt_without_event",
      subject: issued[i]?.id,
      message: expect.stringContaining(reason),
    })),
  );
});

test("events of another contract than the known one count for nothing", async () => {
  const receipt = await issue(chain.funded);
  const { found } = await check({ contracts: [getAddress(`0x${"12".repeat(20)}`)] });
  expect(found).toMatchObject([{ code: "receipt_without_event", subject: receipt?.id }]);
});

test("a chain whose node is dead is found, and the receipts of the others are compared", async () => {
  issueAll();
  const [contract] = [chain.funded.contract as Address];
  await installation.issue(1, { ...chain.funded, chain: "eip155:31338" });
  const dead = { chainId: 31_338, rpc: "http://127.0.0.1:9", contracts: [contract], confirmations: 1 };
  const { found, progress } = await check({}, 600_000, { chains: [dead] });
  expect(found).toMatchObject([
    {
      code: "log_unreachable",
      subject: "eip155:31338",
      message: expect.stringContaining("The node of eip155:31338"),
    },
  ]);
  expect(progress.chains).toEqual([
    { chain: "eip155:31337", confirmed: 6, unconfirmed: 0 },
    { chain: "eip155:31338", confirmed: 0, unconfirmed: 1 },
  ]);
});

test("a node of another chain than it is said to be compares nothing", async () => {
  issueAll();
  const { found } = await check({ chainId: 1 });
  expect(found).toMatchObject([
    {
      code: "log_unreachable",
      subject: "eip155:1",
      message: expect.stringContaining("a node of the chain eip155:31337"),
    },
    { code: "chain_unchecked", subject: "eip155:31337" },
  ]);
});

test("a receipt of a chain without a node is found", async () => {
  issueAll();
  await installation.issue(2, { ...chain.funded, chain: "eip155:10" });
  const { found, progress } = await check();
  expect(found).toMatchObject([
    {
      code: "chain_unchecked",
      subject: "eip155:10",
      message: expect.stringContaining("give a node by another --rpc"),
    },
  ]);
  expect(progress).toMatchObject({ confirmed: 6, unconfirmed: 2 });
});

test("a revoked receipt need not be on the chain", async () => {
  const gone = await issue({ ...chain.funded, transaction: hash("79") });
  if (gone) installation.revoke(gone);
  expect((await check()).found).toEqual([]);
});

/** Deploys a contract for anchors. */
async function deployAnchors() {
  const { client } = chain;
  const [publisher, other] = (await client.getAddresses()) as [Address, Address];
  const deployed = await client.deployContract({
    abi: anchorsAbi,
    bytecode: anchorsBytecode,
    account: publisher,
  });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployed });
  const contract = contractAddress as Address;
  const anchor = async (account: Address, root: Hex, size: number) => {
    const sent = await client.writeContract({
      address: contract,
      abi: anchorsAbi,
      functionName: "anchor",
      args: [root, BigInt(size)],
      account,
    });
    await client.waitForTransactionReceipt({ hash: sent });
    return sent;
  };
  return { contract, publisher, other, anchor };
}

test("anchors of the publisher are compared with the tree, and those of others are not", async () => {
  issueAll();
  const { contract, publisher, other, anchor } = await deployAnchors();
  const root = (size: number) => toHex(rootOf(installation.log.entries.slice(0, size).map(hashLeaf)));
  const checkAnchors = () => check({ anchors: { contract, publisher } });
  for (const size of [1, 3, 6]) await anchor(publisher, root(size), size);
  await anchor(other, hash("11") as Hex, 2);
  expect((await checkAnchors()).found).toEqual([]);
  const wrong = await anchor(publisher, hash("12") as Hex, 4);
  const larger = await anchor(publisher, hash("13") as Hex, 600);
  expect((await checkAnchors()).found).toMatchObject([
    { code: "anchor_differs", subject: wrong },
    { code: "anchor_ahead", subject: larger },
  ]);
});

test("an anchor whose block the node does not return is compared in the next round", async () => {
  issueAll();
  const { contract, publisher, anchor } = await deployAnchors();
  const wrong = await anchor(publisher, hash("14") as Hex, 4);
  let isDown = true;
  const node = createServer(async (request, response) => {
    const body = await text(request);
    if (isDown && body.includes("eth_getBlockByNumber")) return void response.writeHead(503).end();
    const answer = await fetch(chain.rpc, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    response.setHeader("content-type", "application/json").end(await answer.text());
  });
  await once(node.listen(0, "127.0.0.1"), "listening");
  const { address, issuer } = installation;
  const chains = [
    {
      chainId: 31_337,
      rpc: `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
      confirmations: 1,
      contracts: [chain.funded.contract as Address],
      fromBlock: 0n,
      anchors: { contract, publisher },
    },
  ];
  const found: Finding[] = [];
  const monitor = new Monitor(
    {
      address,
      issuer,
      chains,
      memoryFile: join(folder, "memory.json"),
      graceMs: 600_000,
      aheadMs: 2000,
    },
    new Findings((finding) => found.push(finding)),
  );
  try {
    await monitor.check();
    expect(found.map(({ code }) => code)).toEqual(["log_unreachable"]);
    isDown = false;
    await monitor.check();
    expect(found).toContainEqual(expect.objectContaining({ code: "anchor_differs", subject: wrong }));
  } finally {
    monitor.close();
    node.closeAllConnections();
    node.close();
  }
});
