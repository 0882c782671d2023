import { join } from "node:path";
import { type HeldSessions, type HeldWallet, type ReadOrder, RefusedCall } from "../mcp/tool-context.ts";
import { compareKnown } from "../src/buying/agreement-check.ts";
import { Signer } from "../src/buying/wallet.ts";
import type { CallAnswer } from "../src/sessions/caller.ts";
import { KeyedFile } from "../src/sessions/keyed-file.ts";
import { continueSession } from "../src/sessions/open-session.ts";
import { isPrivateService } from "../src/sessions/public-addresses.ts";

/** The key in a session's file of the newest call's intent. */
const intentKey = "intent";
type Intent = { name: string; spentBefore: string };

/**
 * Keeps the sessions that an assistant calls, each in a file of its order.
 *
 * @param baseUrl the service's URL
 */
export function openHeldSessions(folder: string, held: HeldWallet, baseUrl: string): HeldSessions {
  const calling = { wallet: held.wallet, nodes: held.nodes, allowPrivate: isPrivateService(baseUrl) };
  return {
    call: (read, input, intent) =>
      withSession(read, async (session, file) => {
        const balance = session.balance;
        const kept = file.get(intentKey) as Intent | undefined;
        // A repeated intent gets the answer that it has paid for.
        const repeated = kept?.name === intent && session.spent > BigInt(kept.spentBefore);
        if (repeated) {
          const answer = await session.repeatLast();
          if (answer) return { answer, balance };
        }
        file.put(intentKey, { name: intent, spentBefore: String(session.spent) } satisfies Intent);
        return { answer: (await session.call(input)) as CallAnswer, balance };
      }),
    close: (read) =>
      withSession(read, async (session) => {
        const { spent } = session;
        await session.close();
        return spent;
      }),
  };

  /** Opens the file of one order for one act, so that other programs of this machine can use it in between. */
  async function withSession<Result>(
    { order, agreed }: ReadOrder,
    act: (session: Awaited<ReturnType<typeof continueSession>>, file: KeyedFile) => Promise<Result>,
  ): Promise<Result> {
    if (order.pricing_model !== "per_call" || order.status !== "funded") {
      const reason = `${order.id} is no open session: its pricing model is ${order.pricing_model}, and it is ${order.status}.`;
      throw new RefusedCall(
        "invalid_state",
        `${reason} Pay the order of a per_call service by pay_order first.`,
      );
    }
    if (agreed.terms.buyer.toLowerCase() !== held.address.toLowerCase()) {
      throw new RefusedCall(
        "wrong_wallet",
        `The buyer of ${order.id} is ${agreed.terms.buyer}, not ${held.address}.`,
      );
    }
    const signer = await new Signer(held.wallet, held.nodes).on(agreed.chainId);
    await compareKnown(agreed, signer.node, held.tokens ? { tokens: held.tokens } : {});
    const file = await KeyedFile.open(join(folder, `${order.id}.jsonl`));
    try {
      return await act(continueSession(agreed, order.delivery_deadline, file, calling), file);
    } finally {
      file.close();
    }
  }
}
