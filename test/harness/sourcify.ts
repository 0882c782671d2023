import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Address, Hex, PublicClient } from "viem";
import { z } from "zod";
import { compileStandard } from "./solidity.ts";

const request = z.strictObject({
  stdJsonInput: z.looseObject({ language: z.literal("Solidity") }),
  compilerVersion: z.string().regex(/^\d+\.\d+\.\d+\+commit\.[0-9a-f]{8}$/),
  contractIdentifier: z.string().regex(/^[^:]+:\w+$/),
  creationTransactionHash: z.string().optional(),
});

export type Sourcify = Awaited<ReturnType<typeof startSourcify>>;

/**
 * A server that stands for Sourcify's, version 2 of its API. It compiles what it gets, and compares the code with that on the
 * chain, the immutables left out. As Sourcify, it says `match` of code without a hash of its metadata.
 */
export async function startSourcify(reader: PublicClient) {
  const verified = new Set<string>();
  const jobs = new Map<string, { polls: number; match: "match" | null; message: string | null }>();
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const [, action, first = "", second = ""] = (incoming.url ?? "").split("/").slice(1);
    if (action !== "verify")
      return answer(404, { customCode: "not_found", message: "Not found", errorId: "1" });
    if (incoming.method === "GET") {
      const job = jobs.get(first);
      if (!job) return answer(404, { customCode: "job_not_found", message: "No such job", errorId: "2" });
      const isJobCompleted = job.polls++ > 0;
      const error =
        isJobCompleted && job.message ? { customCode: "no_match", message: job.message } : undefined;
      return answer(200, { isJobCompleted, verificationId: first, contract: { match: job.match }, error });
    }
    const parsed = request.safeParse(JSON.parse(Buffer.concat(chunks).toString()));
    if (!parsed.success) return answer(400, { customCode: "invalid_json", message: "Invalid", errorId: "3" });
    if (verified.has(second)) {
      return answer(409, { customCode: "already_verified", message: "Already verified", errorId: "4" });
    }
    const same = await compare(second as Address, parsed.data);
    if (same) verified.add(second);
    const id = `job-${jobs.size}`;
    jobs.set(id, {
      polls: 0,
      match: same ? "match" : null,
      message: same ? null : "The recompiled code is not the code on the chain.",
    });
    return answer(202, { verificationId: id });
  });

  async function compare(address: Address, { stdJsonInput, contractIdentifier }: z.infer<typeof request>) {
    const [file = "", name = ""] = contractIdentifier.split(":");
    const made = (await compileStandard(stdJsonInput))[file]?.[name]?.evm.deployedBytecode;
    if (!made) return false;
    const places = Object.values(made.immutableReferences ?? {}).flat();
    return mask(await reader.getCode({ address }), places) === mask(`0x${made.object}`, places);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    verified,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The code with zeros at these places. */
function mask(code: Hex | undefined, places: { start: number; length: number }[]): string {
  const bytes = Buffer.from((code ?? "0x").slice(2), "hex");
  for (const { start, length } of places) bytes.fill(0, start, start + length);
  return bytes.toString("hex");
}
