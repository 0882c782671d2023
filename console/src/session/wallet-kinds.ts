import type { ComponentType } from "react";
import { PasskeySignIn } from "../passkey/passkey-sign-in.tsx";
import type { ConsoleWallet } from "./console-wallet.ts";
import { InjectedWallets } from "./injected-wallets.tsx";

/** The buttons of one kind of wallets. */
export type WalletKind = {
  id: string;
  Part: ComponentType<{
    isPending: boolean;
    /** gets the function that opens the chosen wallet */
    onChoose: (open: () => Promise<ConsoleWallet>) => void;
  }>;
};

/** The kinds of wallets that sign in, or approve the sign-in of another device, in display order. */
export const walletKinds: readonly WalletKind[] = [
  { id: "passkey", Part: PasskeySignIn },
  { id: "injected", Part: InjectedWallets },
];
