import { afterAll, beforeAll, expect, test } from "vitest";
import { expectStatus, type Session } from "../../harness/api.ts";
import { writeReadyFile } from "../../harness/files/ready-file.ts";
import { type Court, createCourt, placeDisputed, readDispute } from "../../harness/market/court.ts";
import { ask, settleNow } from "../../harness/market/market.ts";
import { expectRefused } from "../../harness/market/reviews.ts";

let court: Court;
beforeAll(async () => {
  court = await createCourt();
});
afterAll(() => court?.api.close());

const say = (who: Session, id: string, body: unknown) =>
  ask(court, who, "POST", `/orders/${id}/dispute/statements`, body);
const upload = (who: Session) => writeReadyFile(court.api.db, who.accountId);

test("uploaded evidence is in the folder, in the bundle with its hash, and readable by all three", async () => {
  const { api, buyer, provider, arbiter, outsider } = court;
  const { id } = await placeDisputed(court);
  const [one, other] = [await upload(buyer), await upload(provider)];
  const statement = expectStatus(201, await say(buyer, id, { text: "Page 3.", files: [one] }));
  expect(statement.files).toEqual([one]);
  expect(expectStatus(201, await say(buyer, id, { text: "Page 3.", files: [one] })).id).toBe(statement.id);
  expectStatus(201, await say(provider, id, { text: "No.", files: [other] }));
  expectRefused(
    await say(provider, id, { text: "Yours.", files: [await upload(outsider)] }),
    404,
    "file_not_found",
  );
  const { folder, evidence } = await readDispute(court, arbiter, id);
  expect(folder).toMatchObject({
    files: [
      { file: one, by: "buyer", statement_id: statement.id },
      { file: other, by: "provider" },
    ],
    sealed_at: null,
  });
  expect(JSON.stringify(evidence.bundle.trail)).toContain(one.sha256);
  for (const who of [buyer, provider, arbiter]) {
    expectStatus(200, await api.request("GET", `/files/${one.file_id}`, { token: who.token }));
  }
  expectRefused(
    await api.request("GET", `/files/${one.file_id}`, { token: outsider.token }),
    404,
    "file_not_found",
  );
  // Nobody deletes evidence, not even before the decision.
  const deleted = await api.request("DELETE", `/files/${one.file_id}`, { token: buyer.token });
  expect(deleted.status).toBe(409);
});

test("the decision seals the folder: no file is added after it, and none goes", async () => {
  const { api, buyer, provider } = court;
  const { id, chain } = await placeDisputed(court);
  const [one, late] = [await upload(buyer), await upload(provider)];
  expectStatus(201, await say(buyer, id, { text: "Page 3.", files: [one] }));
  await chain.decided(0n);
  await settleNow(court);
  expectRefused(await say(provider, id, { text: "Late.", files: [late] }), 409, "invalid_state", /sealed/);
  const hashed = { name: "late.png", sha256: `0x${"5e".repeat(32)}` };
  expectRefused(
    await say(provider, id, { text: "Late.", attachments: [hashed] }),
    409,
    "invalid_state",
    /sealed/,
  );
  expectStatus(201, await say(provider, id, { text: "I disagree." }));
  const { folder } = await readDispute(court, buyer, id);
  expect(folder).toMatchObject({ files: [{ file: one }], sealed_at: expect.any(String) });
  expect((await api.request("DELETE", `/files/${one.file_id}`, { token: buyer.token })).status).toBe(409);
});
