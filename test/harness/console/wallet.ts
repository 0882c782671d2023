import type { BrowserContext, Page } from "playwright-core";
import { type Hex, hexToBigInt, hexToString, type LocalAccount, numberToHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect } from "vitest";
import type { TestChain } from "../chain.ts";

/** A wallet in a browser, controlled as by its owner. */
export type BrowserWallet = {
  account: LocalAccount;
  /** The requests to sign or send, newest last. */
  asked: { method: string; params: unknown[] }[];
  /** The requests to its node, newest last. */
  read: string[];
  /** Refuses the next request for a signature or a transaction. */
  rejectNext(): void;
  /** Switches to another account. */
  switchAccount(account: LocalAccount): Promise<void>;
  /** Switches to another chain. */
  switchChain(chainId: number): Promise<void>;
  /** chains that the wallet does not know until a page adds them */
  others: TestChain[];
  /** the chains that pages added, as they described them */
  added: { chainId: Hex; chainName: string; rpcUrls: string[] }[];
  /** Stops its node from answering, or lets it answer again. */
  cutNode(isCut: boolean): void;
};

type Answer = { result: unknown } | { error: { code: number; message: string } };

/** Methods that a wallet shows to its owner. */
const shown = ["personal_sign", "eth_signTypedData_v4", "eth_sendTransaction"];

/**
 * Puts a wallet into every page of a browser: it announces itself (EIP-6963), signs with the account's key, and forwards
 * everything else to the chain's node (EIP-1193).
 */
export async function injectWallet(
  context: BrowserContext,
  chain: TestChain,
  account: LocalAccount,
  name = "Test wallet",
): Promise<BrowserWallet> {
  const id = account.address;
  let chainId = chain.chain.chain_id;
  let isRejecting = false;
  let isCut = false;
  const tell = async (event: string, data: unknown) => {
    for (const page of context.pages()) await emit(page, `${id}:${event}`, data);
  };
  const wallet: BrowserWallet = {
    account,
    asked: [],
    read: [],
    others: [],
    added: [],
    rejectNext: () => {
      isRejecting = true;
    },
    cutNode: (cut) => {
      isCut = cut;
    },
    async switchAccount(next) {
      wallet.account = next;
      await tell("accountsChanged", [next.address]);
    },
    async switchChain(next) {
      chainId = next;
      await tell("chainChanged", numberToHex(next));
    },
  };

  const isKnown = (id: number) =>
    !wallet.others.some((each) => each.chain.chain_id === id) ||
    wallet.added.some((each) => Number(each.chainId) === id);
  const current = () => wallet.others.find((each) => each.chain.chain_id === chainId) ?? chain;

  const answer = async (method: string, params: unknown[]): Promise<unknown> => {
    if (shown.includes(method)) {
      wallet.asked.push({ method, params });
      if (isRejecting) {
        isRejecting = false;
        throw Object.assign(new Error("User rejected the request."), { code: 4001 });
      }
    }
    switch (method) {
      case "eth_requestAccounts":
      case "eth_accounts":
        return [wallet.account.address];
      case "eth_chainId":
        return numberToHex(chainId);
      case "wallet_requestPermissions":
        return [{ parentCapability: "eth_accounts" }];
      case "wallet_revokePermissions":
        return null;
      case "wallet_switchEthereumChain": {
        const [{ chainId: next }] = params as [{ chainId: Hex }];
        if (!isKnown(Number(next))) throw Object.assign(new Error("Unrecognized chain ID."), { code: 4902 });
        await wallet.switchChain(Number(next));
        return null;
      }
      case "wallet_addEthereumChain": {
        const [described] = params as [BrowserWallet["added"][number]];
        wallet.added.push(described);
        await wallet.switchChain(Number(described.chainId));
        return null;
      }
      case "personal_sign":
        return await wallet.account.signMessage({ message: hexToString(params[0] as Hex) });
      case "eth_signTypedData_v4":
        return await wallet.account.signTypedData(JSON.parse(params[1] as string));
      case "eth_sendTransaction": {
        const [{ to, data, value }] = params as [{ to: Hex; data: Hex; value?: Hex }];
        const sent = { to, data, value: value ? hexToBigInt(value) : 0n };
        return await current().wallet(wallet.account).sendTransaction(sent);
      }
      default:
        if (isCut) throw Object.assign(new Error("The node does not answer."), { code: -32603 });
        wallet.read.push(method);
        return await current().publicClient.request({ method, params } as never);
    }
  };
  await context.exposeBinding(`ask${id}`, async (_, method: string, params: unknown[]): Promise<Answer> => {
    try {
      return { result: await answer(method, params) };
    } catch (error) {
      const { code = -32603, message } = error as { code?: number; message: string };
      return { error: { code, message } };
    }
  });
  await context.addInitScript(announce, { id, name });
  return wallet;
}

/** Switches to new accounts until the page says so: a page ignores a switch before it has connected to the wallet. */
export async function switchUntilNoticed(page: Page, wallet: BrowserWallet): Promise<void> {
  const notice = page.getByText("You are still signed in as");
  await expect
    .poll(
      async () => {
        await wallet.switchAccount(privateKeyToAccount(generatePrivateKey()));
        return notice.count();
      },
      { interval: 500 },
    )
    .toBeGreaterThan(0);
}

async function emit(page: Page, event: string, data: unknown): Promise<void> {
  await page.evaluate(([name, value]) => dispatchEvent(new CustomEvent(name, { detail: value })), [
    event,
    data,
  ] as const);
}

/** Runs in the page. */
function announce({ id, name }: { id: string; name: string }): void {
  type Listener = (data: unknown) => void;
  const ask = (window as unknown as Record<string, (method: string, params: unknown[]) => Promise<Answer>>)[
    `ask${id}`
  ];
  const listeners = new Map<Listener, EventListener>();
  const provider = {
    async request({ method, params = [] }: { method: string; params?: unknown[] }) {
      const answer = await ask?.(method, params);
      if (!answer) throw new Error("The wallet is not there.");
      if ("error" in answer)
        throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
      return answer.result;
    },
    on(event: string, listener: Listener) {
      const heard = (told: Event) => listener((told as CustomEvent).detail);
      listeners.set(listener, heard);
      addEventListener(`${id}:${event}`, heard);
    },
    removeListener(event: string, listener: Listener) {
      removeEventListener(`${id}:${event}`, listeners.get(listener) ?? (() => {}));
    },
  };
  const icon = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>";
  const detail = Object.freeze({
    info: { uuid: id, name, icon, rdns: `test.earnest.${id}` },
    provider,
  });
  const say = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  addEventListener("eip6963:requestProvider", say);
  say();
}
