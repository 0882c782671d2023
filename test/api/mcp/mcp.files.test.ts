import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey } from "../../harness/api.ts";
import { sha256Of } from "../../harness/files/uploads.ts";
import { createMarket, type Market } from "../../harness/market/market.ts";
import { type McpService, serveMcp, use } from "../../harness/mcp.ts";

let market: Market;
let mcp: McpService;
beforeAll(async () => {
  market = await createMarket({ env: { RATE_LIMITS: "credential=100000,account=100000" } });
  mcp = await serveMcp(market.api.app);
});
afterAll(async () => {
  await mcp?.close();
  await market?.api.close();
});

test("an assistant uploads a small file once for its key, and gets a link to it", async () => {
  const client = await mcp.connect(
    await createKey(market.api, market.buyer, ["orders:read", "orders:write"]),
  );
  const upload = { name: "notes.txt", text: "Grüezi\n", idempotency_key: "notes" };
  const { facts: file } = await use(client, "upload_file", upload);
  const bytes = Buffer.from(upload.text);
  const reference = { file_id: file.file_id, name: "notes.txt", size: bytes.length, sha256: sha256Of(bytes) };
  expect(file).toMatchObject({ status: "ready", type: "text/plain", reference });
  expect((await use(client, "upload_file", upload)).facts.file_id).toBe(file.file_id);
  const { facts: link } = await use(client, "link_file", { file_id: file.file_id });
  const answer = await market.api.app.request(link.url);
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);

  const binary = { name: "a.bin", base64: Buffer.from([0, 255, 1]).toString("base64") };
  expect((await use(client, "upload_file", binary)).facts).toMatchObject({ size: 3, status: "ready" });
  expect((await use(client, "upload_file", { ...binary, text: "x" })).code).toBe("invalid_arguments");
  expect((await use(client, "upload_file", { name: "../x", text: "x" })).code).toBe("invalid_request");

  const others = await mcp.connect(await createKey(market.api, market.outsider, ["orders:read"]));
  expect((await use(others, "link_file", { file_id: file.file_id })).code).toBe("file_not_found");
});
