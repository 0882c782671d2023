import type { Hex, LocalAccount } from "viem";
import { basePath, serviceUrl, settings } from "../settings.ts";
import { i18n } from "../text/i18n.ts";

/**
 * A wallet whose key this page generated and this browser keeps, for test money of a local chain. A service with a public
 * address has no sample wallets.
 */
type SampleWallet = { address: string; key: Hex };

const storageKey = `earnest.sample-wallet ${basePath}`;

function readStored(): SampleWallet | null {
  if (!settings.demo) return null;
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? "null") as SampleWallet | null;
  } catch {
    return null;
  }
}

/** Tells whether an address is this browser's sample wallet. */
export const isSampleWallet = (address: string): boolean =>
  readStored()?.address.toLowerCase() === address.toLowerCase();

/** Returns the sample wallet of this browser as a signer; null if the address belongs to another wallet. */
export async function openSampleWallet(address: string): Promise<LocalAccount | null> {
  const stored = readStored();
  return stored && isSampleWallet(address) ? await accountOf(stored.key) : null;
}

/** Returns the funded sample wallet of this browser, and creates the wallet at its first use. */
export async function startSampleWallet(): Promise<LocalAccount> {
  const stored = readStored();
  const { generatePrivateKey } = await import("viem/accounts");
  const key = stored?.key ?? generatePrivateKey();
  const account = await accountOf(key);
  await fund(account.address);
  localStorage.setItem(storageKey, JSON.stringify({ address: account.address, key } satisfies SampleWallet));
  return account;
}

async function accountOf(key: Hex): Promise<LocalAccount> {
  const { privateKeyToAccount } = await import("viem/accounts");
  return privateKeyToAccount(key);
}

/** Asks the service to fill the wallet up with test money. */
async function fund(address: string): Promise<void> {
  const answer = await fetch(`${serviceUrl}/sample-wallet`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ address }),
  });
  if (answer.ok) return;
  throw new Error(
    answer.status === 429
      ? i18n.t("Too many sample wallets were created in this hour. Try again later.")
      : i18n.t("The local network did not fund the sample wallet. Try again."),
  );
}
