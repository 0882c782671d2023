import { FlaskConical } from "lucide-react";
import { SignInMethod } from "../session/sign-in-method.tsx";
import { settings } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { TrySample } from "./try-sample.tsx";

/** Signs in with a sample wallet, for a visitor who wants to look around on a local chain. */
export function SampleSignIn() {
  if (!settings.demo) return null;
  return (
    <SignInMethod
      icon={FlaskConical}
      title={i18n.t("Sample wallet")}
      text={i18n.t("Look around with 100 units of test money. This local network alone has sample wallets.")}
    >
      <div className="buttons">
        <TrySample />
      </div>
    </SignInMethod>
  );
}
