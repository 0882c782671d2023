import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deriveSecret } from "../../../protocol/webhooks/secret.ts";
import { signDelivery } from "../../../protocol/webhooks/signature.ts";
import { blockOf } from "../../harness/documents/blocks.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const secret = deriveSecret(new Uint8Array(32), "whe_1", 1);
const body = '{"id":"whd_1","event_id":"evt_1","type":"order.funded"}';
const timestamp = Math.floor(Date.now() / 1000);
const headers = signDelivery({ id: "whd_1", timestamp, body, secrets: [secret] });

let folder: string;
/** The exports of the code in docs/webhooks.md, run unchanged. */
let code: {
  receive(request: Request, secret: string): Promise<Response>;
  read(rawBody: string, headers: Record<string, string>, secret: string): unknown;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earnest-docs-"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const blocks = [
    "docs/webhooks.md: Verifying a delivery",
    "docs/webhooks.md: With a library of Standard Webhooks",
  ];
  const text = blocks
    .map(blockOf)
    .join("\n")
    .replace("earnest/webhooks", join(root, "protocol/webhooks/index.ts"));
  await writeFile(join(folder, "docs.mts"), text);
  code = await import(join(folder, "docs.mts"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the receiver in the documentation accepts a delivery and refuses a changed one", async () => {
  const post = (text: string) =>
    new Request("https://example.com", { method: "POST", body: text, headers: { ...headers } });
  expect(await code.receive(post(body), secret)).toMatchObject({ status: 204 });
  expect(await code.receive(post(body.replace("funded", "released")), secret)).toMatchObject({ status: 401 });
  const unsigned = new Request("https://example.com", { method: "POST", body });
  expect(await code.receive(unsigned, secret)).toMatchObject({ status: 401 });
});

test("the receiver with the Standard Webhooks library does so too", () => {
  expect(code.read(body, { ...headers }, secret)).toEqual(JSON.parse(body));
  expect(() => code.read(`${body} `, { ...headers }, secret)).toThrow(/signature/);
});
