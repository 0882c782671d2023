import { pbkdf2Sync } from "node:crypto";
import { readFileSync } from "node:fs";
import { createPublicClient, createTestClient, http } from "viem";
import { HDKey, hdKeyToAccount } from "viem/accounts";
import { multicall3Address } from "../../protocol/settlement/x402.ts";
import { isRunnable, toolPath } from "../build/tools.ts";
import { multicall3Code } from "../deploy/multicall3.ts";
import { type Child, startPart, waitUntilReady } from "./process.ts";

/** Anvil's well-known accounts; everybody knows their keys. */
const mnemonic = "test test test test test test test test test test test junk";

/** The root key of all accounts. Node's hash takes a millisecond; viem's takes fifteen for each account. */
const root = HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, "mnemonic", 2048, 64, "sha512"));

/** The n-th of anvil's accounts. */
export const localAccount = (addressIndex: number) => hdKeyToAccount(root, { addressIndex });

/** The roles of a local chain's accounts. */
export const localAccounts = {
  deployer: localAccount(0),
  relayer: localAccount(1),
  arbiter: localAccount(2),
  buyer: localAccount(3),
  provider: localAccount(4),
};

export type Anvil = { child: Child; rpcUrl: string };

/**
 * Starts anvil.
 *
 * @param options.port 0 for any free one
 * @param options.args further options of anvil, as in `["--block-time", "1"]`
 */
export async function startAnvil(options: {
  /** the name of the process. Default: anvil */
  name?: string;
  port: number;
  /** the address on which anvil listens. Default: 127.0.0.1 */
  host?: string;
  args?: string[];
  logFile: string;
  /** receives the process as soon as it runs, before it is ready */
  started?: (child: Child) => void;
}): Promise<Anvil> {
  const { name = "anvil", port, host = "127.0.0.1", args = [], logFile, started } = options;
  const child = await startPart({
    name,
    file: findAnvil(),
    // anvil must print the port that it chose. With a given port it is quiet, or it would log every request.
    args: ["--host", host, "--port", String(port), ...(port === 0 ? [] : ["--silent"]), ...args],
    env: {},
    logFile,
    stopSignal: "SIGTERM",
  });
  started?.(child);
  const rpcUrl = await waitUntilReady(child, async () => {
    if (port === 0) {
      const listening = /^Listening on (\S+)$/m.exec(readFileSync(logFile, "utf8"))?.[1];
      return listening ? `http://${listening}` : null;
    }
    const url = `http://127.0.0.1:${port}`;
    return (await isAnswering(url)) ? url : null;
  });
  return { child, rpcUrl };
}

/** Places Multicall3 at its address of the public chains, unless it is there. */
export async function placeMulticall3(rpcUrl: string): Promise<void> {
  const reader = createPublicClient({ transport: http(rpcUrl) });
  if (await reader.getCode({ address: multicall3Address })) return;
  const node = createTestClient({ mode: "anvil", transport: http(rpcUrl) });
  await node.setCode({ address: multicall3Address, bytecode: multicall3Code });
}

async function isAnswering(rpcUrl: string): Promise<boolean> {
  try {
    await createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }) }).getChainId();
    return true;
  } catch {
    return false;
  }
}

let anvil: string | undefined;

function findAnvil(): string {
  if (anvil) return anvil;
  if (isRunnable("anvil")) anvil = toolPath("anvil");
  else {
    throw new Error(
      `npm has no anvil for this system (${process.platform} ${process.arch}): install Foundry with the installer of https://getfoundry.sh, so that \`anvil\` is found, and try again.`,
    );
  }
  return anvil;
}
