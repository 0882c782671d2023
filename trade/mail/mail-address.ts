import { findSite } from "../domains/domain-name.ts";

/** A mail address without quotes, comments, spaces and line ends, so that it cannot inject a header. */
export const mailAddressPattern =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64})*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;

export const longestMailAddress = 254;

/** Returns the registered domain of an address. Its owner can create any number of subdomains. */
export async function siteOf(address: string): Promise<string> {
  const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  return (await findSite(domain, { allowPrivateDomains: false })) ?? domain;
}

/** Returns one form for the spellings that usually reach the same mailbox. Messages are counted by this form. */
export function canonicalAddressOf(address: string): string {
  const [local = "", domain = ""] = address.toLowerCase().split("@");
  return `${local.replace(/\+.*$/, "").replaceAll(".", "")}@${domain}`;
}
