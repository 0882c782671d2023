import { i18n } from "../text/i18n.ts";
import { CopyButton } from "./copy-button.tsx";

/** A shortened address with a button that copies all of it. The tooltip has all of it, too. */
export function Address({ of: address }: { of: string }) {
  return (
    <span className="copyable">
      <code className="address" title={address}>
        {shortAddress(address)}
      </code>
      <CopyButton text={address} what={i18n.t("address")} />
    </span>
  );
}

export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;
