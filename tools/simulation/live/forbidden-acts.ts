import { type Address, encodeFunctionData, erc20Abi } from "viem";
import { z } from "zod";
import type { Random } from "../random.ts";
import type { SimulatedChain } from "./chain.ts";
import { codeOf, type Person } from "./people.ts";
import { optionsSchema, type PlannedOrder } from "./planned-orders.ts";

/** Tries actions of an outsider on an order, which must all fail. Returns those that succeeded. */
export async function tryForbiddenActs(
  outsider: Person,
  planned: PlannedOrder,
  chain: SimulatedChain,
  random: Random,
): Promise<string | null> {
  if (!planned.orderId) return null;
  const path = `/orders/${planned.orderId}`;
  const refused = async (method: string, rest: string, body?: unknown) => {
    const answer = await outsider.ask(method, `${path}${rest}`, body);
    return !answer || codeOf(answer.body) === "not_found"
      ? null
      : `an outsider's ${method} ${path}${rest} was answered ${answer.status}`;
  };
  const tries = [
    () => refused("GET", ""),
    () => refused("GET", "/events"),
    () => refused("POST", "/start"),
    () => refused("POST", "/deliver", { output_payload: { text: "nothing" } }),
    async () => {
      // A transfer to the deposit address pays the order, or goes back to the buyer.
      const read = await planned.buyer.ask("GET", path);
      const { escrow } = z.object({ escrow: z.object({ deposit_address: z.string() }) }).parse(read?.body);
      const args = [escrow.deposit_address as Address, 1_000_000n] as const;
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
      await outsider.send({ to: chain.manifest.token.address, data });
      return null;
    },
    async () => {
      const read = await planned.buyer.ask("GET", `${path}/settlement-options`);
      const { actions } = optionsSchema.parse(read?.body);
      // The contract refuses the call, unless a deadline has passed that opens it to anyone.
      const call = actions.find(({ action }) => action === random.pick(["release", "refund"]))?.call;
      if (call) await outsider.send(call);
      return null;
    },
  ];
  return random
    .pick(tries)()
    .catch(() => null);
}
