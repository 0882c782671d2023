import { Fingerprint } from "lucide-react";
import { useEffect } from "react";
import { Button } from "../parts/button.tsx";
import { clientOf } from "../session/client.ts";
import type { ConsoleWallet } from "../session/console-wallet.ts";
import { SignInMethod } from "../session/sign-in-method.tsx";
import { homeChainId } from "../settings.ts";
import { useFirstView } from "../shell/first-view.ts";
import { i18n } from "../text/i18n.ts";
import { hasPasskeys, type Passkey } from "./stored-passkeys.ts";

/** Signs in with a passkey, for a person without a wallet. */
export function PasskeySignIn({
  isPending,
  onChoose,
}: {
  isPending: boolean;
  onChoose: (open: () => Promise<ConsoleWallet>) => void;
}) {
  const isShown = useFirstView();
  // Loaded before a press, because some browsers refuse a passkey some time after the press.
  useEffect(() => {
    if (isShown && hasPasskeys(homeChainId)) loadCeremony().catch(() => {});
  }, [isShown]);
  if (!hasPasskeys(homeChainId)) return null;
  return (
    <SignInMethod
      icon={Fingerprint}
      title={i18n.t("Passkey")}
      text={i18n.t("Your fingerprint, face or PIN holds the account. You need no wallet and pay no gas.")}
    >
      <div className="buttons">
        <Button variant="primary" isPending={isPending} onPress={() => onChoose(choose)}>
          {i18n.t("Sign in with a passkey")}
        </Button>
        <Button isPending={isPending} onPress={() => onChoose(create)}>
          {i18n.t("Create a passkey")}
        </Button>
      </div>
    </SignInMethod>
  );
}

const choose = async () => {
  const { choosePasskey } = await loadCeremony();
  return await signingWallet(await choosePasskey(clientOf(null), homeChainId));
};
const create = async () => {
  const { createPasskey } = await loadCeremony();
  return await signingWallet(await createPasskey(homeChainId));
};

/** Loads what signs with a passkey. The page shows without it. */
const loadCeremony = () => import("./ceremony.ts");

/** The passkey's account, with the public key that the service records for the passkey's other devices. */
async function signingWallet(passkey: Passkey) {
  const { x, y } = passkey;
  const { passkeyWallet } = await import("./passkey-wallet.ts");
  const { address, signMessage } = passkeyWallet(passkey, homeChainId);
  return {
    address,
    signMessage: ({ message }: { message: string }) => signMessage({ message }),
    passkey: { x, y },
  };
}
