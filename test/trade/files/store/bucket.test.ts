import { expect, test } from "vitest";
import { openBucket } from "../../../../trade/files/store/bucket.ts";

const settings = {
  bucket: "files",
  endpoint: "https://s3.example",
  region: "eu-1",
  credentials: { accessKeyId: "id", secretAccessKey: "the-secret" },
};
const download = { disposition: 'attachment; filename="a.png"', seconds: 300 };

test("a bucket signs a short-lived download that the browser saves", async () => {
  const url = new URL(
    (await openBucket({ ...settings, isPresigned: true }, 9).sign("fil_1", download)) ?? "",
  );
  expect([url.origin, url.pathname]).toEqual(["https://s3.example", "/files/fil_1"]);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    "X-Amz-Expires": "300",
    "response-content-disposition": download.disposition,
    "response-content-type": "application/octet-stream",
  });
  expect(url.href).not.toContain("the-secret");
});

test("a bucket that buyers cannot reach signs none", async () => {
  expect(await openBucket({ ...settings, isPresigned: false }, 9).sign("fil_1", download)).toBe(null);
});
