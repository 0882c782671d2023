// The provider of `sessions.bench.ts`: one process with the endpoint of its sessions, and a bare route of the same handler.

import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { CallServer } from "../../clients/typescript/src/sessions/call-server.ts";
import { KeyedFile } from "../../clients/typescript/src/sessions/keyed-file.ts";
import { ProviderSession } from "../../clients/typescript/src/sessions/provider-session.ts";
import type { SessionTerms } from "../../clients/typescript/src/sessions/session-terms.ts";

/** The parent's message: the sessions without the facts of this process, whose bigints are texts. */
export type Held = {
  file: string;
  sessions: (Omit<SessionTerms, "price" | "balance"> & { price: string; balance: string })[];
};

type Input = { text: string };
const handle = ({ text }: Input) => ({ words: text.split(" ").length });

process.once("message", async ({ file: path, sessions }: Held) => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const file = await KeyedFile.open(path);
  const held = new Map(
    sessions.map((one) => {
      const terms = { ...one, price: BigInt(one.price), balance: BigInt(one.balance) };
      return [one.escrowId as string, new ProviderSession(terms, file, privateKey)];
    }),
  );
  const calls = new CallServer<Input>({
    handler: handle,
    find: (escrowId) => held.get(escrowId),
    onUnknown: () => {},
    lastCallAt: () => Number.MAX_SAFE_INTEGER,
    onClose: () => {},
  });
  const server = createServer(async (request, response) => {
    if (request.url !== "/bare") return await calls.handle(request, response);
    const body = Buffer.from(JSON.stringify(handle((await json(request)) as Input)));
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
  });
  server.listen(0, "127.0.0.1", () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    process.send?.({ url, sessionKey: publicKey.export({ format: "jwk" }).x });
  });
});

process.once("disconnect", () => process.exit());
