import { version } from "../version.ts";

/** Returns the user agent; null in browsers, which set their own and need a CORS permission for another. */
export function userAgent(): string | null {
  const runtime = runtimeOf();
  return runtime ? `earnest-client-typescript/${version} (${runtime})` : null;
}

function runtimeOf(): string | null {
  const { process, navigator } = globalThis as {
    process?: { versions?: Record<string, string> };
    navigator?: { userAgent?: string };
  };
  if (/^(Node\.js|Deno|Bun|Cloudflare-Workers)\b/.test(navigator?.userAgent ?? "")) {
    return String(navigator?.userAgent);
  }
  const node = process?.versions?.node;
  return node ? `Node.js/${node}` : null;
}
