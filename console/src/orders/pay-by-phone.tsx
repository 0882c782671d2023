import { Smartphone } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "../parts/button.tsx";
import { serviceUrl } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { keyPlaceOf } from "../wallet/key-place.ts";
import { useWallet } from "../wallet/wallet-config.ts";

const QrCode = lazy(() =>
  import("../session/qr-code.tsx").then(({ QrCode: loaded }) => ({ default: loaded })),
);

/** Opens the order on the phone that has the buyer's wallet, by a QR code. A wallet of this browser needs no phone. */
export function PayByPhone({ orderId, buyer }: { orderId: string; buyer: string }) {
  const { address, status } = useWallet();
  const [isShown, setShown] = useState(false);
  const isHere = keyPlaceOf(buyer) !== "browser" || address?.toLowerCase() === buyer.toLowerCase();
  if (isHere || status === "connecting" || status === "reconnecting") return null;
  return (
    <div>
      <Button icon={Smartphone} onPress={() => setShown(!isShown)}>
        {i18n.t("Pay with your phone")}
      </Button>
      {isShown && (
        <>
          <p>
            {i18n.t("Scan this code with your phone, and open the order in the browser of your wallet app.")}
          </p>
          <Suspense>
            <QrCode text={`${serviceUrl}/orders/${orderId}`} label={i18n.t("QR code of this order")} />
          </Suspense>
        </>
      )}
    </div>
  );
}
