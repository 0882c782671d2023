import { Fingerprint } from "lucide-react";
import { Button } from "../parts/button.tsx";
import { clientOf } from "../session/client.ts";
import type { ConsoleWallet } from "../session/console-wallet.ts";
import { Way } from "../session/way.tsx";
import { i18n } from "../text/i18n.ts";
import { homeChainId } from "../wallet/wallet-config.ts";
import { choosePasskey, createPasskey, hasPasskeys } from "./ceremony.ts";
import { passkeyWallet } from "./passkey-wallet.ts";
import type { Passkey } from "./stored-passkeys.ts";

/** Signs in with a passkey, for a person without a wallet. */
export function PasskeyWay({
  isPending,
  onChoose,
}: {
  isPending: boolean;
  onChoose: (open: () => Promise<ConsoleWallet>) => void;
}) {
  if (!hasPasskeys(homeChainId)) return null;
  return (
    <Way
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
    </Way>
  );
}

const choose = async () => signingWallet(await choosePasskey(clientOf(null), homeChainId));
const create = async () => signingWallet(await createPasskey(homeChainId));

/** The passkey's account, with the public key that the service records for the passkey's other devices. */
function signingWallet(passkey: Passkey) {
  const { x, y } = passkey;
  const { address, signMessage } = passkeyWallet(passkey, homeChainId);
  return {
    address,
    signMessage: ({ message }: { message: string }) => signMessage({ message }),
    passkey: { x, y },
  };
}
