import { findSite } from "../domains/domain-name.ts";

/** An address in its plain form, which can be part of no header but as itself: no quotes, comments, spaces or line ends. */
export const mailAddressPattern =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64})*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;

export const longestMailAddress = 254;

/** The registered domain of an address: its owner makes any number of domains below it. */
export async function siteOf(address: string): Promise<string> {
  const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  return (await findSite(domain, { allowPrivateDomains: false })) ?? domain;
}

/** One form of the spellings of an address that commonly reach one person, by which messages are counted. */
export function canonicalAddressOf(address: string): string {
  const [local = "", domain = ""] = address.toLowerCase().split("@");
  return `${local.replace(/\+.*$/, "").replaceAll(".", "")}@${domain}`;
}
