import type { ComponentType } from "react";
import { PasskeySignIn } from "../passkey/passkey-sign-in.tsx";
import type { ConsoleWallet } from "./console-wallet.ts";
import { InjectedWallets } from "./injected-wallets.tsx";

/** A way to sign in, with its buttons. */
export type SignInMethod = {
  id: string;
  Part: ComponentType<{
    isPending: boolean;
    /** gets the function that opens the chosen wallet */
    onChoose: (open: () => Promise<ConsoleWallet>) => void;
  }>;
};

/** The ways to sign in, or to approve the sign-in of another device, in display order. */
export const signInMethods: readonly SignInMethod[] = [
  { id: "passkey", Part: PasskeySignIn },
  { id: "injected", Part: InjectedWallets },
];
