import { domainToASCII } from "node:url";
import { checkUrl } from "../../untrusted/outbound/url-guard.ts";
import { refuseField } from "../refusal.ts";

/** The label below a domain that has the TXT record of its proof. */
export const proofLabel = "_earnest-agent";
/** The path of the file that proves a domain. */
export const proofPath = "/.well-known/earnest-agent.txt";

export const recordName = (domain: string) => `${proofLabel}.${domain}`;
export const fileUrl = (domain: string, port = 443) => new URL(proofPath, `https://${domain}:${port}`).href;

/** A domain, and the registered domain (`site`) that it belongs to. Both are ASCII (punycode) in lower case. */
export type DomainName = { domain: string; site: string };

/** The most characters of a DNS name. */
const longestName = 253;

/** Finds the registered domain of a name; null for a public suffix. `allowPrivateDomains` adds the suffixes of companies. */
export async function findSite(
  domain: string,
  options: { allowPrivateDomains: boolean },
): Promise<string | null> {
  // The list is large. A process that never needs it does not load it.
  const { parse } = await import("tldts");
  return parse(domain, options).domain;
}

/**
 * Parses a domain in any script (IDNA, UTS #46).
 *
 * @throws Refusal `invalid_request` for a text that is not only a public DNS name, and for a public suffix
 */
export async function readDomain(text: string): Promise<DomainName> {
  const written = text.trim();
  const domain = /^[^\s/\\:@?#%[\]]+$/.test(written) ? domainToASCII(written) : "";
  const check = domain === "" ? null : checkUrl(`https://${domain}/`, { allowsLocalhost: false });
  if (!check) {
    const message =
      "Field domain: give only a domain name such as translator.example, without scheme, port or path.";
    throw refuseField("domain", "form", message);
  }
  if (!check.isAllowed) throw refuseField("domain", check.code, check.message);
  if (check.addresses) throw refuseField("domain", "form", "Field domain: give a name, not an IP address.");
  if (recordName(domain).length > longestName) {
    throw refuseField(
      "domain",
      "length",
      `Field domain: with ${proofLabel} before it, the name is too long for the DNS.`,
    );
  }
  const site = await findSite(domain, { allowPrivateDomains: true });
  if (!site) {
    const message = `Field domain: ${domain} is a public suffix, below which others register domains. Give your own domain.`;
    throw refuseField("domain", "public_suffix", message);
  }
  return { domain, site };
}
