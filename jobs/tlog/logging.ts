import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import type { Database } from "../../db/client.ts";
import { policyOf } from "../../outbound/guard.ts";
import { sendGuarded } from "../../outbound/request.ts";
import { createPause } from "../loop.ts";
import { createCosigning } from "./cosigning.ts";
import { createSequencer } from "./sequencer.ts";
import type { LogSettings } from "./settings.ts";

/** The two works of a log, as jobs run them: one adds to it, the other asks its witnesses, if there are any. */
export function createLogging(
  db: Database,
  config: Pick<Config, "publicUrl">,
  settings: LogSettings,
  options: { log: Logger; signal: AbortSignal },
) {
  const pause = createPause();
  const sequencer = createSequencer(db, settings, { ...options, wake: pause.cutShort });
  const policy = policyOf(config.publicUrl);
  const isAsking = settings.policy.witnesses.some(({ url }) => url !== null);
  const run = createCosigning(db, settings, {
    ...options,
    state: sequencer.state,
    send: (url, request) => sendGuarded(url, { ...request, policy, signal: options.signal }),
  });
  return { sequencer, cosigning: isAsking ? { run, pause } : null };
}
