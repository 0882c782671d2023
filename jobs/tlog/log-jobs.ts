import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { sendGuarded } from "../../untrusted/outbound/guarded-request.ts";
import { policyOf } from "../../untrusted/outbound/url-guard.ts";
import { createPause } from "../loop.ts";
import { createCosigning } from "./cosigning.ts";
import type { LogSettings } from "./log-settings.ts";
import { type Anchored, createOutsideTrees } from "./outside-trees.ts";
import { createSequencer } from "./sequencer.ts";
import type { Send } from "./witness-client.ts";

/** Makes the two jobs of a log: the sequencer adds entries, and cosigning runs if there are witnesses. */
export function createLogJobs(
  db: Database,
  config: Pick<Config, "publicUrl">,
  settings: LogSettings,
  { anchored = null, ...options }: { log: Logger; signal: AbortSignal; anchored?: Anchored | null },
) {
  const pause = createPause();
  const outboundPolicy = policyOf(config.publicUrl);
  const send: Send = (url, request) =>
    sendGuarded(url, { ...request, policy: outboundPolicy, signal: options.signal });
  const { signer, policy } = settings;
  const published = createOutsideTrees(db, { origin: signer.key.name, policy, anchored }, send);
  const sequencer = createSequencer(db, settings, { ...options, wake: pause.cutShort, published });
  const hasWitnesses = settings.policy.witnesses.some(({ url }) => url !== null);
  const run = createCosigning(db, settings, {
    ...options,
    state: sequencer.state,
    send,
  });
  return { sequencer, cosigning: hasWitnesses ? { run, pause } : null };
}
