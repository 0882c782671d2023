import { expect, onTestFinished, test } from "vitest";
import { Signer } from "../src/buying/wallet.ts";
import { Earnest } from "../src/index.ts";
import { DueCloses } from "../src/sessions/due-closes.ts";
import type { ProviderSession } from "../src/sessions/provider-session.ts";
import { buyer, startEndpoint, termsOf } from "./sessions.fixture.ts";

test("a session closes if it is idle, if its deadline is near, or if its buyer asks", async () => {
  const hour = 3_600_000;
  const [idle, late, asked, used] = [
    termsOf(),
    termsOf({ endsAt: Date.now() + hour / 20 }),
    termsOf(),
    termsOf(),
  ];
  const { sessions, stop } = await startEndpoint([idle, late, asked, used], () => "done");
  onTestFinished(stop);
  const ending = new AbortController();
  const closes = new DueCloses({
    // No service answers at this address, so no session is over.
    client: new Earnest({ baseUrl: "http://127.0.0.1:1", maxRetries: 0 }),
    signer: new Signer(buyer),
    sessions,
    idleMs: hour,
    signal: ending.signal,
    forget: (escrowId) => expect.unreachable(escrowId),
  });
  const held = [idle, late, asked, used].map(({ escrowId }) => sessions.get(escrowId) as ProviderSession);
  for (const session of held) {
    if (session.terms === idle) session.usedAt -= 2 * hour;
    if (session.terms === asked) closes.closeSoon(session);
  }
  const running = closes.run();
  ending.abort();
  await running;
  expect(held.map((session) => session.isClosing)).toEqual([true, true, true, false]);
});

test("a request to close a session that is over leaves nothing to wait for", async () => {
  const terms = termsOf();
  const { sessions, stop } = await startEndpoint([terms], () => "done");
  onTestFinished(stop);
  const closes = new DueCloses({
    client: new Earnest({ baseUrl: "http://127.0.0.1:1", maxRetries: 0 }),
    signer: new Signer(buyer),
    sessions: new Map(),
    signal: AbortSignal.timeout(60_000),
    forget: (escrowId) => expect.unreachable(escrowId),
  });
  closes.closeSoon(sessions.get(terms.escrowId) as ProviderSession);
  const began = performance.now();
  await closes.closeAll();
  expect(performance.now() - began).toBeLessThan(10_000);
});
