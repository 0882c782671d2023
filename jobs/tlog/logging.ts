import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { sendGuarded } from "../../untrusted/outbound/guarded-request.ts";
import { policyOf } from "../../untrusted/outbound/url-guard.ts";
import { createPause } from "../loop.ts";
import { createCosigning } from "./cosigning.ts";
import type { LogSettings } from "./log-settings.ts";
import { type Anchored, createOutside } from "./published-trees.ts";
import { createSequencer } from "./sequencer.ts";
import type { Send } from "./witness-client.ts";

/** The two works of a log, as jobs run them: one adds to it, the other asks its witnesses, if there are any. */
export function createLogging(
  db: Database,
  config: Pick<Config, "publicUrl">,
  settings: LogSettings,
  { anchored = null, ...options }: { log: Logger; signal: AbortSignal; anchored?: Anchored | null },
) {
  const pause = createPause();
  const guard = policyOf(config.publicUrl);
  const send: Send = (url, request) =>
    sendGuarded(url, { ...request, policy: guard, signal: options.signal });
  const { signer, policy } = settings;
  const outside = createOutside(db, { origin: signer.key.name, policy, anchored }, send);
  const sequencer = createSequencer(db, settings, { ...options, wake: pause.cutShort, outside });
  const isAsking = settings.policy.witnesses.some(({ url }) => url !== null);
  const run = createCosigning(db, settings, {
    ...options,
    state: sequencer.state,
    send,
  });
  return { sequencer, cosigning: isAsking ? { run, pause } : null };
}
