import type { Context as HonoContext } from "hono";

/** The most characters of a `User-Agent` that are stored. */
const longest = 256;

/** The `User-Agent` of a request in printable ASCII, shortened; null if none was sent. */
export function readUserAgent(c: HonoContext): string | null {
  const text = (c.req.header("user-agent") ?? "")
    .slice(0, longest)
    .replaceAll(/[^\x20-\x7e]/g, "")
    .trim();
  return text === "" ? null : text;
}

/** The browsers and systems by the words of their `User-Agent`. The first match counts: most browsers name others too. */
const browsers: [words: RegExp, name: string][] = [
  [/\bMetaMaskMobile\b/, "MetaMask"],
  [/\bCoinbaseWallet|CoinbaseBrowser\b/, "Coinbase Wallet"],
  [/\bTrust(Wallet)?\//, "Trust Wallet"],
  [/\bRainbow\//, "Rainbow"],
  [/\bEdg(A|iOS)?\//, "Edge"],
  [/\bOPR\/|\bOPX\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Headless)?Chrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
  [/^earnest\b/i, "Earnest client"],
];
const systems: [words: RegExp, name: string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X|Macintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** The browser and system that a `User-Agent` names, as in "Firefox on Windows"; null if neither is known. */
export function deviceOf(userAgent: string | null): string | null {
  const find = (list: typeof browsers) => list.find(([words]) => words.test(userAgent ?? ""))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? null;
}
