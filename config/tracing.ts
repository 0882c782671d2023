import type { Traced, Tracing } from "./tracing-sdk.ts";

let tracing: Tracing | null = null;

/**
 * Starts sending this process's traces to OTEL_EXPORTER_OTLP_ENDPOINT by OpenTelemetry. Without that setting the SDK is not
 * loaded, and traced work runs without spans.
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

/** Sends the remaining spans. */
export async function stopTracing(): Promise<void> {
  await tracing?.stop();
}

/** Runs work within a new span. `work` gets a function that updates the span; null without tracing. */
export function inSpan<T>(
  of: Traced,
  work: (update: ((changes: Partial<Traced>) => void) | null) => Promise<T>,
): Promise<T> {
  return tracing ? tracing.run(of, work) : work(null);
}

/** The fields that log lines get from the span that they are written in. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  return tracing?.fields() ?? {};
}

/** Returns the current span as a W3C `traceparent`, for work that continues later; null without a span. */
export function traceParent(): string | null {
  return tracing?.parent() ?? null;
}
