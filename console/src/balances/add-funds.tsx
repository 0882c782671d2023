import type { WalletBalance } from "earnest-client";
import { useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { Address } from "../parts/address.tsx";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { QrCode } from "../session/qr-code.tsx";
import { nameOfChain, tokenText } from "../settings.ts";
import { i18n } from "../text/i18n.ts";

const keyOf = ({ chain_id, token_address }: WalletBalance) => `${chain_id} ${token_address}`;

/**
 * Shows where to send tokens: the address of a wallet as text and as a QR code.
 *
 * @param entries the tokens of one wallet, at least one
 */
export function AddFunds({ entries, onClose }: { entries: readonly WalletBalance[]; onClose: () => void }) {
  const [chosen, setChosen] = useState("");
  const entry = entries.find((each) => keyOf(each) === chosen) ?? entries[0];
  if (!entry) return null;
  const { address, currency, chain_id: chainId, token_address: token } = entry;
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={(isOpen) => !isOpen && onClose()} isDismissable>
      <Modal className="modal">
        <Dialog>
          <Heading slot="title">{i18n.t("Add funds")}</Heading>
          {entries.length > 1 && (
            <ChoiceField
              label={i18n.t("Token")}
              value={keyOf(entry)}
              onChange={setChosen}
              choices={entries.map((each) => [keyOf(each), tokenText(each.currency, each.chain_id)])}
            />
          )}
          <p>
            {i18n.t(
              "Send {currency} on {network} to this address. Other tokens and networks do not arrive.",
              {
                currency,
                network: nameOfChain(chainId),
              },
            )}
          </p>
          <p className="centred">
            <QrCode text={address} label={i18n.t("QR code of the address")} />
          </p>
          <p className="centred">
            <code>{address}</code> <CopyButton text={address} what={i18n.t("address")} />
          </p>
          <LabelledValues
            rows={[
              [i18n.t("Network"), nameOfChain(chainId)],
              [i18n.t("Token"), <Address key="token" of={token} />],
            ]}
          />
          <div className="dialog-end">
            <div className="buttons">
              <Button variant="primary" onPress={onClose}>
                {i18n.t("Done")}
              </Button>
            </div>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
