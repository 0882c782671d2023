import type { Address, PublicClient } from "viem";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { balanceCall, owedCall, readAmounts } from "../../trade/contract-amounts.ts";
import { callWithBreaker } from "../../trade/node-breaker.ts";
import { Refusal } from "../../trade/refusal.ts";

/** The reasons for which a figure is not known. */
export const unknownReasons = ["busy", "slow", "unreachable", "refused"] as const;
export type UnknownReason = (typeof unknownReasons)[number];

/** An amount of an address: its native coin, its balance of a token, or what the escrow contract owes it in a token. */
export type NodeAmount =
  | { kind: "native"; holder: Address }
  | { kind: "balance" | "owed"; holder: Address; token: Address };

/** Base units, or why they are not known. */
export type NodeReading = bigint | UnknownReason;

/** The source of figures: a token, or the node with the escrow contract. */
type Source = { client: PublicClient };

/**
 * Returns the reader of a chain's figures. Those of each token are read apart, so a token that fails, burns its gas or takes
 * the node's time spoils no figure of another token. A source that did not answer in time gets no question for some seconds.
 *
 * @param client the client of tokens. It does not batch, so that no token's answer waits for another's
 * @param batching the client of the other figures
 */
export function createFigureReader(
  escrowContract: Address,
  { client, batching }: { client: PublicClient; batching: PublicClient },
) {
  const own: Source = { client: batching };
  const ofTokens = new Map<string, Source>();

  /** Returns the readings once each source has answered or its time is over. */
  return async (figures: readonly NodeAmount[]): Promise<NodeReading[]> => {
    const readings: NodeReading[] = new Array(figures.length);
    const places = figures.map((figure, at) => ({ figure, at }));
    await Promise.all(
      [...Map.groupBy(places, ({ figure }) => sourceOf(figure))].map(async ([source, group]) => {
        const found = await readFrom(
          source,
          group.map(({ figure }) => figure),
        );
        for (const [index, { at }] of group.entries()) readings[at] = found[index] ?? "refused";
      }),
    );
    return readings;
  };

  function sourceOf(figure: NodeAmount): Source {
    if (figure.kind !== "balance") return own;
    const token = figure.token.toLowerCase();
    const source = ofTokens.get(token) ?? { client };
    ofTokens.set(token, source);
    return source;
  }

  async function readFrom(source: Source, figures: readonly NodeAmount[]): Promise<NodeReading[]> {
    try {
      return await callWithBreaker(source, () => readAll(source, figures));
    } catch (error) {
      const reason = error instanceof Refusal && error.cause === undefined ? "slow" : "unreachable";
      return figures.map(() => reason);
    }
  }

  async function readAll({ client }: Source, figures: readonly NodeAmount[]): Promise<NodeReading[]> {
    const amounts = figures.flatMap((figure) => (figure.kind === "native" ? [] : [callOf(figure)]));
    const [natives, found] = await Promise.all([
      Promise.all(
        figures.map((figure) =>
          figure.kind === "native" ? client.getBalance({ address: figure.holder }) : null,
        ),
      ),
      readAmounts(client, amounts),
    ]);
    const answers = found.values();
    return natives.map((native) => {
      if (native !== null) return native;
      const { value: answer } = answers.next();
      if (answer?.status === "fulfilled") return answer.value;
      return isContractAnswer(answer?.reason) ? "refused" : "unreachable";
    });
  }

  function callOf({ kind, holder, token }: Exclude<NodeAmount, { kind: "native" }>) {
    return kind === "owed" ? owedCall(escrowContract, { payee: holder, token }) : balanceCall(token, holder);
  }
}
