import { z } from "@hono/zod-openapi";
import { type Address, type Hex, maxUint256, parseAbi } from "viem";
import type { Transaction } from "../db/client.ts";
import { lockOrder, type OrderRow } from "../db/ledger.ts";
import { BudgetSpentError, findRelay, type NewRelay, queueRelay, type RelayRow } from "../db/relays.ts";
import { formatAmount } from "../settlement/money.ts";
import { digestToSign, readKeySignature, type TypedData } from "../settlement/signatures.ts";
import type { Context } from "./context.ts";
import { ApiError, refuseField } from "./errors.ts";
import { isContractAnswer } from "./outages.ts";

/** Bytes of a signature; contract wallets' are longer than a key's 65. */
export const signatureSchema = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})+$/, "must be 0x-hex of whole bytes")
  .max(2 + 2 * 8192)
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({
    type: "string",
    description: "the wallet's signature of the typed data, 0x-hex",
    example: `0x${"5a".repeat(64)}1b`,
  });

/** The deadline that was signed. */
export const deadlineSchema = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, "must be unix seconds as a decimal string")
  // Only what is a number comes here: a check beside the pattern would be asked of any text.
  .transform(BigInt)
  .refine((deadline) => deadline <= maxUint256, "must fit in 256 bits")
  .openapi({
    type: "string",
    description: "the `deadline` of the typed data that was signed, unix seconds",
    example: "1795343400",
  });

/** @throws ApiError `invalid_request` when the deadline that was signed is over; both in unix seconds */
export function requireDeadline(deadline: bigint, now: bigint): void {
  if (deadline >= now) return;
  throw refuseField(
    "deadline",
    "deadline",
    "The deadline that was signed is over: read the typed data again and sign it.",
  );
}

export const relaySchema = z
  .object({
    id: z.string(),
    status: z.enum(["queued", "signed", "mined", "failed"]).openapi({
      description:
        "`signed`: on its way; `mined`: deep enough to count; `failed`: the contract refused it, and the same request starts it again",
    }),
    transaction_hash: z.string().nullable(),
    error: z.string().nullable(),
  })
  .openapi("Relay");

/** A call that our key sends for a party. */
export function presentRelay(row: RelayRow): z.output<typeof relaySchema> {
  return { id: row.id, status: row.status, transaction_hash: row.transactionHash, error: row.error };
}

/**
 * Queues an order's call that a party signed, on the account's budget. The same intent again gives the relay that
 * stands, at no cost; see `queueRelay`.
 *
 * @param tx the transaction of whatever belongs to it; a refusal leaves nothing queued
 * @throws ApiError `rate_limited` when the account's relays of the hour are used up, or those of all together, `invalid_state` when the order
 *   is too small to be relayed for free
 */
export async function queuePartyRelay(
  context: Context,
  tx: Transaction,
  caller: { accountId: string },
  row: OrderRow,
  call: Pick<NewRelay, "intent" | "to" | "data">,
): Promise<RelayRow> {
  const standing = await findRelay(tx, call.intent);
  if (standing && standing.status !== "failed") return standing;
  const refusal = refuseFreeRelay(context, row);
  if (refusal) throw new ApiError("invalid_state", refusal);
  // The order before the budget, as whoever holds the order already does: the other way round two of them would stick.
  await lockOrder(tx, row.id);
  const perHour = context.config.relaysPerHour;
  const perHourOfAll = context.chain(row.chainId)?.chain.relays_per_hour;
  try {
    return await queueRelay(
      tx,
      { ...call, chainId: row.chainId, orderId: row.id },
      { accountId: caller.accountId, perHour, ...(perHourOfAll ? { perHourOfAll } : {}) },
    );
  } catch (error) {
    if (!(error instanceof BudgetSpentError)) throw error;
    const spent =
      error.whose === "account"
        ? `The service pays for ${perHour} relayed calls of an account within an hour, and yours are used up.`
        : `The service pays for ${perHourOfAll} relayed calls on this chain within an hour, and they are used up.`;
    if (error.whose === "all") {
      context.log.error({ chain_id: row.chainId, alert: "relays_used_up" }, error.message);
    }
    throw new ApiError(
      "rate_limited",
      `${spent} Try again in ${error.retryAfter} seconds, or send the call from a wallet of your own.`,
      undefined,
      error.retryAfter,
    );
  }
}

/** Why the service does not pay the gas of an order's calls, as a sentence; null when it does. */
export function refuseFreeRelay(context: Context, row: Pick<OrderRow, "chainId" | "amount">): string | null {
  const chain = context.chain(row.chainId)?.chain;
  if (!chain || row.amount >= chain.min_relay_amount) return null;
  const { decimals, symbol } = chain.token;
  return `The service pays the gas for orders of ${formatAmount(chain.min_relay_amount, decimals)} ${symbol} and more. Send the call from a wallet of your own.`;
}

const erc1271Abi = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);
const erc1271Valid = "0x1626ba7e";

/**
 * Checks that a party signed typed data: with its own key, or, for a contract wallet, by asking the wallet (ERC-1271),
 * as the escrow contract will.
 *
 * @returns the signature as the contract takes it
 * @throws ApiError `invalid_request` when it is not the party's
 */
export async function checkPartySignature(
  context: Context,
  typedData: TypedData,
  signer: Address,
  signature: Hex,
): Promise<Hex> {
  const digest = digestToSign(typedData);
  const byKey = await readKeySignature(digest, signature, signer);
  if (byKey) return byKey;
  if (await isWalletSignature(context, typedData.domain.chainId, { signer, digest, signature }))
    return signature;
  const message = `This is not ${signer}'s signature of the typed data as it stands now: read it again and sign it unchanged, with that wallet.`;
  throw new ApiError("invalid_request", message, [{ path: "/signature", keyword: "signature", message }]);
}

async function isWalletSignature(
  context: Context,
  chainId: number,
  { signer, digest, signature }: { signer: Address; digest: Hex; signature: Hex },
): Promise<boolean> {
  const client = context.chain(chainId)?.client;
  try {
    if (!client) throw new Error(`Chain ${chainId} is not configured.`);
    const code = await client.getCode({ address: signer });
    if (!code) return false;
    const answered = await client.readContract({
      abi: erc1271Abi,
      address: signer,
      functionName: "isValidSignature",
      args: [digest, signature],
    });
    return answered === erc1271Valid;
  } catch (error) {
    if (isContractAnswer(error)) return false;
    context.log.warn({ err: error, chain_id: chainId }, "a wallet's signature could not be checked");
    throw new ApiError(
      "dependency_unavailable",
      "The chain could not be asked whether this wallet accepts the signature. Try again.",
    );
  }
}
