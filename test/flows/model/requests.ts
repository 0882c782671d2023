import type { LocalAccount } from "viem";
import { zeroHash } from "viem";
import { typedDataOf } from "../../../protocol/settlement/signatures.ts";
import type { RequestOptions, Session } from "../../harness/api.ts";
import { type Case, hashOf, outputOf } from "./case.ts";
import type { ApiAct } from "./rules.ts";

/**
 * An act as a request, with the caller's own signature where one belongs to it.
 *
 * @param caller whose session sends it
 * @param forger signs instead where the act says so
 * @param now unix seconds
 */
export async function requestOf(
  { row, order }: Case,
  act: ApiAct,
  { caller, forger, now }: { caller: Session; forger: LocalAccount; now: number },
): Promise<[method: string, path: string, options: RequestOptions]> {
  const post = (what: string, body?: unknown): [string, string, RequestOptions] => [
    "POST",
    `/orders/${row.id}/${what}`,
    { token: caller.token, body },
  ];
  const escrow = { chainId: row.chainId, escrowContract: row.escrowContract };
  const { escrowId } = row;
  switch (act.kind) {
    case "start":
      return post("start");
    case "deliver":
      return post("deliver", { output_payload: outputOf(order.outputs + 1) });
    case "revise":
      return post("revision", { reason: "Again, please." });
    case "intend":
      return post("dispute-intent", { reason: "It is late." });
    case "signRecord": {
      const deadline = BigInt(order.fundedAt + order.deal.delivery);
      const message = { escrowId, outputHash: hashOf(order.outputs), number: order.records + 1, deadline };
      const data = typedDataOf(escrow, "RecordDelivery", message);
      return post("delivery-record", { signature: await caller.account.signTypedData(data as never) });
    }
    default: {
      const deadline = BigInt(now + 86_400);
      const data = {
        signRelease: () => typedDataOf(escrow, "Release", { escrowId, deadline }),
        signRefund: () => typedDataOf(escrow, "Refund", { escrowId, deadline }),
        signDispute: () => typedDataOf(escrow, "Dispute", { escrowId, reasonHash: zeroHash, deadline }),
      }[act.kind]();
      const signer = act.forged ? forger : caller.account;
      const signature = await signer.signTypedData(data as never);
      return post(data.primaryType.toLowerCase(), { signature, deadline: deadline.toString() });
    }
  }
}
