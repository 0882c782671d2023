import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { event } from "../../../db/schema.ts";
import { grantOperator } from "../../../trade/moderation/operators.ts";
import { type Answer, expectStatus, type Session, signIn, type TestApi } from "../api.ts";

/** Signs an operator in. */
export async function signInOperator(api: TestApi): Promise<Session> {
  const who = await signIn(api);
  await grantOperator(api.db, { address: who.account.address, chainId: null });
  return who;
}

/** The reports, acts and appeals of a market's people. */
export function createModeration(api: TestApi) {
  const request = (method: string, path: string, who: Session, body?: unknown) =>
    api.request(method, path, { token: who.token, body });
  const act = (who: Session, id: string, body: unknown) =>
    request("POST", `/operator/subjects/${id}/acts`, who, body);
  return {
    request,
    act,
    /** Acts as an operator, who must be allowed to. */
    async acted(who: Session, id: string, name: string, more: Record<string, unknown> = {}) {
      return expectStatus(201, await act(who, id, { act: name, reason: "It breaks the rules.", ...more }));
    },
    report: (who: Session, kind: string, id: string, text: unknown = "It is a fraud.") =>
      request("POST", "/reports", who, { subject: { kind, id }, reason: "fraud", text }),
    queue: async (who: Session, query = "") =>
      expectStatus(200, await request("GET", `/operator/subjects${query}`, who)),
    subject: async (who: Session, id: string) =>
      expectStatus(200, await request("GET", `/operator/subjects/${id}`, who)),
    moderations: async (who: Session) => expectStatus(200, await request("GET", "/moderations", who)).items,
    async eventsOf(who: Session, type: string) {
      const rows = await api.db.select().from(event).where(eq(event.accountId, who.accountId));
      return rows.filter((row) => row.type === type);
    },
  };
}

/** Asserts a refusal with this status and code. */
export function expectRefused(answer: Answer, status: number, code: string, message?: RegExp): void {
  expect([answer.status, answer.body.error?.code], JSON.stringify(answer.body)).toEqual([status, code]);
  if (message) expect(answer.body.error.message).toMatch(message);
}
