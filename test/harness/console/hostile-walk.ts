import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { expectStatus, requesterOf, type Session } from "../api.ts";
import { answers, type startRecorder } from "../jobs/deliveries.ts";
import { until } from "../jobs/ledger.ts";
import type { startMailServer } from "../mail.ts";
import type { TestStack } from "../stack.ts";
import type { Visitor } from "./browser.ts";
import { hidden, hostile } from "./hostile.ts";
import { fillMarket, otherPages } from "./hostile-market.ts";
import { expectInert, openGuarded, watchPages } from "./inert.ts";

type Around = {
  mail: Awaited<ReturnType<typeof startMailServer>>;
  receiver: Awaited<ReturnType<typeof startRecorder>>;
};

/**
 * Writes hostile text into every field. Asserts that it is plain text on each page, in the dialog before the
 * wallet, in the mails and in the table of payments.
 */
export async function walkHostileMarket(
  stack: TestStack,
  visitor: Visitor,
  victim: Session,
  { mail, receiver }: Around,
): Promise<void> {
  const api = requesterOf(stack.baseUrl);
  const { page } = visitor;
  const { token } = victim;
  await watchPages(visitor, stack.baseUrl);
  const address = await confirmMail();
  const { pages, unpaid } = await fillMarket(stack, api, victim);
  pages.push(await failDelivery());
  for (const { path, shows } of [...pages, ...otherPages.map((path) => ({ path, shows: [] }))]) {
    await openGuarded(visitor, path);
    await expectInert(visitor, shows);
  }

  // A schema's enumeration is shown where a value breaks it.
  await openGuarded(visitor, pages[0]?.path ?? "");
  await page.getByRole("button", { name: "Place order" }).click();
  await page.getByText("none of these").first().waitFor({ state: "attached" });
  await expectInert(visitor);

  // The signed data is set apart from the provider's title.
  await openGuarded(visitor, unpaid.path);
  await page.getByRole("button", { name: /^Pay \d/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Confirm in wallet" }).waitFor();
  await expectInert(visitor, unpaid.shows);
  expect(await dialog.locator(".prose").textContent()).toContain(unpaid.shows[0]);
  const facts = await dialog.locator("dl, ol, h2").allTextContents();
  expect(facts.filter((fact) => /hx/.test(fact))).toEqual([]);
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await walkToasts(visitor, api, token);

  await until(async () => mail.taken.filter(({ to }) => to === address)[1], "a mail of an event");
  for (const { raw, text, headers } of mail.taken.filter(({ to }) => to === address)) {
    // A mail names the service, as text only.
    const html = raw.slice(raw.indexOf("text/html"));
    expect(html).not.toMatch(/<(script|img|svg|iframe|a)\b[^>]*\bhx\b/);
    expect(headers.get("subject")).toMatch(/^[^\p{C}]+$/u);
    const links = text.match(/https?:[^\s"<]+/g) ?? [];
    const known = [stack.baseUrl, "http://www.w3.org/TR/"];
    expect(links.filter((link) => !known.some((start) => link.startsWith(start)))).toEqual([]);
  }
  const headers = { authorization: `Bearer ${token}` };
  const table = await fetch(`${stack.baseUrl}/exports/payments.csv`, { headers });
  const cells = (await table.text()).split(/[,\r\n]+/);
  expect(cells.length).toBeGreaterThan(40);
  expect(cells.filter((cell) => /^"?[=+\-@\t]/.test(cell))).toEqual([]);

  /** Confirms an address for the victim's events. An address that would add a header is refused. */
  async function confirmMail(): Promise<string> {
    const wish = (to: string) =>
      api.request("PUT", "/me/email", { token, body: { address: to, events: ["*"] } });
    expectStatus(400, await wish("victim@example.org\r\nBcc: hx@hx.invalid"));
    const to = `${victim.accountId}@example.org`;
    expectStatus(200, await wish(to));
    const sent = await until(async () => mail.taken.find((one) => one.to === to), "the mail");
    const [link] = /http:\S+\/mail\/verify\?token=[\w.-]+/.exec(sent.text) ?? [];
    expect((await fetch(String(link), { method: "POST" })).status).toBe(200);
    return to;
  }

  /** Makes the receiver of the victim's events answer with hostile text. */
  async function failDelivery() {
    const body = [...hidden, ...hostile].join("\n");
    const url = new URL("/hostile?<script>hx(1)</script>", receiver.url);
    receiver.reactions.set(
      url.pathname + url.search,
      answers(500, { "x-hx": "<script>hx(1)</script>" }, body),
    );
    const endpoint = {
      url: `${receiver.url}/hostile?<script>hx(1)</script>`,
      events: ["*"],
      description: "<b>",
    };
    const { id } = expectStatus(201, await api.request("POST", "/webhooks", { token, body: endpoint }));
    const path = `/webhooks/${id}`;
    const { body: tried } = await api.request("POST", `${path}/test`, { token, body: {} });
    await until(async () => {
      const { body: found } = await api.request("GET", `${path}/deliveries/${tried.id}`, { token });
      return found.attempt_list.length > 0 ? true : undefined;
    }, "the delivery");
    return { path: `${path}/${tried.id}`, shows: [...hostile] };
  }
}

/** Asserts that toasts and menus mark the names of users, as pages do. */
async function walkToasts(
  visitor: Visitor,
  api: ReturnType<typeof requesterOf>,
  token: string,
): Promise<void> {
  const { page } = visitor;
  const name = hostile[0] as string;
  const key = expectStatus(
    201,
    await api.request("POST", "/api-keys", { token, body: { name, scopes: ["agents:read"] } }),
  );
  await openGuarded(visitor, `/keys?key=${key.id}`);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Revoke key/ }).click();
  await expectMarked(dialog.getByRole("button", { name: /permanently$/ }), name);
  await dialog.getByRole("button", { name: /permanently$/ }).click();
  await expectMarked(page.locator(".toast"), name);
  await expectInert(visitor, [name]);

  const { items } = expectStatus(200, await api.request("GET", "/invitations", { token }));
  const organisation = items[0].organisation_name as string;
  await openGuarded(visitor, "/settings/organisation");
  await page.getByRole("button", { name: /^Join / }).click();
  await expectMarked(page.locator(".toast").filter({ hasText: "You joined" }), organisation);
  await expectMarked(page.getByRole("button", { name: /^Account / }), organisation);
  await expectInert(visitor, [organisation]);
  const left = await api.request(
    "DELETE",
    `/organisations/${items[0].organisation_id}/members/${await ownId()}`,
    {
      token,
    },
  );
  expectStatus(200, left);

  async function ownId(): Promise<string> {
    return expectStatus(200, await api.request("GET", "/me", { token })).id;
  }
}

/** Asserts that a part of the page shows a user's text in a mark, and nowhere else. */
async function expectMarked(part: Locator, text: string): Promise<void> {
  await part.locator(".words, .prose").filter({ hasText: text }).first().waitFor();
  const unmarked = await part.first().evaluate((element) => {
    const copy = element.cloneNode(true) as HTMLElement;
    for (const mark of copy.querySelectorAll(".words, .prose")) mark.remove();
    return copy.textContent;
  });
  expect(unmarked).not.toContain(text);
}
