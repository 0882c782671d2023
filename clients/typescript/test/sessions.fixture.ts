import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type CallHandler, CallServer, type CallServerParts } from "../src/sessions/call-server.ts";
import { Caller, type VoucherSigner } from "../src/sessions/caller.ts";
import { KeyedFile } from "../src/sessions/keyed-file.ts";
import { ProviderSession } from "../src/sessions/provider-session.ts";
import type { SessionTerms } from "../src/sessions/session-terms.ts";

const key = generateKeyPairSync("ed25519");
export const buyer = privateKeyToAccount(generatePrivateKey());
export const signer: VoucherSigner = {
  signDigest: (hash) => buyer.sign({ hash }),
  signData: (data) => buyer.signTypedData(data),
};

export const newFolder = (): string => mkdtempSync(join(tmpdir(), "earnest-sessions-"));

let sessions = 0;

/** Terms of a session of 100 calls. */
export function termsOf(more: Partial<SessionTerms> = {}): SessionTerms {
  sessions += 1;
  return {
    orderId: `ord_${sessions}`,
    chainId: 31337,
    escrowContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    escrowId: `0x${sessions.toString(16).padStart(64, "0")}`,
    buyer: buyer.address,
    provider: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    // These sessions have no escrow on a chain.
    escrowTerms: {} as SessionTerms["escrowTerms"],
    price: 1_000n,
    balance: 100_000n,
    decimals: 6,
    endsAt: Date.now() + 3_600_000,
    windowMs: 3_600_000,
    endpointUrl: "",
    sessionKey: String(key.publicKey.export({ format: "jwk" }).x),
    ...more,
  };
}

export type Endpoint = {
  url: string;
  file: KeyedFile;
  server: Server;
  sessions: Map<string, ProviderSession>;
  unknown: string[];
  /** whether answers are lost after they are made */
  losesAnswers: boolean;
  stop: () => Promise<void>;
};

/** Starts a provider's endpoint for these sessions. */
export async function startEndpoint(
  held: SessionTerms[],
  handler: CallHandler<never>,
  {
    path = join(newFolder(), "calls.jsonl"),
    port = 0,
    ...more
  }: Partial<CallServerParts<never>> & { path?: string; port?: number } = {},
): Promise<Endpoint> {
  const file = await KeyedFile.open(path);
  const open = new Map(
    held.map((terms) => [terms.escrowId as string, new ProviderSession(terms, file, key.privateKey)]),
  );
  const unknown: string[] = [];
  const calls = new CallServer<never>({
    handler,
    find: (escrowId) => open.get(escrowId),
    onUnknown: () => unknown.push("unknown"),
    lastCallAt: ({ terms }) => terms.endsAt - 600_000,
    onClose: () => {},
    ...more,
  });
  const server = createServer(async (request, response) => {
    if (!endpoint.losesAnswers) return await calls.handle(request, response);
    const headers = Object.entries(request.headers).map(
      ([name, value]) => [name, String(value)] as [string, string],
    );
    await calls.fetch(new Request(endpoint.url, { method: "POST", headers, body: await buffer(request) }));
    response.destroy();
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/calls`;
  for (const terms of held) terms.endpointUrl = url;
  const endpoint: Endpoint = {
    url,
    file,
    server,
    sessions: open,
    unknown,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      file.close();
    },
    losesAnswers: false,
  };
  return endpoint;
}

/** Opens a buyer's side of a session. */
export async function openCaller(
  terms: SessionTerms,
  {
    path = join(newFolder(), "session.jsonl"),
    timeoutMs = 5_000,
    allowPrivate = true,
  }: { path?: string; timeoutMs?: number; allowPrivate?: boolean } = {},
): Promise<{ caller: Caller; file: KeyedFile; path: string }> {
  const file = await KeyedFile.open(path);
  return { caller: new Caller(terms, file, signer, { timeoutMs, allowPrivate }), file, path };
}
