import { z } from "@hono/zod-openapi";
import { sql } from "../../db/drizzle.ts";
import { agentProbe, probeTarget } from "../../db/schema.ts";
import { checkUrl, type UrlPolicy } from "../../untrusted/outbound/url-guard.ts";
import { refuseField } from "../http/api-error.ts";
import { timeField } from "../http/fields.ts";

/** The result of the last probe of the agent's endpoint. Null means unknown. */
export const endpointHealth = z
  .object({
    checked: z.boolean().openapi({
      description:
        "false before the first probe, while the agent is not published, and for an endpoint beyond the five hosts that are probed for an account",
    }),
    last_checked_at: timeField.nullable(),
    last_ok_at: timeField
      .nullable()
      .openapi({ description: "the time of the last answer with a status below 500" }),
    reachable: z.boolean().nullable().openapi({ description: "whether there was an HTTP answer" }),
    status_code: z.int().nullable().openapi({ example: 200 }),
    latency_ms: z.int().nullable().openapi({
      description: "the time to the answer's headers, including name resolution, connection and TLS",
      example: 87,
    }),
    tls_valid: z.boolean().nullable().openapi({ description: "null if the probe did not reach TLS" }),
    body_is_json: z
      .boolean()
      .nullable()
      .openapi({ description: "null if the body was not complete within ten seconds and 64 KiB" }),
    consecutive_failures: z.int().nullable().openapi({ example: 0 }),
    availability_7d: z.number().min(0).max(1).nullable().openapi({
      description: "the share of successful probes in the seven days before `last_checked_at`",
      example: 0.9985,
    }),
    checks_7d: z.int().nullable().openapi({ description: "the number of probes in these seven days" }),
  })
  .openapi("EndpointHealth");

type ProbeRow = {
  last_checked_at: string;
  last_ok_at: string | null;
  reachable: boolean;
  status_code: number | null;
  latency_ms: number | null;
  tls_valid: boolean | null;
  body_is_json: boolean | null;
  consecutive_failures: number;
  ok_7d: number;
  checks_7d: number;
};

/**
 * The probe result of an agent, to be selected from `agent`; null before the first probe. Results of another endpoint do
 * not count, nor do results while the agent is not published.
 */
export const healthSelection = sql<ProbeRow | null>`(
  select to_jsonb(t) from ${agentProbe} as p join ${probeTarget} as t on t.id = p.target_id
  where p.agent_id = agent.id and t.url = agent.api_endpoint and agent.status = 'published'
    and t.last_checked_at is not null)`;

/** Presents `endpoint_health` to everybody; null for an agent without an endpoint. */
export function presentHealth({
  apiEndpoint,
  health,
}: {
  apiEndpoint: string | null;
  health: ProbeRow | null;
}): z.input<typeof endpointHealth> | null {
  if (apiEndpoint === null) return null;
  if (!health) return neverProbed;
  return {
    checked: true,
    last_checked_at: new Date(health.last_checked_at).toISOString(),
    last_ok_at: health.last_ok_at && new Date(health.last_ok_at).toISOString(),
    reachable: health.reachable,
    status_code: health.status_code,
    latency_ms: health.latency_ms,
    tls_valid: health.tls_valid,
    body_is_json: health.body_is_json,
    consecutive_failures: health.consecutive_failures,
    availability_7d: Math.round((health.ok_7d / health.checks_7d) * 10_000) / 10_000,
    checks_7d: health.checks_7d,
  };
}

const neverProbed = {
  checked: false,
  last_checked_at: null,
  last_ok_at: null,
  reachable: null,
  status_code: null,
  latency_ms: null,
  tls_valid: null,
  body_is_json: null,
  consecutive_failures: null,
  availability_7d: null,
  checks_7d: null,
};

/**
 * Refuses an `api_endpoint` that cannot be probed.
 *
 * @throws ApiError `invalid_request`
 */
export function requireProbeable(
  { apiEndpoint }: { apiEndpoint?: string | null | undefined },
  policy: UrlPolicy,
): void {
  if (!apiEndpoint) return;
  const check = checkUrl(apiEndpoint, policy);
  if (!check.isAllowed) throw refuseField("api_endpoint", check.code, check.message);
}
