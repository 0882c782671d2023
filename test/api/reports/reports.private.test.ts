import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditEntry } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { act } from "../../../trade/moderation/act.ts";
import { expectStatus, type Session } from "../../harness/api.ts";
import { uploadAtOnce } from "../../harness/files/uploads.ts";
import { createMarket, type Market, placeFunded } from "../../harness/market/market.ts";
import { createModeration, expectRefused, signInOperator } from "../../harness/market/moderation.ts";
import { serveApi } from "../../harness/streams.ts";

let market: Market;
let moderation: ReturnType<typeof createModeration>;
let operator: Session;
let orderId: string;
beforeAll(async () => {
  market = await createMarket();
  moderation = createModeration(market.api);
  operator = await signInOperator(market.api);
  orderId = (await placeFunded(market)).id;
});
afterAll(() => market?.api.close());

const textsOf = async (who: Session) =>
  expectStatus(200, await moderation.request("GET", `/orders/${orderId}/messages`, who)).items.map(
    ({ text }: { text: string | null }) => text,
  );

test("a message is reported by a reader alone, and an operator sees and hides it only then", async () => {
  const { buyer, provider, outsider } = market;
  const written = expectStatus(
    201,
    await moderation.request("POST", `/orders/${orderId}/messages`, buyer, { text: "Pay me outside." }),
  );
  const hide = { act: "hide", reason: "It leads buyers away." };
  expectRefused(
    await moderation.request("GET", `/operator/subjects/${written.id}`, operator),
    404,
    "not_found",
  );
  expectRefused(await moderation.act(operator, written.id, hide), 404, "not_found");
  expectRefused(await moderation.report(outsider, "message", written.id), 404, "not_found");
  expectRefused(await moderation.report(buyer, "message", written.id), 409, "invalid_state", /your own/);
  expectStatus(201, await moderation.report(provider, "message", written.id));
  expect((await moderation.subject(operator, written.id)).content.text).toBe("Pay me outside.");
  await moderation.acted(operator, written.id, "hide");
  expect(await textsOf(provider)).not.toContain("Pay me outside.");
  expect(await textsOf(buyer)).toContain("Pay me outside.");
  await moderation.acted(operator, written.id, "restore");
  expect(await textsOf(provider)).toContain("Pay me outside.");
});

test("a reported message cannot be withdrawn before an operator has read and answered the report", async () => {
  const { buyer, provider } = market;
  const path = `/orders/${orderId}/messages`;
  const written = expectStatus(201, await moderation.request("POST", path, buyer, { text: "A threat." }));
  const withdraw = () => moderation.request("POST", `${path}/${written.id}/withdraw`, buyer);
  expectStatus(201, await moderation.report(provider, "message", written.id));
  expectRefused(await withdraw(), 409, "invalid_state", /reported/);
  expect((await moderation.subject(operator, written.id)).content.text).toBe("A threat.");
  await moderation.acted(operator, written.id, "dismiss");
  expectStatus(200, await withdraw());
  // A report that waits for a withdrawal finds no text.
  const next = expectStatus(201, await moderation.request("POST", path, buyer, { text: "Another." }));
  const answers = await Promise.all([
    moderation.request("POST", `${path}/${next.id}/withdraw`, buyer),
    moderation.report(provider, "message", next.id),
  ]);
  expect([
    [200, 404],
    [409, 201],
  ]).toContainEqual(answers.map(({ status }) => status));
});

test("a message that is hidden while others are marked as read counts as unread for nobody", async () => {
  const { api, buyer, provider } = market;
  const { id } = await placeFunded(market);
  const path = `/orders/${id}/messages`;
  const send = async (text: string) =>
    expectStatus(201, await moderation.request("POST", path, buyer, { text })).id as string;
  const [first, second] = [await send("One."), await send("Two.")];
  expectStatus(201, await moderation.report(provider, "message", second));
  const isHidden = Promise.withResolvers<void>();
  const isMarking = Promise.withResolvers<void>();
  const hiding = inTransaction(api.db, async (tx) => {
    const name = { kind: "message", id: second } as const;
    await act(tx, operator.accountId, name, { act: "hide", reason: "It is abuse." });
    isHidden.resolve();
    await isMarking.promise;
  });
  await isHidden.promise;
  const marking = moderation.request("POST", `${path}/read`, provider, { up_to: first });
  await new Promise((resolve) => setTimeout(resolve, 300));
  isMarking.resolve();
  await hiding;
  expect(expectStatus(200, await marking).unread_messages).toBe(0);
  expect(expectStatus(200, await moderation.request("GET", `/orders/${id}`, provider)).unread_messages).toBe(
    0,
  );
});

test("a file is reported by somebody whom an order lets read it, and is withheld from all but its owner", async () => {
  const { api, buyer, provider, outsider } = market;
  const id = "fil_01jd3w8x2mfhz8w9q4t6n5k7ra";
  await api.db.execute(sql`
    insert into earnest.file (id, account_id, name, size, sha256, type, tallied, due_at, completed_at)
    values (${id}, ${buyer.accountId}, 'page.png', 9, ${`0x${"1".repeat(64)}`}, 'image/png', '{}', now() + interval '1 day', now())`);
  expectRefused(await moderation.report(provider, "file", id), 404, "file_not_found");
  await api.db.execute(sql`
    insert into earnest.file_use (file_id, order_id, purpose) values (${id}, ${orderId}, 'input')`);
  expectRefused(await moderation.report(outsider, "file", id), 404, "file_not_found");
  expectRefused(await moderation.request("GET", `/operator/subjects/${id}`, operator), 404, "not_found");
  expectStatus(201, await moderation.report(provider, "file", id));
  expectStatus(200, await moderation.request("GET", `/files/${id}`, provider));
  await moderation.acted(operator, id, "hide");
  expectRefused(await moderation.request("GET", `/files/${id}`, provider), 404, "file_not_found");
  expectStatus(200, await moderation.request("GET", `/files/${id}`, buyer));
  expect((await moderation.moderations(buyer)).map(({ act }: { act: string }) => act)).toContain("hide");
  await moderation.acted(operator, id, "restore");
  expectStatus(200, await moderation.request("GET", `/files/${id}`, provider));
});

test("an operator loads a reported file while the report is open, and each link is in the audit log", async () => {
  const { api, buyer, provider } = market;
  const server = await serveApi(api);
  const bytes = Buffer.from("An evil file");
  const upload = async () => {
    const sent = await uploadAtOnce(server.url, buyer, bytes, { filename: "evil.txt" });
    const { reference } = expectStatus(
      200,
      await moderation.request("GET", `/files/${((await sent.json()) as { id: string }).id}`, buyer),
    );
    const body = { text: "See the file.", files: [reference] };
    const { id } = expectStatus(
      201,
      await moderation.request("POST", `/orders/${orderId}/messages`, buyer, body),
    );
    return { messageId: id as string, fileId: reference.file_id as string };
  };
  const askLink = (id: string) => moderation.request("POST", `/operator/files/${id}/link`, operator);
  const load = (url: string) => api.app.request(url.replace(api.config.publicUrl, ""));
  try {
    for (const kind of ["file", "message"] as const) {
      const { messageId, fileId } = await upload();
      const subject = kind === "file" ? fileId : messageId;
      expectRefused(await askLink(fileId), 404, "file_not_found");
      const { id: reportId } = expectStatus(201, await moderation.report(provider, kind, subject));
      const { url } = expectStatus(201, await askLink(fileId));
      expect(Buffer.from(await (await load(url)).arrayBuffer()).equals(bytes)).toBe(true);
      const [entry] = await api.db.select().from(auditEntry).where(eq(auditEntry.target, fileId));
      expect(entry).toMatchObject({
        action: "operator.file_linked",
        accountId: operator.accountId,
        data: { report: reportId, moderation: null },
      });
      const { id: actId } = await moderation.acted(operator, subject, "hide");
      expect((await load(url)).status).toBe(200);
      expectStatus(201, await askLink(fileId));
      await moderation.acted(operator, subject, "restore");
      expect(actId).toMatch(/^mod_/);
      expect((await load(url)).status).toBe(404);
      expectRefused(await askLink(fileId), 404, "file_not_found");
    }
  } finally {
    await server.close();
  }
});
