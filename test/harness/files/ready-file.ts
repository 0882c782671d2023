import { createHash } from "node:crypto";
import { typeid } from "typeid-js";
import type { Database } from "../../../db/client.ts";
import { account, file } from "../../../db/schema.ts";
import type { FileReference } from "../../../trade/files/file-reference.ts";

/** Writes the row of a complete file without bytes, and returns the reference to it. */
export async function writeReadyFile(
  db: Database,
  accountId: string,
  values: Partial<typeof file.$inferInsert> = {},
): Promise<FileReference> {
  await db.insert(account).values({ id: accountId }).onConflictDoNothing();
  const id = typeid("fil").toString();
  const sha256 = `0x${createHash("sha256").update(id).digest("hex")}` as const;
  const row = {
    id,
    accountId,
    name: "page-3.png",
    size: 12,
    sha256,
    type: "image/png",
    completedAt: new Date(),
  };
  const kept = { tallied: ["all"], dueAt: new Date(Date.now() + 3_600_000), ...values };
  await db.insert(file).values({ ...row, ...kept });
  return { file_id: id, sha256, size: values.size ?? row.size, name: values.name ?? row.name };
}
