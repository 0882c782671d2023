import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Address,
  concat,
  createPublicClient,
  createTestClient,
  domainSeparator,
  encodeAbiParameters,
  type Hex,
  http,
  numberToHex,
  size,
  toFunctionSelector,
} from "viem";
import { runDeploy } from "../../scripts/deploy/command.ts";
import { startAnvil } from "../../tools/stack/anvil.ts";
import { ourProgram, startProgram } from "./programs.ts";

/** A chain to deploy on, with a folder for its manifest. It mines each transaction at once by default. */
export async function startTarget(chainId: number, ...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "earnest-deploy-"));
  const { child, rpcUrl } = await startAnvil({
    port: 0,
    logFile: join(folder, "anvil.log"),
    args: ["--chain-id", String(chainId), ...args],
  });
  const deployments = join(folder, "deployments");
  const file = join(deployments, `${chainId}.json`);
  const reader = createPublicClient({ transport: http(rpcUrl), cacheTime: 0, pollingInterval: 50 });
  const usual = { DEPLOYMENTS_DIR: deployments, [`RPC_URL_${chainId}`]: rpcUrl };
  return {
    rpcUrl,
    deployments,
    file,
    reader,
    node: createTestClient({ mode: "anvil", transport: http(rpcUrl) }),
    /** Runs the command of `npm run deploy` in this process. */
    async deploy(args: string[] = [], env: Record<string, string> = {}) {
      let output = "";
      const print = (lines: string) => {
        output += `${lines}\n`;
      };
      const code = await runDeploy(args, { env: { ...usual, ...env }, print, complain: print });
      return { code, output };
    },
    /** Runs the command as a process. */
    async deployByProgram(args: string[] = [], env: Record<string, string> = {}) {
      const program = startProgram(process.execPath, ourProgram("scripts/deploy.ts", ...args), {
        env: { ...usual, ...env },
      });
      return { code: await program.ended, output: program.output() };
    },
    readManifest: () => JSON.parse(readFileSync(file, "utf8")),
    /** Asserts that nothing was sent and nothing written. */
    isUntouched: async () => (await reader.getBlockNumber()) === 0n && !existsSync(file),
    async close() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
export type Target = Awaited<ReturnType<typeof startTarget>>;

/**
 * Code that answers each of these functions with the same bytes whatever the arguments, and reverts
 * otherwise.
 */
export function answering(answers: Record<string, Hex>): Hex {
  const word = (value: number) => numberToHex(value, { size: 2 });
  const entries = Object.entries(answers).map(
    ([signature, data]) => [toFunctionSelector(signature), data] as const,
  );
  // The code has the selector test, for each function 11 bytes that jump to its 14 bytes, a revert, and the
  // answers.
  const bodies = 5 + 11 * entries.length + 3;
  let data = bodies + 14 * entries.length;
  const jumps = entries.map(([selector], n) =>
    concat(["0x8063", selector, "0x1461", word(bodies + 14 * n), "0x57"]),
  );
  const copies = entries.map(([, answer]) => {
    const [length, from] = [word(size(answer)), word(data)];
    data += size(answer);
    return concat(["0x5b61", length, "0x61", from, "0x5f39", "0x61", length, "0x5ff3"]);
  });
  return concat(["0x5f3560e01c", ...jumps, "0x5f5ffd", ...copies, ...entries.map(([, answer]) => answer)]);
}

/** Puts a token with these properties at an address. `separator` defaults to that of its domain. */
export async function placeToken(
  { node, reader }: Target,
  token: {
    address: Address;
    symbol: string;
    decimals: number;
    name: string;
    version: string;
    separator?: Hex;
  },
): Promise<Hex> {
  const { address, name, version } = token;
  const chainId = await reader.getChainId();
  const separator =
    token.separator ?? domainSeparator({ domain: { name, version, chainId, verifyingContract: address } });
  const text = (value: string) => encodeAbiParameters([{ type: "string" }], [value]);
  await node.setCode({
    address,
    bytecode: answering({
      "symbol()": text(token.symbol),
      "decimals()": encodeAbiParameters([{ type: "uint8" }], [token.decimals]),
      "name()": text(name),
      "version()": text(version),
      "DOMAIN_SEPARATOR()": separator,
      "authorizationState(address,bytes32)": numberToHex(0, { size: 32 }),
    }),
  });
  return separator;
}
