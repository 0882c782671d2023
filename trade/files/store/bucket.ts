import type { Readable } from "node:stream";
import { DeleteObjectsCommand, GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { type MetadataValue, S3Store } from "@tus/s3-store";
import { LRUCache } from "lru-cache";
import type { Config } from "../../../config/config.ts";
import type { FileStore } from "./file-store.ts";

/** The uploads whose state a process remembers. */
const mostRemembered = 1000;

/** Milliseconds after which a silent server counts as away. A reader takes bytes at least every 20 seconds. */
const timeouts = { connectionTimeout: 5_000, socketTimeout: 60_000 };

/**
 * Opens a bucket of a server that speaks S3 as the store of files.
 *
 * @param maxSockets the most connections of its readers, and as many of its uploads. A slow reader holds one.
 */
export function openBucket(
  { bucket, isPresigned, ...server }: NonNullable<Config["files"]["s3"]>,
  maxSockets: number,
): FileStore {
  const requestHandler = { ...timeouts, httpAgent: { maxSockets }, httpsAgent: { maxSockets } };
  const settings = { ...server, requestHandler, forcePathStyle: server.endpoint !== undefined };
  const client = new S3Client(settings);
  const known = new LRUCache<string, MetadataValue>({ max: mostRemembered });
  const uploads = new S3Store({
    s3ClientConfig: { bucket, ...settings },
    useTags: false,
    cache: {
      get: async (id) => known.get(id),
      set: async (id, value) => void known.set(id, value),
      delete: async (id) => void known.delete(id),
    },
  });
  return {
    uploads,
    // The parts of an upload become an object when the upload ends.
    readsUploads: false,
    async read(id, { start, end }) {
      const command = new GetObjectCommand({ Bucket: bucket, Key: id, Range: `bytes=${start}-${end}` });
      return (await client.send(command)).Body as Readable;
    },
    async remove(id) {
      // Aborts an upload. A complete file has none.
      await uploads.remove(id).catch((error: unknown) => {
        if ((error as { status_code?: number }).status_code !== 404) throw error;
      });
      const Objects = [id, `${id}.info`, `${id}.part`].map((Key) => ({ Key }));
      const { Errors = [] } = await client.send(
        new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }),
      );
      const [first] = Errors;
      if (first) throw new Error(`The bucket keeps ${first.Key}: ${first.Code} ${first.Message}`);
    },
    async sign(id, { disposition, seconds }) {
      if (!isPresigned) return null;
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: id,
        ResponseContentDisposition: disposition,
        ResponseContentType: "application/octet-stream",
        ResponseCacheControl: "private, no-store",
      });
      return getSignedUrl(client, command, { expiresIn: seconds });
    },
  };
}
