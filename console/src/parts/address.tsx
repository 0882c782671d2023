import { i18n } from "../text/i18n.ts";
import { CopyButton } from "./copy-button.tsx";

/** A shortened address with a button that copies all of it. The tooltip has all of it, too. */
export function Address({ of: address }: { of: string }) {
  return <ShortHex of={address} what={i18n.t("address")} />;
}

/** A shortened hash or address, as `Address`. */
export function ShortHex({ of: hex, what }: { of: string; what: string }) {
  return (
    <span className="copyable">
      <code className="address" title={hex}>
        {shortAddress(hex)}
      </code>
      <CopyButton text={hex} what={what} />
    </span>
  );
}

export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;
