import { eventText } from "../../facts/events.ts";
import { delayAfter, mostAttempts } from "../../jobs/webhooks/schedule.ts";
import { deriveSecret, signDelivery, verifyWebhook } from "../../webhooks/signature.ts";
import type { Scene } from "../checker/reading.ts";
import type { Random } from "../random.ts";
import type { Told } from "./ledger.ts";

const master = new Uint8Array(32).fill(7);
export const secretOf = (account: string) => deriveSecret(master, account, 1);

/** How far a receiver's clock may be wrong, in seconds. */
const mostSkew = 299;

/**
 * Delivers events by webhook in virtual time, by the real schedule and signature, to receivers that are away for hours or
 * lose their answers, by workers that die or send twice. What has used up its attempts is recovered by its owner.
 *
 * @returns what the receivers got
 * @throws where the schedule ends early, or a receiver refuses a signature
 */
export function deliverAll(told: Told[], random: Random, start: number): Scene["received"] {
  const received: Scene["received"] = [];
  const away = new Map(
    [...new Set(told.map(({ account }) => account))].map((account) => {
      const from = start + random.whole(-100_000, 100_000);
      return [
        account,
        {
          from,
          to: from + random.pick([0, 60, 7000, 90_000, 400_000]),
          skew: random.whole(-mostSkew, mostSkew),
        },
      ];
    }),
  );
  for (const [at, { account, event }] of told.entries()) {
    const id = `whd_${at}`;
    const raw = eventText(event, id);
    const receiver = away.get(account) ?? { from: 0, to: 0, skew: 0 };
    let now = Math.max(start, Math.floor(event.createdAt.getTime() / 1000));
    for (let attempts = 1; ; attempts += 1) {
      const isAway = now >= receiver.from && now < receiver.to;
      const copies = random.chance(0.05) ? 2 : 1;
      for (let copy = 0; copy < copies && !isAway; copy += 1) take(account, id, raw, now, receiver.skew);
      if (!isAway && !random.chance(0.1)) break;
      const delay = delayAfter(
        attempts,
        random.chance(0.2) ? random.whole(0, 10 ** 8) : null,
        random.fraction(),
      );
      if ((delay === null) !== attempts >= mostAttempts)
        throw new Error(`The schedule ends after ${attempts} attempts.`);
      // A failed delivery waits for its owner, who has it sent anew once the receiver is back.
      now = delay === null ? Math.max(now, receiver.to) : now + Math.ceil(delay / 1000);
      if (delay === null) attempts = 0;
    }
  }
  return received;

  function take(account: string, id: string, raw: string, sentAt: number, skew: number): void {
    const signed = signDelivery({ id, timestamp: sentAt, body: raw, secrets: [secretOf(account)] });
    const header = signed["X-Service-Signature"];
    const accepts = (text: string, at: number) => verifyWebhook(text, header, secretOf(account), at);
    if (!accepts(raw, sentAt + skew)) throw new Error(`${account} refuses ${id}, which is well signed.`);
    if (accepts(`${raw} `, sentAt + skew) || accepts(raw, sentAt + 301))
      throw new Error(`${account} takes a wrong ${id}.`);
    const headers = { "x-service-signature": header, "x-service-delivery": id };
    received.push({ name: account, headers, raw });
  }
}
