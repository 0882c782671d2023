import { sql } from "../../db/drizzle.ts";

/** The longer a receiver fails, the longer its pauses are, up to this multiple of the first pause. */
const slowdowns = { endpoint: 30, host: 5 };

/** Returns SQL for the time of the next trial of a receiver that is failing. */
export const nextTrial = (of: keyof typeof slowdowns, { trialSeconds }: { trialSeconds: number }) => sql`
  now() + make_interval(secs => least(${trialSeconds * slowdowns[of]}::float8, greatest(
    ${trialSeconds}::float8, extract(epoch from now() - coalesce(failing_since, now()))::float8 / 10)))`;
