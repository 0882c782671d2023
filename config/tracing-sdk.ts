import { subscribe } from "node:diagnostics_channel";
import {
  type Attributes,
  context,
  isSpanContextValid,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

/** The subject of a span. */
export type Traced = {
  name: string;
  kind?: "server" | "internal";
  attributes?: Attributes;
  /** the `traceParent` of the parent span; the current span by default */
  parent?: string | null;
};

export type Tracing = ReturnType<typeof createTracing>;

type Request = { origin: string; method: string };

/**
 * Starts the SDK, which reads the rest of its settings itself. This module is loaded only if traces are sent.
 *
 * @param nodes URLs of nodes whose requests become spans. A span has only the host, because a URL may hold a key
 */
export function createTracing(service: string, nodes: readonly string[]) {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": `earnest-${service}` }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer("earnest");
  followNodes(new Set(nodes.map((url) => new URL(url).origin)));

  return {
    stop: () => provider.shutdown(),
    fields() {
      const found = trace.getActiveSpan()?.spanContext();
      return found ? { trace_id: found.traceId, span_id: found.spanId } : {};
    },
    parent(): string | null {
      const found = trace.getActiveSpan()?.spanContext();
      return found ? `00-${found.traceId}-${found.spanId}-0${found.traceFlags & 1}` : null;
    },
    run<T>(
      { name, kind = "internal", attributes = {}, parent }: Traced,
      work: (update: (changes: Partial<Traced>) => void) => Promise<T>,
    ): Promise<T> {
      const kinds = { server: SpanKind.SERVER, internal: SpanKind.INTERNAL };
      const cause = parent ? causeOf(parent) : context.active();
      return tracer.startActiveSpan(name, { kind: kinds[kind], attributes }, cause, async (span) => {
        try {
          return await work((changes) => {
            if (changes.name !== undefined) span.updateName(changes.name);
            span.setAttributes(changes.attributes ?? {});
          });
        } catch (error) {
          // The message of a node or a database may hold private data, so the span has only the name.
          span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : "" });
          throw error;
        } finally {
          span.end();
        }
      });
    },
  };

  /** Creates spans for requests to nodes, from the diagnostics channel of Node's `fetch`. */
  function followNodes(origins: ReadonlySet<string>): void {
    const spans = new WeakMap<Request, Span>();
    const on = (
      name: string,
      handle: (event: { request: Request; response?: { statusCode: number } }) => void,
    ) => subscribe(`undici:request:${name}`, (event) => handle(event as { request: Request }));
    on("create", ({ request }) => {
      if (!origins.has(request.origin) || !trace.getActiveSpan()) return;
      const attributes = {
        "server.address": new URL(request.origin).host,
        "http.request.method": request.method,
      };
      spans.set(request, tracer.startSpan("node", { kind: SpanKind.CLIENT, attributes }));
    });
    on("headers", ({ request, response }) =>
      spans.get(request)?.setAttribute("http.response.status_code", response?.statusCode ?? 0),
    );
    on("trailers", ({ request }) => spans.get(request)?.end());
    on("error", ({ request }) => {
      const span = spans.get(request);
      span?.setStatus({ code: SpanStatusCode.ERROR });
      span?.end();
    });
  }
}

function causeOf(parent: string) {
  const [, traceId = "", spanId = "", flags = ""] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(parent) ?? [];
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(found) ? trace.setSpanContext(context.active(), found) : context.active();
}
