// The settings of files: where the bytes are, and how many an account may store.

import { resolve } from "node:path";
import { z } from "zod";
import { ConfigError } from "./environment.ts";
import { downloadBounds, uploadSlots } from "./limits.ts";
import { settingNotes } from "./settings.ts";

const mebibyte = 1024 * 1024;
const megabytes = (usual: number) => z.coerce.number().int().min(1).max(1_000_000_000).default(usual);

export const fileEnvironment = {
  FILES_DIR: z.string().default(".earnest/files").register(settingNotes, {
    for: "API, worker",
    is: "the folder of files, shared by all machines; without an S3 bucket",
  }),
  FILES_S3_BUCKET: z
    .string()
    .optional()
    .register(settingNotes, { for: "API, worker", is: "the S3 bucket of files; wins over the folder" }),
  FILES_S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .register(settingNotes, {
      for: "API, worker",
      is: "the server that speaks S3; buyers and providers download from it",
      otherwise: "that of AWS",
      example: "https://s3.example.org",
    }),
  FILES_S3_REGION: z
    .string()
    .default("us-east-1")
    .register(settingNotes, { for: "API, worker", is: "the region of the bucket" }),
  FILES_S3_ACCESS_KEY_ID: z.string().optional().register(settingNotes, {
    for: "API, worker",
    is: "the id of the bucket's access key",
    otherwise: "the AWS SDK's own sources",
  }),
  FILES_S3_SECRET_ACCESS_KEY: z.string().optional().register(settingNotes, {
    for: "API, worker",
    is: "the secret of that key",
    otherwise: "the AWS SDK's own sources",
  }),
  FILES_S3_LINKS: z.enum(["presigned", "proxied"]).default("presigned").register(settingNotes, {
    for: "API",
    is: "`presigned` to download from the bucket itself, `proxied` to download through the API",
  }),
  FILE_MB: megabytes(5120).register(settingNotes, {
    for: "API, worker",
    is: "the largest file",
    unit: "megabytes",
  }),
  FILES_ACCOUNT_MB: megabytes(20_480).register(settingNotes, {
    for: "API",
    is: "the files of one account; without a funded order a quarter of it",
    unit: "megabytes",
  }),
  FILES_TOTAL_MB: megabytes(204_800).register(settingNotes, {
    for: "API, worker",
    is: "the files of all accounts; those without a funded order share half of it",
    unit: "megabytes",
  }),
  FILES_UNUSED_HOURS: z.coerce.number().int().min(1).max(8760).default(48).register(settingNotes, {
    for: "API, worker",
    is: "how long a file is kept that no order names, and an upload that does not end",
    unit: "hours",
  }),
  FILES_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(365).register(settingNotes, {
    for: "worker",
    is: "how long the bytes of a file are kept after the last of its orders ended",
    unit: "days",
  }),
};

/** The most files of an account, and its uploads at once. Each file is a row, and each upload holds its size. */
export const fileCounts = { account: 5000, uploads: 20 };

const environment = z.object(fileEnvironment);

/** The files' part of the configuration. Sizes are in bytes. */
export function readFilesConfig(values: z.output<typeof environment>) {
  const { FILES_S3_ACCESS_KEY_ID: accessKeyId, FILES_S3_SECRET_ACCESS_KEY: secretAccessKey } = values;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new ConfigError("Set both FILES_S3_ACCESS_KEY_ID and FILES_S3_SECRET_ACCESS_KEY, or neither.");
  }
  return {
    directory: resolve(values.FILES_DIR),
    /** null for files in the folder */
    s3: values.FILES_S3_BUCKET
      ? {
          bucket: values.FILES_S3_BUCKET,
          endpoint: values.FILES_S3_ENDPOINT,
          region: values.FILES_S3_REGION,
          credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
          isPresigned: values.FILES_S3_LINKS === "presigned",
        }
      : null,
    largest: values.FILE_MB * mebibyte,
    ofAccount: values.FILES_ACCOUNT_MB * mebibyte,
    inAll: values.FILES_TOTAL_MB * mebibyte,
    counts: fileCounts,
    uploads: uploadSlots,
    downloads: downloadBounds,
    unusedSeconds: values.FILES_UNUSED_HOURS * 3600,
    retentionSeconds: values.FILES_RETENTION_DAYS * 86_400,
  };
}
