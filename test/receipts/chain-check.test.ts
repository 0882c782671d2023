import { type Address, createPublicClient, type Hex, http } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { escrowIdOf } from "../../protocol/settlement/terms.ts";
import { type ChainOptions, confirmOnChain } from "../../receipts/chain-check.ts";
import type { SettlementDocument } from "../../receipts/document.ts";
import { signDocument, signX402Receipt } from "../../receipts/sign.ts";
import type { VerifiedDocument } from "../../receipts/verified.ts";
import { verifyReceipt, verifyX402Receipt } from "../../receipts/verify.ts";
import { type Chain, startChain } from "../harness/receipts/chain.ts";
import {
  BUYER,
  hash,
  type Issuer,
  NOW,
  sampleDocument,
  sampleReceipt,
  serve,
  startIssuer,
} from "../harness/receipts/documents.ts";

let issuer: Issuer;
let chain: Chain;
beforeAll(async () => {
  [issuer, chain] = await Promise.all([startIssuer(), startChain()]);
});
afterAll(() => Promise.all([issuer?.close(), chain?.stop()]));

/** Signs a document with this claim, verifies it, and checks the result on the chain. */
const ask = async (fields: Parameters<typeof sampleDocument>[1], options: ChainOptions = {}) =>
  confirmOnChain(await verified(sampleDocument(issuer, fields)), chain.client, options);

async function verified(statement: SettlementDocument): Promise<VerifiedDocument> {
  const signed = signDocument(statement, issuer.key, issuer.did);
  const result = await verifyReceipt(signed, { issuer: issuer.did, now: NOW });
  if (!result.valid) throw new Error(`${result.code}: ${result.message}`);
  return result;
}

describe("a claim that matches the chain", () => {
  test("agrees for each kind of claim", async () => {
    for (const claim of [chain.funded, chain.part, chain.released, chain.refunded]) {
      expect(await ask(claim)).toEqual({ checked: true, agrees: true, confirmations: expect.any(Number) });
    }
  });

  test("agrees for both sides of a split, each with its share", async () => {
    expect(chain.split.released.amount).toBe("1000000");
    expect(chain.split.refunded.amount).toBe("1500000");
    expect(await ask(chain.split.released)).toMatchObject({ agrees: true });
    expect(await ask(chain.split.refunded)).toMatchObject({ agrees: true });
  });

  test("has the escrow's id that the document's terms have under the protocol", () => {
    const {
      buyer,
      provider,
      token,
      agreement_hash,
      terms,
      chain: name,
    } = sampleDocument(issuer, chain.released);
    const id = escrowIdOf(Number(name.slice("eip155:".length)), chain.released.contract as Address, {
      buyer: buyer as Address,
      provider: provider as Address,
      token: token as Address,
      amount: BigInt(terms.amount),
      fundBy: terms.fund_by,
      deliveryWindow: terms.delivery_window,
      acceptanceWindow: terms.acceptance_window,
      disputeWindow: terms.dispute_window,
      appealWindow: terms.appeal_window,
      arbiter: terms.arbiter as Address,
      orderHash: agreement_hash as Hex,
    });
    expect(id).toBe(chain.released.escrow_id);
  });

  test("agrees with a document of version 1, which carries no terms", async () => {
    const {
      $schema: _schema,
      terms: _terms,
      released_so_far: _sum,
      ...fields
    } = sampleDocument(issuer, chain.released);
    const result = await verified({ ...fields, claim: "released", version: 1 });
    expect(await confirmOnChain(result, chain.client)).toMatchObject({ agrees: true });
  });

  test("agrees when the contract is the expected one, in any case of letters", async () => {
    const contract = chain.released.contract.toLowerCase();
    expect(await ask(chain.released, { contract })).toMatchObject({ agrees: true });
  });

  test("agrees once it is as deep as required", async () => {
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

describe("a claim that differs from the chain", () => {
  const cases: [string, string, () => Parameters<typeof sampleDocument>[1]][] = [
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
    [
      "a part called a release",
      "event_mismatch",
      () => ({ ...chain.part, claim: "released", released_so_far: null }),
    ],
    ["another sum of the parts", "amount_mismatch", () => ({ ...chain.part, released_so_far: "1500001" })],
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
  // The escrow's id, the hash of the terms, binds what the event does not name.
  const bound: [string, () => Parameters<typeof sampleDocument>[1]][] = [
    ["another buyer at release", () => ({ ...chain.released, buyer: chain.released.contract })],
    ["another provider at refund", () => ({ ...chain.refunded, provider: chain.refunded.contract })],
    ["another agreement at release", () => ({ ...chain.released, agreement_hash: hash("99") })],
    ...(Object.keys(sampleDocument({ url: "", did: "" }).terms) as Term[]).map(
      (term): (typeof bound)[number] => [
        `another ${term}`,
        () => ({ ...chain.released, terms: { ...chain.released.terms, ...otherTerms(term) } }),
      ],
    ),
  ];
  type Term = keyof Chain["released"]["terms"];
  const otherTerms = (term: Term) =>
    ({ [term]: term === "arbiter" ? BUYER : term === "amount" ? "2500001" : 77 }) as object;

  test.each(bound)("%s: terms_mismatch", async (_what, fields) => {
    expect(await ask(fields())).toMatchObject({ checked: true, agrees: false, code: "terms_mismatch" });
  });

  test("a contract that is not the expected one", async () => {
    const answer = await ask(chain.released, { contract: BUYER });
    expect(answer).toMatchObject({ checked: true, agrees: false, code: "contract_mismatch" });
  });

  /** The log of the token's transfer at the release. */
  const tokenLog = () => (chain.released.log_index === 0 ? 1 : 0);

  test.each(cases)("%s: %s", async (_what, code, fields) => {
    expect(await ask(fields())).toMatchObject({ checked: true, agrees: false, code });
  });

  test.each(["funded", "part", "released", "refunded"] as const)(
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

describe("a claim is not checked on", () => {
  test("another chain", async () => {
    expect(await ask({ ...chain.released, chain: "eip155:1" })).toEqual({
      checked: false,
      code: "wrong_chain",
      message: expect.stringContaining("eip155:31337"),
    });
  });

  test("no node, or one with malformed answers", async () => {
    const nonsense = await serve((_request, response) => response.end("<html>"));
    for (const rpc of ["http://127.0.0.1:1", nonsense.url]) {
      const client = createPublicClient({ transport: http(rpc, { retryCount: 0 }) });
      const answer = await confirmOnChain(await verified(sampleDocument(issuer, chain.released)), client);
      expect(answer).toMatchObject({ checked: false, code: "chain_unreachable" });
    }
    await nonsense.close();
  });

  test("any chain where the document itself is not valid", async () => {
    const good = await verified(sampleDocument(issuer, chain.released));
    const options = { issuer: issuer.did, now: NOW };
    const failure = await verifyReceipt("{}", options);
    const jws = await signX402Receipt(sampleReceipt(issuer), issuer.key, issuer.did);
    const receipt = await verifyX402Receipt(jws, options);
    expect([failure.valid, receipt.valid]).toEqual([false, true]);
    for (const input of [null, undefined, 7, {}, good.document, failure, receipt]) {
      const answer = await confirmOnChain(input as never, chain.client);
      expect(answer).toMatchObject({ checked: false, code: "wrong_kind" });
    }
    const odd = { ...good, document: { ...good.document, amount: "x" } };
    expect(await confirmOnChain(odd, chain.client)).toMatchObject({ checked: false, code: "invalid_shape" });
    expect(await ask(chain.released, { contract: "escrow" })).toMatchObject({
      checked: false,
      code: "invalid_shape",
    });
  });
});

// Comes last, because it rewrites the chain.
test("a claim fails once a reorganisation has removed its transaction", async () => {
  expect(await ask(chain.split.released)).toMatchObject({ agrees: true });
  const head = await chain.client.getBlockNumber();
  const blocks = Number(head) - chain.split.released.block_number + 1;
  await chain.client.request({ method: "anvil_rollback", params: [blocks] } as never);
  const answer = await ask(chain.split.released);
  expect(answer).toMatchObject({ agrees: false, code: "transaction_not_found", confirmations: null });
});
