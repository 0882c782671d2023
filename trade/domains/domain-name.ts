import { domainToASCII } from "node:url";
import { checkUrl } from "../../untrusted/outbound/url-guard.ts";
import { refuseField } from "../refusal.ts";

/** The label below a domain that has the TXT record of its proof. */
export const proofLabel = "_earnest-agent";
/** The path of the file that proves a domain. */
export const proofPath = "/.well-known/earnest-agent.txt";

export const recordName = (domain: string) => `${proofLabel}.${domain}`;
export const fileUrl = (domain: string, port = 443) => new URL(proofPath, `https://${domain}:${port}`).href;

/** A domain that somebody may own, and what of it is registered. Both are ASCII (punycode), in lower case. */
export type DomainName = { domain: string; site: string };

/** Characters of the longest name in the DNS. */
const longestName = 253;

/** The registered domain of a name, or null for a public suffix. With `allowPrivateDomains`, suffixes of companies count too. */
export async function findSite(
  domain: string,
  options: { allowPrivateDomains: boolean },
): Promise<string | null> {
  // The list is large. A process that never needs it does not load it.
  const { parse } = await import("tldts");
  return parse(domain, options).domain;
}

/**
 * Reads a domain as somebody writes it, in any script (IDNA, UTS #46).
 *
 * @throws Refusal `invalid_request` for what is no name of the public DNS alone, and for a public suffix
 */
export async function readDomain(text: string): Promise<DomainName> {
  const written = text.trim();
  const domain = /^[^\s/\\:@?#%[\]]+$/.test(written) ? domainToASCII(written) : "";
  const check = domain === "" ? null : checkUrl(`https://${domain}/`, { allowLocalhost: false });
  if (!check) {
    const message = "domain is a domain's name alone, such as translator.example: no scheme, port or path.";
    throw refuseField("domain", "form", message);
  }
  if (!check.allowed) throw refuseField("domain", check.code, check.message);
  if (check.addresses) throw refuseField("domain", "form", "domain is a name, not an IP address.");
  if (recordName(domain).length > longestName) {
    throw refuseField("domain", "length", `With ${proofLabel} before it, the name is too long for the DNS.`);
  }
  const site = await findSite(domain, { allowPrivateDomains: true });
  if (!site) {
    const message = `Strangers have domains of their own below ${domain} (Public Suffix List): name yours.`;
    throw refuseField("domain", "public_suffix", message);
  }
  return { domain, site };
}
