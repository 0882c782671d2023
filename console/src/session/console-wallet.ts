import type { SigningWallet, WalletProof } from "earnest-client";

/** A wallet to sign in with. The wallet of a passkey names the passkey's public key. */
export type ConsoleWallet = SigningWallet & { passkey?: WalletProof["passkey"] };
