import { createPublicClient, http } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { confirmOnChain } from "../../receipts/chain.ts";
import type { SettlementDocument } from "../../receipts/document.ts";
import { createSigningKey } from "../../receipts/keys.ts";
import { signDocument } from "../../receipts/sign.ts";
import { type Chain, startChain } from "./chain.fixture.ts";
import { BUYER, hash, KEY_CREATED, sampleDocument, serve } from "./fixtures.ts";

const issuer = { url: "https://market.example", did: "did:web:market.example" };
let chain: Chain;
beforeAll(async () => {
  chain = await startChain();
}, 30_000);
afterAll(() => chain?.stop());

const ask = (fields: Partial<SettlementDocument>, options = {}) =>
  confirmOnChain(sampleDocument(issuer, fields), chain.client, options);

describe("a claim that the chain holds", () => {
  test("agrees for each kind of claim", async () => {
    for (const claim of [chain.funded, chain.released, chain.refunded]) {
      expect(await ask(claim)).toEqual({ checked: true, agrees: true, confirmations: expect.any(Number) });
    }
  });

  test("agrees for both sides of a split, each with its share", async () => {
    expect(chain.split.released.amount).toBe("1000000");
    expect(chain.split.refunded.amount).toBe("1500000");
    expect(await ask(chain.split.released)).toMatchObject({ agrees: true });
    expect(await ask(chain.split.refunded)).toMatchObject({ agrees: true });
  });

  test("agrees with the signed document as it is", async () => {
    const key = createSigningKey("key-1", KEY_CREATED);
    const document = signDocument(sampleDocument(issuer, chain.released), key, issuer.did);
    expect(await confirmOnChain(document, chain.client)).toMatchObject({ agrees: true });
  });

  test("agrees once it is as deep as asked", async () => {
    const now = await ask(chain.split.released);
    if (!now.checked || !now.agrees) throw new Error("It does not agree.");
    const confirmations = now.confirmations + 2;
    expect(await ask(chain.split.released, { confirmations })).toEqual({
      checked: true,
      agrees: false,
      code: "too_few_confirmations",
      message: expect.stringContaining(`${now.confirmations} of ${confirmations}`),
      confirmations: now.confirmations,
    });
    await chain.client.mine({ blocks: 2 });
    expect(await ask(chain.split.released, { confirmations })).toEqual({
      checked: true,
      agrees: true,
      confirmations,
    });
  });
});

describe("a claim that the chain does not hold", () => {
  const cases: [string, string, () => Partial<SettlementDocument>][] = [
    [
      "an unknown transaction",
      "transaction_not_found",
      () => ({ ...chain.released, transaction: hash("99") }),
    ],
    [
      "a failed transaction",
      "transaction_reverted",
      () => ({ ...chain.released, transaction: chain.failed.transactionHash }),
    ],
    ["another block number", "block_mismatch", () => ({ ...chain.released, block_number: 1 })],
    ["another block hash", "block_mismatch", () => ({ ...chain.released, block_hash: hash("99") })],
    ["a log that is not there", "log_not_found", () => ({ ...chain.released, log_index: 999 })],
    ["another contract's log", "contract_mismatch", () => ({ ...chain.released, contract: BUYER })],
    [
      "the token's own log",
      "event_mismatch",
      () => ({ ...chain.released, contract: chain.released.token, log_index: tokenLog() }),
    ],
    ["another event of the escrow", "event_mismatch", () => ({ ...chain.funded, claim: "released" })],
    ["a refund called a release", "event_mismatch", () => ({ ...chain.refunded, claim: "released" })],
    [
      "the other log of a split",
      "event_mismatch",
      () => ({ ...chain.split.released, log_index: chain.split.refunded.log_index }),
    ],
    ["another agreement", "agreement_mismatch", () => ({ ...chain.funded, agreement_hash: hash("99") })],
    ["another buyer at funding", "party_mismatch", () => ({ ...chain.funded, buyer: chain.funded.contract })],
    [
      "another provider at funding",
      "party_mismatch",
      () => ({ ...chain.funded, provider: chain.funded.contract }),
    ],
    [
      "another provider at release",
      "party_mismatch",
      () => ({ ...chain.released, provider: chain.released.contract }),
    ],
    [
      "another buyer at refund",
      "party_mismatch",
      () => ({ ...chain.refunded, buyer: chain.refunded.contract }),
    ],
  ];
  /** The log of the token's transfer that came with the release. */
  const tokenLog = () => (chain.released.log_index === 0 ? 1 : 0);

  test.each(cases)("%s: %s", async (_what, code, fields) => {
    expect(await ask(fields())).toMatchObject({ checked: true, agrees: false, code });
  });

  test.each(["funded", "released", "refunded"] as const)(
    "%s of another escrow, token or amount",
    async (claim) => {
      const good = chain[claim];
      expect(await ask({ ...good, escrow_id: hash("99") })).toMatchObject({
        agrees: false,
        code: "escrow_mismatch",
      });
      expect(await ask({ ...good, token: good.contract })).toMatchObject({
        agrees: false,
        code: "token_mismatch",
      });
      expect(await ask({ ...good, amount: "2500001" })).toMatchObject({
        agrees: false,
        code: "amount_mismatch",
      });
    },
  );
});

describe("a chain that was not asked", () => {
  test("another chain", async () => {
    expect(await ask({ ...chain.released, chain: "eip155:1" })).toEqual({
      checked: false,
      code: "wrong_chain",
      message: expect.stringContaining("eip155:31337"),
    });
  });

  test("no node, or one that answers nonsense", async () => {
    const nonsense = await serve((_request, response) => response.end("<html>"));
    for (const rpc of ["http://127.0.0.1:1", nonsense.url]) {
      const client = createPublicClient({ transport: http(rpc, { retryCount: 0 }) });
      const answer = await confirmOnChain(sampleDocument(issuer, chain.released), client);
      expect(answer).toMatchObject({ checked: false, code: "chain_unreachable" });
    }
    await nonsense.close();
  });

  test("for what is no settlement document", async () => {
    for (const input of [null, undefined, 7, {}, { ...sampleDocument(issuer), amount: "x" }]) {
      expect(await confirmOnChain(input as never, chain.client)).toMatchObject({
        checked: false,
        code: "invalid_shape",
      });
    }
  });
});

// Last, since it rewrites the chain.
test("a claim agrees no more once a reorg has taken its transaction out of the chain", async () => {
  expect(await ask(chain.split.released)).toMatchObject({ agrees: true });
  const head = await chain.client.getBlockNumber();
  const blocks = Number(head) - chain.split.released.block_number + 1;
  await chain.client.request({ method: "anvil_rollback", params: [blocks] } as never);
  const answer = await ask(chain.split.released);
  expect(answer).toMatchObject({ agrees: false, code: "transaction_not_found", confirmations: null });
});
