import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anchorsBytecode, escrowBytecode, passkeyAccountFactoryBytecode } from "../../../abis/bytecode.ts";
import { contractSources } from "../../../abis/sources.ts";
import { type PublicContract, readVerification } from "../../../tools/deploy/sources.ts";
import { publishSources } from "../../../tools/deploy/sourcify.ts";
import { startTarget, type Target } from "../../harness/deploy.ts";
import { root } from "../../harness/programs.ts";
import { compileStandard } from "../../harness/solidity.ts";
import { type Sourcify, startSourcify } from "../../harness/sourcify.ts";

describe.sequential("npm run deploy -- --publish-sources", () => {
  let chain: Target;
  let sourcify: Sourcify;
  beforeAll(async () => {
    chain = await startTarget(31_337);
    sourcify = await startSourcify(chain.reader);
    // The server then answers at once.
    for (const name of Object.keys(contractSources.contracts) as PublicContract[])
      await compileStandard(readVerification(name).stdJsonInput);
  });
  afterAll(async () => {
    await sourcify?.close();
    await chain?.close();
  });
  const publish = () =>
    chain.deploy(["--chain", "local", "--publish-sources"], { DEPLOY_SOURCIFY_URL: sourcify.url });

  test("every contract on the chain is what the published sources compile to", async () => {
    const { code, output } = await publish();
    expect(code, output).toBe(0);
    expect([...output.matchAll(/published the sources of 0x\w{40}: match/g)]).toHaveLength(5);
    const { escrow_contract, deposit_implementation, anchors, passkey_factory } = chain.readManifest();
    for (const address of [escrow_contract, deposit_implementation, anchors.contract, passkey_factory])
      expect(sourcify.verified).toContain(address);
  });

  test.each([
    ["Escrow", escrowBytecode],
    ["Anchors", anchorsBytecode],
    ["PasskeyAccountFactory", passkeyAccountFactoryBytecode],
  ] as [PublicContract, string][])(
    "the file of %s compiles to the creation code, to the last byte",
    async (name, code) => {
      const { stdJsonInput, contractIdentifier } = readVerification(name);
      const [file = ""] = contractIdentifier.split(":");
      const compiled = await compileStandard(stdJsonInput);
      expect(`0x${compiled[file]?.[name]?.evm.bytecode.object}`).toBe(code);
      // The code has no hash of its metadata: comments do not change an address.
      expect(stdJsonInput.settings.metadata).toEqual({ bytecodeHash: "none", appendCBOR: false });
    },
  );

  test("a second run sends nothing to the chain, and takes what is verified already", async () => {
    const head = await chain.reader.getBlockNumber();
    const { code, output } = await publish();
    expect(code, output).toBe(0);
    expect(output).toContain("already verified");
    expect(await chain.reader.getBlockNumber()).toBe(head);
  });

  test("a file names its contract's transaction, and can be sent as it is", async () => {
    const { escrow_contract, deployment_transaction } = chain.readManifest();
    const file = join(chain.deployments, "sources", "31337", `${escrow_contract}.json`);
    const body = readFileSync(file, "utf8");
    expect(JSON.parse(body)).toMatchObject({
      compilerVersion: contractSources.compiler,
      contractIdentifier: "contracts/src/Escrow.sol:Escrow",
      creationTransactionHash: deployment_transaction,
    });
  });

  test("sources of other code are refused with a sentence", async () => {
    const { passkey_factory: address, anchors } = chain.readManifest();
    const body = readFileSync(
      join(chain.deployments, "sources", "31337", `${anchors.contract}.json`),
      "utf8",
    );
    sourcify.verified.delete(address);
    const sent = publishSources(sourcify.url, { chainId: 31_337, address, body }, { pause: 10 });
    await expect(sent).rejects.toThrow("The recompiled code is not the code on the chain.");
  });
});

test("a server that is none, or answers nonsense, is named", async () => {
  const server = createServer((_, response) => response.writeHead(500).end("<html>"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: Address = "0x00000000000000000000000000000000000000aa";
  const send = (url: string) => publishSources(url, { chainId: 1, address, body: "{}" });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(send(url)).rejects.toThrow(`were not verified by ${url}`);
  await new Promise((resolve) => server.close(resolve));
  await expect(send("http://127.0.0.1:9")).rejects.toThrow("were not verified by http://127.0.0.1:9");
});

test("a changed or missing source is named instead of written", () => {
  const folder = mkdtempSync(join(tmpdir(), "earnest-sources-"));
  try {
    expect(() => readVerification("Anchors", folder)).toThrow("contracts/src/Anchors.sol is missing");
    cpSync(join(root, "contracts", "src"), join(folder, "contracts", "src"), { recursive: true });
    const file = join(folder, "contracts", "src", "Anchors.sol");
    expect(readVerification("Anchors", folder).contractIdentifier).toBe("contracts/src/Anchors.sol:Anchors");
    writeFileSync(file, `${readFileSync(file, "utf8")}// A word more.\n`);
    expect(() => readVerification("Anchors", folder)).toThrow(
      "is not the one that the contracts were compiled from",
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
