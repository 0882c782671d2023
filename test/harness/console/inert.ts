import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Visitor } from "./browser.ts";

/** Records what a page must not do: run a hostile script, request another host, or open a dialog. */
export async function watchPages({ page, context, faults }: Visitor, baseUrl: string): Promise<void> {
  await context.addInitScript(() => {
    const { tellFault } = window as unknown as { tellFault(fault: string): void };
    Object.assign(window, { hx: () => tellFault("a stranger's script ran") });
  });
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (/^https?:/.test(url) && !url.startsWith(`${baseUrl}/`)) faults.push(`request: ${url}`);
    if (/[/=]hx\b/.test(url)) faults.push(`request by a stranger's markup: ${url}`);
  });
}

/** Opens a page, and asserts that its answer forbids scripts that are not files of the service. */
export async function openGuarded({ page }: Visitor, path: string): Promise<void> {
  const answer = await page.goto(path);
  const policy = (await answer?.headerValue("content-security-policy")) ?? "";
  const rules = new Map(policy.split("; ").map((rule) => [rule.split(" ")[0], rule]));
  const scripts = rules.get("script-src") ?? rules.get("default-src") ?? "";
  expect(scripts, `the policy of ${path}: ${policy}`).toMatch(/^(script-src 'self'|default-src 'none')$/);
  expect(policy).toContain("frame-ancestors 'none'");
}

/**
 * Asserts that each text is on the page as text only: it made no element, no attribute, no address and no
 * hidden character, and no control is covered.
 */
export async function expectInert({ page, faults }: Visitor, shown: readonly string[] = []): Promise<void> {
  await page
    .getByText(/^Loading/)
    .first()
    .waitFor({ state: "detached" });
  await page.evaluate(() => {
    for (const folded of document.querySelectorAll("main details"))
      (folded as HTMLDetailsElement).open = true;
  });
  await expect.poll(() => missingIn(page, shown.map(normal)), { message: page.url() }).toEqual([]);
  expect.soft(await page.evaluate(strayParts), page.url()).toEqual([]);
  // The answer to an unknown path is 404, which the browser notes.
  const isKnown = !new URL(page.url()).pathname.startsWith("/nothing/");
  const counted = faults.splice(0).filter((fault) => isKnown || !fault.includes("status of 404"));
  expect.soft(counted, page.url()).toEqual([]);
}

/** Returns the texts that are on none of the page's tabs. */
async function missingIn(page: Page, texts: string[]): Promise<string[]> {
  let missing = await page.evaluate(missingOf, texts);
  for (const tab of await page.locator("main [role=tab]").all()) {
    if (missing.length === 0) break;
    await tab.click();
    missing = await page.evaluate(missingOf, missing);
  }
  return missing;
}

const normal = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** Runs in the page. */
function missingOf(texts: string[]): string[] {
  const fields = [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")];
  const all = [document.body.textContent ?? "", ...fields.map(({ value }) => value)];
  const said = all.join("\n").replaceAll(/\s+/g, " ");
  return texts.filter((text) => !said.includes(text));
}

/** Runs in the page. Returns the effects of a hostile text that are more than text. */
function strayParts(): string[] {
  const found: string[] = [];
  const note = (what: string, element: Element) => found.push(`${what}: ${element.outerHTML.slice(0, 200)}`);
  const foreign =
    "iframe, object, embed, applet, math, template, marquee, frame, script:not([src], [type='application/ld+json']), form[action], meta[http-equiv]";
  for (const element of document.querySelectorAll(foreign)) {
    // React Aria keeps the items of a list in an empty template of its own.
    if (element.outerHTML !== "<template></template>") note("element", element);
  }
  if (document.querySelectorAll("base").length > 1) found.push("a second base");
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) note(`handler ${name}`, element);
      // React Aria makes ids of keys, behind a prefix of its own.
      const isOwn = name === "id" && value.startsWith("react-aria");
      if (["id", "name", "class", "style"].includes(name) && !isOwn && /\bhx\b/.test(value))
        note("name", element);
      if (["href", "src", "action", "data", "srcdoc"].includes(name)) {
        const { protocol, origin } = new URL(value, document.baseURI);
        const isOut =
          origin !== location.origin && !element.matches('a[rel~="noopener"], img[src^="data:image/"]');
        if (isOut || (protocol !== "http:" && protocol !== "https:" && protocol !== "data:"))
          note("address", element);
      }
    }
  }
  const hides =
    /[^\P{Cc}\n\r\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]|\p{M}{9,}/u;
  const text = document.body.innerText + document.title;
  const hiding = hides.exec(text);
  if (hiding)
    found.push(`hidden: ${JSON.stringify(text.slice(Math.max(0, hiding.index - 60), hiding.index + 9))}`);
  if (document.documentElement.scrollWidth > innerWidth)
    found.push(`too wide: ${document.documentElement.scrollWidth}`);
  for (const control of document.querySelectorAll("main a, main button:not(.skip), [role=dialog] button")) {
    if (!control.checkVisibility() || control.closest("[inert]")) continue;
    control.scrollIntoView({ block: "center" });
    const { left, top, width, height } = control.getClientRects()[0] ?? {};
    if (!width || !height) continue;
    const above = document.elementFromPoint(Number(left) + width / 2, Number(top) + height / 2);
    const isFree = above !== null && (control.contains(above) || above.closest(".overlay, .toasts") !== null);
    if (!isFree) note(`covered by ${above?.outerHTML.slice(0, 80)}`, control);
  }
  return found;
}
