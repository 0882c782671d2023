import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect } from "vitest";
import { runDemo } from "../../demo/order.ts";
import { root, startProgram } from "../harness/programs.ts";
import { testOnStack } from "../harness/stack.ts";

testOnStack("the README's tour with curl leads to a verified receipt", async ({ stack }) => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const tour = /## A tour with curl[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const { chain } = stack;
  const folder = mkdtempSync(join(tmpdir(), "earnest-tour-"));
  try {
    // The tour buys what the sample order's provider offers.
    const buyer = privateKeyToAccount(generatePrivateKey());
    await chain.fund(buyer);
    await runDemo({ baseUrl: stack.baseUrl, rpcUrl: chain.rpcUrl, buyer, print: () => {} });

    const script = tour.replace("npm run -s", `npm --prefix ${root} run -s`);
    const shell = startProgram("sh", ["-ec", script], {
      cwd: folder,
      env: { ...process.env, API: `${stack.baseUrl}/api/v1`, RPC: chain.rpcUrl },
    });
    expect(await shell.ended, shell.output()).toBe(0);
    expect(shell.output()).toContain("Statistics of a text");
    expect(shell.output()).toContain("input_schema_violation");
    expect(shell.output()).toContain("order.created, order.funded");
    expect(shell.output()).toContain("release: yes");
    expect(shell.output()).toMatch(/settlement document: signature good[\s\S]*chain: agrees/);
    expect(shell.output()).toMatch(/\{"payment":\{"id":"pay_\w+","status":"\w+","method":"eip3009"/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
