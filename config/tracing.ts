import type { Traced, Tracing } from "./tracing-sdk.ts";

let tracing: Tracing | null = null;

/**
 * Has this process send its traces, by OpenTelemetry, where OTEL_EXPORTER_OTLP_ENDPOINT says. Without that nothing of the
 * SDK is loaded, and what is traced just runs.
 *
 * @param service the name of the process
 */
export async function startTracing(
  config: { isTraced: boolean; chains: readonly { rpc_url: string }[] },
  service: string,
): Promise<void> {
  if (!config.isTraced || tracing) return;
  const { createTracing } = await import("./tracing-sdk.ts");
  tracing = createTracing(
    service,
    config.chains.map(({ rpc_url }) => rpc_url),
  );
}

/** Sends what is not sent yet. */
export async function stopTracing(): Promise<void> {
  await tracing?.stop();
}

/** Does work within a span of its own. `work` gets the span, where there is one, to name it by what came of it. */
export function traced<T>(
  of: Traced,
  work: (update: ((changes: Partial<Traced>) => void) | null) => Promise<T>,
): Promise<T> {
  return tracing ? tracing.run(of, work) : work(null);
}

/** The fields that log lines get from the span that they are written in. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  return tracing?.fields() ?? {};
}

/** The span that this runs in, as W3C Trace Context writes it, for who goes on with the work later; null without one. */
export function traceParent(): string | null {
  return tracing?.parent() ?? null;
}
