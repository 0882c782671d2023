import { isIP, isIPv6 } from "node:net";
import { z } from "zod";

/** Servers of the DNS, separated by commas: each an IP address, with a port after it where that is not 53. */
export const dnsServers = z
  .string()
  .transform((list) => list.split(",").map((server) => server.trim()))
  .pipe(
    z.array(
      z.string().refine(isServer, "must be IP addresses separated by commas, as in 9.9.9.9,[2620:fe::fe]:53"),
    ),
  );

function isServer(text: string): boolean {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^[\]:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (Number(port ?? 53) > 65_535) return false;
  if (bracketed !== undefined) return isIPv6(bracketed);
  return isIP(plain ?? text) !== 0;
}
