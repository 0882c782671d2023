import type { PaymentDirection } from "earnest-client";
import { i18n } from "../text/i18n.ts";

/** Names the direction of a payment from the account's side. */
export const directionText = (direction: PaymentDirection): string =>
  ({ in: i18n.t("In"), out: i18n.t("Out"), none: i18n.t("Counterparty") })[direction];
