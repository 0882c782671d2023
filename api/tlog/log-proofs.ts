import { createRoute, z } from "@hono/zod-openapi";
import { sql } from "../../db/drizzle.ts";
import { readLogTiles } from "../../db/log-tiles.ts";
import { logEntry, logHead, receipt } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { formatProof } from "../../protocol/tlog/proof.ts";
import { inclusionTiles, proveInclusion } from "../../protocol/tlog/tiles.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { idField } from "../http/fields.ts";
import { errorResponses } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { logPath } from "./log-tiles.ts";

const query = z.object({
  kind: z
    .enum(["receipt", "revocation"])
    .openapi("LogProofKind")
    .default("receipt")
    .openapi({ description: "whether to prove the receipt or its revocation" }),
});

/** Adds the proofs that a receipt is in the log, for everybody who knows its id. docs/log.md explains how to check them. */
export function addLogProofs(root: App, { db }: Context): void {
  root.openapi(
    createRoute({
      method: "get",
      path: `${logPath}/proofs/{id}`,
      operationId: "readReceiptProof",
      tags: ["receipts"],
      summary: "Read the proof that a receipt, or its revocation, is in the log",
      request: { params: z.object({ id: idField("rcp") }), query },
      responses: {
        200: {
          description:
            "The proof (c2sp.org/tlog-proof), with the log's newest checkpoint. It can be stored, and verified offline",
          content: { "text/plain": { schema: z.string().openapi({ example: exampleProof }) } },
        },
        ...errorResponses("not_logged_yet"),
      },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const { kind } = c.req.valid("query");
      const [result] = isId("rcp", id) ? await readEntry(id, kind) : [];
      if (!result) throw new ApiError("not_found", "There is no receipt with this id.");
      const { index, entry, shown, size } = result;
      if (kind === "revocation" && index === null && !result.isRevoked) {
        throw new ApiError("not_found", "This receipt is not revoked.");
      }
      if (index === null || entry === null || shown === null || size === null || index >= size) {
        const message = `The log does not show this ${kind} yet. It is queued: try again in a moment.`;
        throw new ApiError("not_logged_yet", message, undefined, 1);
      }
      const tiles = await readLogTiles(db, inclusionTiles(index, size));
      if (!tiles) throw new Error(`The log lacks tiles of its first ${size} entries.`);
      const proof = formatProof({
        extra: new TextEncoder().encode(entry),
        index,
        hashes: proveInclusion(index, size, tiles),
        checkpoint: shown,
      });
      return c.text(proof, 200, {
        // An older proof is still valid.
        "Cache-Control": "public, max-age=60",
        "Access-Control-Allow-Origin": "*",
      });
    },
  );

  function readEntry(id: string, kind: "receipt" | "revocation") {
    return db
      .select({
        index: logEntry.index,
        entry: logEntry.entry,
        shown: logHead.published,
        size: logHead.publishedSize,
        isRevoked: sql<boolean>`${receipt.revokedAt} is not null`,
      })
      .from(receipt)
      .leftJoin(logEntry, sql`${logEntry.kind} = ${kind} and ${logEntry.subject} = ${receipt.id}`)
      .leftJoin(logHead, sql`true`)
      .where(sql`${receipt.id} = ${id}`);
  }
}

const exampleProof = `c2sp.org/tlog-proof@v1
index 1
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=

market.example/log
2
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— market.example/log Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
`;
