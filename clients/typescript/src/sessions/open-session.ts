import { randomUUID } from "node:crypto";
import type { Account } from "viem";
import { signatureDeadline } from "../../../../protocol/settlement/index.ts";
import type { AgreedOrder } from "../buying/agreement-check.ts";
import type { BuyOptions } from "../buying/buy.ts";
import { OrderEndedError } from "../buying/errors.ts";
import { nowOf } from "../buying/escrow-on-chain.ts";
import type { Purchase } from "../buying/purchase.ts";
import { type Nodes, type OrderWallet, Signer } from "../buying/wallet.ts";
import type { Earnest } from "../client.ts";
import type { ListedService, Service } from "../generated/types.ts";
import { Session } from "./buyer-session.ts";
import type { SendOptions } from "./call-sender.ts";
import { type CallAnswer, Caller, type VoucherSigner } from "./caller.ts";
import { KeyedFile } from "./keyed-file.ts";
import { isPrivateService } from "./public-addresses.ts";
import { sessionTermsOf } from "./session-terms.ts";

export interface SessionOptions extends Omit<BuyOptions, "quantity" | "key" | "signal">, SendOptions {
  /** The calls that the balance pays, the most that this session can cost. */
  calls: number;
  /** The file that keeps the session. With the same file the next run continues, and nothing is paid twice. */
  file: string;
  /** The further balances that may be opened once one is used, each for as many calls. Default: none. */
  topUps?: number;
  /** Called with an answer that an earlier run paid for and did not get. */
  onLateAnswer?: (answer: CallAnswer) => void;
}

/** The present balance in the file: the key under which it is bought, then its order. */
type Opened = { key: string; order?: string; left: number };

const openedKey = "opened";

/**
 * Opens a session of a `per_call` service: places the order of its balance, compares it like `buy`, pays it, and waits until it
 * is funded. The same file continues a session that is open, and opens a new one after `close`.
 *
 * @throws FileInUseError if another process uses the file; OrderEndedError if the provider or time ended its session; as `buy`
 * @example
 * const session = await openSession(earnest, service, { wallet, calls: 1000, maxAmount: "1.00", file: "session.jsonl" });
 * const { output } = await session.call({ text });
 * await session.close();
 */
export async function openSession(
  client: Earnest,
  service: Service | ListedService,
  options: SessionOptions,
): Promise<Session> {
  const { file: path, topUps = 0 } = options;
  if (service.pricing_model !== "per_call")
    throw new TypeError(`${service.slug} has no sessions. Buy it instead.`);
  const file = await KeyedFile.open(path);
  try {
    const opened = (file.get(openedKey) as Opened | undefined) ?? start(file, topUps);
    const caller = await open(client, service, options, file, opened);
    return new Session({
      file,
      caller,
      openNext: async () => {
        const { left } = file.get(openedKey) as Opened;
        return left > 0 ? await open(client, service, options, file, start(file, left - 1)) : null;
      },
      closeDeadline: async () => signatureDeadline(await nowOf(new Signer(options.wallet, options.node))),
      // The next run with this file opens a session of its own.
      onClosed: () => file.put(openedKey, undefined),
      onLateAnswer: options.onLateAnswer,
    });
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Continues a funded session that is known by its agreement. It opens no further balance. */
export function continueSession(
  agreed: AgreedOrder,
  deadline: string | null,
  file: KeyedFile,
  { wallet, nodes, allowPrivate }: { wallet: OrderWallet; nodes: Nodes; allowPrivate: boolean },
): Session {
  const terms = sessionTermsOf(agreed, deadline);
  const closeDeadline = async () => {
    const signer = await new Signer(wallet, nodes).on(terms.chainId);
    return signatureDeadline(await nowOf(signer));
  };
  const caller = new Caller(terms, file, signerOf(wallet), { allowPrivate });
  return new Session({ file, caller, openNext: null, closeDeadline });
}

/** Keeps the key before the order is placed, so that a crash in between finds the order again. */
function start(file: KeyedFile, left: number): Opened {
  const opened = { key: `session-${randomUUID()}`, left };
  file.put(openedKey, opened);
  return opened;
}

async function open(
  client: Earnest,
  service: Service | ListedService,
  { calls, timeoutMs, maxOutputBytes, allowPrivate, signal, ...buying }: SessionOptions,
  file: KeyedFile,
  opened: Opened,
): Promise<Caller> {
  const purchase: Purchase = opened.order
    ? await client.resume(opened.order, { ...buying, signal })
    : await client.buy(service, null, { ...buying, quantity: calls, key: opened.key, signal });
  if (!opened.order) file.put(openedKey, { ...opened, order: purchase.orderId });
  const terms = sessionTermsOf(purchase.agreed, purchase.order.delivery_deadline);
  const caller = new Caller(terms, file, signerOf(buying.wallet), {
    timeoutMs,
    maxOutputBytes,
    signal,
    allowPrivate: allowPrivate ?? isPrivateService(client.baseUrl),
  });
  const { id, status } = purchase.order;
  // A used balance may be followed by the next one. In another ended session, every call would wait for an answer in vain.
  if (caller.paysOneMore && (status === "released" || status === "refunded")) {
    throw new OrderEndedError(id, status, "called again. Open another session with another file");
  }
  return caller;
}

function signerOf(wallet: OrderWallet): VoucherSigner {
  const signer = new Signer(wallet);
  const account: Account = "transport" in wallet ? wallet.account : wallet;
  const signDigest = account.type === "local" ? account.sign : undefined;
  return {
    signDigest: signDigest ? (hash) => signDigest({ hash }) : null,
    signData: (data) => signer.sign(data),
  };
}
