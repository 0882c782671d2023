import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { openWindow } from "./browser.ts";

/** A browser without a wallet, with an authenticator. */
export type Device = {
  page: Page;
  context: BrowserContext;
  cdp: CDPSession;
  authenticatorId: string;
  faults: string[];
};

/** Opens a browser without a wallet, with an authenticator that verifies its user. */
export async function openDevice(browser: Browser, baseUrl: string): Promise<Device> {
  const { page, context, faults } = await openWindow(browser, { baseUrl });
  const cdp = await context.newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { page, context, cdp, authenticatorId, faults };
}
