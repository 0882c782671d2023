import type { Earnest } from "earnest-client";
import { asPerson } from "../session/as-person.ts";
import { proveWallet } from "../session/sign-in.ts";
import { passkeyWallet } from "./passkey-wallet.ts";
import type { Passkey } from "./stored-passkeys.ts";

/**
 * Makes sure that the service knows a passkey's account on a chain. An account is a contract, which counts on its own chain
 * only, so the passkey signs a message for each further chain once.
 *
 * @param accountId the account of the person who signed in
 */
export async function requireKnownOn(
  client: Earnest,
  passkey: Passkey,
  { chainId, accountId }: { chainId: number; accountId: string },
): Promise<void> {
  const { items } = await client.wallets.list(asPerson);
  const isKnown = items.some(
    ({ address, chain_id }) =>
      address.toLowerCase() === passkey.address.toLowerCase() && (chain_id === null || chain_id === chainId),
  );
  if (isKnown) return;
  const { x, y } = passkey;
  const { address, signMessage } = passkeyWallet(passkey, chainId);
  const wallet = {
    address,
    signMessage: ({ message }: { message: string }) => signMessage({ message }),
    passkey: { x, y },
  };
  await client.wallets.add(await proveWallet(wallet, { client, accountId }, chainId), asPerson);
}
