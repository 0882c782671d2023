import {
  type Address,
  getAddress,
  type Hex,
  parseEventLogs,
  type TransactionReceipt,
  zeroAddress,
  zeroHash,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { vi } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import { testUsdAbi } from "../../../abis/testUsd.ts";
import { foldOutcomes } from "../../../protocol/reputation/agent-record.ts";
import { outcomesRootOf } from "../../../protocol/reputation/outcomes-root.ts";
import type { Counterparty, Outcome } from "../../../protocol/reputation/public-outcome.ts";
import { scoreOf, sumCounterparties, weightOf } from "../../../protocol/reputation/score.ts";
import { releasedVolume } from "../../../protocol/reputation/volume.ts";
import type { ServedChain } from "../../../protocol/settlement/served-chains.ts";
import { escrowIdOf, vouchersOnly } from "../../../protocol/settlement/terms.ts";
import type { Claim } from "../../../protocol/settlement/vocabulary.ts";
import { issuerOf } from "../../../receipts/issuer.ts";
import type { RecordStatement } from "../../../receipts/record-statement.ts";
import { signDocument, signRecordStatement, signStatusList } from "../../../receipts/sign.ts";
import { createSigningKey, didDocumentOf } from "../../../receipts/signing-keys.ts";
import { forkChain } from "../chain.ts";
import { KEY_CREATED, sampleDocument, sampleRecord, sampleStatusList, serve } from "../receipts/documents.ts";

/** The answers of an installation, before they are served. */
export type PublishedRecord = {
  outcomes: Outcome[];
  /** The values of the other agent. */
  elsewhere: Outcome[];
  /** chains that it serves besides its own */
  chains: ServedChain[];
  counterparties: Pick<Counterparty, "counterparty" | "wallets" | "wallet_since" | "other_providers">[];
  same_wallet: string[];
};

type Ending = "released" | "declined" | "lost" | "unused";

/**
 * Serves an installation's public data over HTTP, of orders that were settled on a chain of its own. One of
 * the agent's buyers paid another provider too, and another agent is paid at the same wallet. One order is a session
 * without a call, and another wallet than the buyer's paid one.
 */
export async function startInstallation() {
  const chain = await forkChain();
  const { escrow_contract: contract, token, chain_id: chainId } = chain.chain;
  const newAccount = async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    await chain.fund(account);
    return account;
  };
  type Wallet = Awaited<ReturnType<typeof newAccount>>;
  const [provider, other, arbiter] = [await newAccount(), await newAccount(), await newAccount()];
  const key = createSigningKey("key-1", KEY_CREATED);

  const call = { address: contract, abi: escrowAbi, gas: 1_000_000n } as const;
  const mined = async (hash: Promise<Hex>) =>
    chain.publicClient.waitForTransactionReceipt({ hash: await hash });
  const timeOf = async ({ blockNumber }: TransactionReceipt) =>
    new Date(Number((await chain.publicClient.getBlock({ blockNumber })).timestamp) * 1000).toISOString();

  const documents = new Map<string, unknown>();
  let number = 0;

  /** Takes an order from its funding to its end, with its receipts and its line. */
  async function settle(
    buyer: Wallet,
    of: Wallet,
    ending: Ending,
    counterparty = "c1",
    paying = buyer,
  ): Promise<Outcome> {
    const isSession = ending === "unused";
    const orderHash = `0x${(++number).toString(16).padStart(64, "a")}` as Hex;
    const { timestamp } = await chain.publicClient.getBlock();
    const terms = {
      buyer: buyer.address,
      provider: of.address,
      token: token.address,
      amount: 5_000_000n,
      fundBy: Number(timestamp) + 3600,
      deliveryWindow: 3600,
      acceptanceWindow: isSession ? vouchersOnly : 3600,
      disputeWindow: 3600,
      appealWindow: 1,
      arbiter: isSession ? zeroAddress : arbiter.address,
      orderHash,
    };
    const [payer, payee, arbiterWallet] = [chain.wallet(paying), chain.wallet(of), chain.wallet(arbiter)];
    const buying = chain.wallet(buyer);
    const approval = { address: token.address, abi: testUsdAbi, functionName: "approve" } as const;
    await mined(payer.writeContract({ ...approval, args: [contract, terms.amount] }));
    const funded = await mined(payer.writeContract({ ...call, functionName: "createEscrow", args: [terms] }));
    let disputed: TransactionReceipt | null = null;
    let ended: TransactionReceipt;
    if (ending === "released") {
      ended = await mined(buying.writeContract({ ...call, functionName: "release", args: [terms] }));
    } else if (ending === "declined" || isSession) {
      ended = await mined(payee.writeContract({ ...call, functionName: "refund", args: [terms] }));
    } else {
      disputed = await mined(
        payer.writeContract({ ...call, functionName: "dispute", args: [terms, zeroHash] }),
      );
      await mined(
        arbiterWallet.writeContract({ ...call, functionName: "decideDispute", args: [terms, 0n, zeroHash] }),
      );
      await chain.node.increaseTime({ seconds: 2 });
      ended = await mined(payer.writeContract({ ...call, functionName: "settleDispute", args: [terms] }));
    }
    const claim = ending === "released" ? "released" : "refunded";
    const order_id = `ord_${number}`;
    const escrow_id = escrowIdOf(chainId, contract, terms);
    const sign = (claim: Claim, receipt: TransactionReceipt) => {
      const eventName = { funded: "EscrowCreated", released: "Released", refunded: "Refunded" } as const;
      const [log] = parseEventLogs({ abi: escrowAbi, eventName: eventName[claim], logs: receipt.logs });
      const id = `rcp_${number}${claim}`;
      const document = sampleDocument(issuer, {
        id: `${issuer.url}/api/v1/receipts/${id}`,
        issued_at: new Date().toISOString(),
        order_id,
        agreement_hash: orderHash,
        claim,
        chain: `eip155:${chainId}`,
        contract,
        escrow_id,
        transaction: receipt.transactionHash,
        block_number: Number(receipt.blockNumber),
        block_hash: receipt.blockHash,
        log_index: log?.logIndex ?? 0,
        amount: String(terms.amount),
        buyer: buyer.address,
        provider: of.address,
        token: token.address,
        output_hash: null,
        terms: {
          amount: String(terms.amount),
          fund_by: terms.fundBy,
          delivery_window: 3600,
          acceptance_window: terms.acceptanceWindow,
          dispute_window: 3600,
          appeal_window: 1,
          arbiter: terms.arbiter,
        },
      });
      documents.set(id, signDocument(document, key, issuer.did));
      return id;
    };
    const [funded_at, settled_at] = [await timeOf(funded), await timeOf(ended)];
    return {
      order_id,
      service: "translation",
      chain: `eip155:${chainId}`,
      contract,
      escrow_id,
      provider: of.address,
      buyer: buyer.address,
      wallet: paying.address,
      token: token.address,
      token_decimals: token.decimals,
      currency: token.symbol,
      amount: String(terms.amount),
      released: ending === "released" ? String(terms.amount) : "0",
      refunded: ending === "released" ? "0" : String(terms.amount),
      receipts: [sign("funded", funded), sign(claim, ended)],
      funded_at,
      settled_at,
      recorded_at: new Date().toISOString(),
      promised_seconds: 3600,
      delivered_at: ending === "released" ? settled_at : null,
      ended: ({ released: "released", declined: "declined", lost: "refunded", unused: "metered" } as const)[
        ending
      ],
      dispute: disputed ? "buyer" : null,
      disputed_by: disputed ? "buyer" : null,
      disputed_at: disputed ? await timeOf(disputed) : null,
      counterparty,
      apart: null,
      unchecked: false,
    };
  }

  let answers = new Map<string, unknown>();
  const server = await serve((request, response) => {
    const path = (request.url ?? "").replace("/api/v1", "").replace(/\?.*/, "");
    const body = path.startsWith("/receipts/")
      ? { document: documents.get(path.slice("/receipts/".length)) }
      : answers.get(path);
    response
      .writeHead(body ? 200 : 404, { "content-type": "application/json" })
      .end(JSON.stringify(body ?? {}));
  });
  const issuer = { url: server.url, did: issuerOf(server.url) };

  const [first, second, third] = [await newAccount(), await newAccount(), await newAccount()];
  for (const wallet of [await newAccount(), await newAccount(), await newAccount(), first]) {
    await settle(wallet, other, "released");
  }
  const since = (await chain.publicClient.getBlock()).timestamp;
  const outcomes = [
    await settle(first, provider, "released", "c1"),
    await settle(second, provider, "released", "c2"),
    await settle(third, provider, "lost", "c3"),
    await settle(first, provider, "declined", "c1"),
  ];
  const elsewhere = [await settle(second, provider, "released", "c1")];
  const [fourth, fifth, payer] = [await newAccount(), await newAccount(), await newAccount()];
  outcomes.push(await settle(fourth, provider, "unused", "c4"));
  outcomes.push(await settle(fifth, provider, "released", "c5", payer));
  const walletSince = (wallet: Address, at: string) => ({ wallets: [wallet], wallet_since: at });
  const counterparties = [
    { ...walletSince(first.address, new Date(Number(since) * 1000).toISOString()), other_providers: 1 },
    { ...walletSince(second.address, outcomes[1]?.funded_at ?? ""), other_providers: 0 },
    { ...walletSince(third.address, outcomes[2]?.funded_at ?? ""), other_providers: 0 },
    { ...walletSince(fourth.address, outcomes[4]?.funded_at ?? ""), other_providers: 0 },
    { ...walletSince(payer.address, outcomes[5]?.funded_at ?? ""), other_providers: 0 },
  ].map((facts, index) => ({ counterparty: `c${index + 1}`, ...facts }));
  const honest: PublishedRecord = {
    outcomes,
    elsewhere,
    chains: [],
    counterparties,
    same_wallet: ["proofreader"],
  };

  /** Serves an installation's answers: numbers that follow from its lines, and then these changes. */
  function say(
    published: PublishedRecord,
    change: (record: { score: { value: number }; ever: { orders: number } }) => void = () => {},
    state: (statement: RecordStatement) => void = () => {},
  ) {
    const as_of = new Date().toISOString();
    const lines: Counterparty[] = published.counterparties.map((facts) => {
      const own = published.outcomes.filter((line) => line.counterparty === facts.counterparty);
      const [sums] = sumCounterparties(own, [facts]);
      if (!sums) throw new Error(`${facts.counterparty} has no outcome.`);
      return {
        ...facts,
        orders: own.length,
        paid: releasedVolume(own),
        first_funded_at: sums.first_funded_at.toISOString(),
        last_settled_at:
          own
            .map(({ settled_at }) => settled_at)
            .toSorted()
            .at(-1) ?? "",
        weight: weightOf(sums),
      };
    });
    const score = scoreOf(sumCounterparties(published.outcomes, published.counterparties), new Date(as_of));
    const numbers = { score, ...foldOutcomes(published.outcomes, new Date(as_of)) };
    const record = structuredClone({
      agent: "translator",
      as_of,
      ...numbers,
      same_wallet: published.same_wallet,
      services: [{ slug: "translation", ...numbers }],
    });
    const statement = sampleRecord(issuer, {
      issued_at: as_of,
      as_of,
      ...structuredClone(numbers),
      agent: { id: "agt_1", slug: "translator", name: "Translator", wallets: [provider.address] },
      valid_until: new Date(Date.parse(as_of) + 86_400_000).toISOString(),
      outcomes_root: outcomesRootOf(published.outcomes),
    });
    state(statement);
    change(record);
    const page = <T>(items: T[]) => ({ items, next_cursor: null });
    answers = new Map<string, unknown>([
      ["/.well-known/did.json", didDocumentOf(issuer.did, [key])],
      ["/.well-known/earnest-receipt-status.json", signStatusList(sampleStatusList(issuer), key, issuer.did)],
      ["/agents/translator", { payout_wallet: provider.address }],
      [
        "/chains",
        {
          items: [
            { chain_id: chainId, network_name: "Local chain", escrow_contract: contract },
            ...published.chains,
          ],
        },
      ],
      ["/agents/translator/record", record],
      ["/agents/translator/record/outcomes", page(published.outcomes)],
      ["/agents/translator/record/counterparties", page(lines)],
      ["/agents/translator/record/statement", signRecordStatement(statement, key, issuer.did)],
      ["/agents/proofreader/record/outcomes", page(published.elsewhere)],
    ]);
  }

  // Blocks that are mined fast are ahead of the clock, so a record of now would not include them.
  const newest = await chain.publicClient.getBlock();
  await vi.waitUntil(() => Date.now() > Number(newest.timestamp + 1n) * 1000, { timeout: 120_000 });
  return {
    /** Returns the settlement document of an order's end, as its buyer stores it. */
    keep: ({ receipts }: Outcome) => JSON.stringify(documents.get(receipts.at(-1) ?? "")),
    chain,
    honest,
    say,
    url: server.url,
    rpc: chain.rpcUrl,
    provider: getAddress(provider.address),
    /** Makes the provider send a buyer tokens. */
    sendTokens: async (to: Address, amount: bigint) =>
      mined(
        chain.wallet(provider).writeContract({
          address: token.address,
          abi: testUsdAbi,
          functionName: "transfer",
          args: [to, amount],
        }),
      ),
    close: () => Promise.all([server.close(), chain.close()]),
  };
}
