import { randomUUID } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { createOpenStore } from "../../../trade/files/open-store.ts";
import type { TestApi } from "../api.ts";

const credentials = { accessKeyId: "earnest", secretAccessKey: "earnest-secret" };

/**
 * The settings of a store for files: a folder, or a new bucket of the server that `npm run test:s3` starts. Links go
 * through the API, so that the same tests hold for both.
 */
export async function storeSettings(): Promise<Record<string, string>> {
  const endpoint = process.env.EARNEST_TEST_S3;
  if (!endpoint) return {};
  const bucket = `files-${randomUUID()}`;
  const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return {
    FILES_S3_BUCKET: bucket,
    FILES_S3_ENDPOINT: endpoint,
    FILES_S3_ACCESS_KEY_ID: credentials.accessKeyId,
    FILES_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    FILES_S3_LINKS: "proxied",
  };
}

/** Reads the stored bytes of a file; null if the store has none. */
export async function readStored({ context }: Pick<TestApi, "context">, id: string): Promise<Buffer | null> {
  const store = await createOpenStore(context)();
  try {
    return await buffer(await store.read(id, { start: 0, end: Number.MAX_SAFE_INTEGER }));
  } catch (error) {
    const { code, name } = error as { code?: string; name?: string };
    if (code === "ENOENT" || name === "NoSuchKey") return null;
    throw error;
  }
}
