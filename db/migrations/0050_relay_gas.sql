-- The gas of what accounts asked for on a chain within the last hour, for orders that were funded and for others.
CREATE FUNCTION "earnest"."relay_gas_of_hour"(integer, OUT funded float8, OUT unfunded float8) LANGUAGE sql STABLE AS $$
  SELECT
    coalesce(sum(gas_charged + gas_charged_before) FILTER (WHERE for_funded), 0)::float8,
    coalesce(sum(gas_charged + gas_charged_before) FILTER (WHERE NOT for_funded), 0)::float8
  FROM earnest.relay
  WHERE chain_id = $1 AND account_id IS NOT NULL AND queued_at > now() - interval '1 hour'
$$;--> statement-breakpoint
-- Lets an account's transactions pass one after the other, and says what gas the account ($1) has used of its hour ($3): in
-- all, by calls that ended, and in how many seconds there is room again. Of the chain ($2) too, if all together have a bound.
CREATE FUNCTION "earnest"."lock_relay_gas"(
  text, integer, bigint, boolean,
  OUT used float8, OUT ended float8, OUT retry_after float8, OUT funded float8, OUT unfunded float8
) LANGUAGE plpgsql AS $$
BEGIN
  -- Each statement after it sees what those before have committed.
  PERFORM pg_advisory_xact_lock(hashtextextended('relay budget ' || $1, 0));
  SELECT
    coalesce(sum(gas_charged + gas_charged_before), 0),
    coalesce(sum(gas_charged_before + CASE WHEN status IN ('mined', 'failed') THEN gas_charged ELSE 0 END), 0)
  INTO used, ended
  FROM earnest.relay WHERE account_id = $1 AND queued_at > now() - interval '1 hour';
  IF used > $3 THEN
    SELECT extract(epoch FROM min(queued_at) + interval '1 hour' - now()) INTO retry_after FROM (
      SELECT queued_at, sum(gas_charged + gas_charged_before) OVER (ORDER BY queued_at, id) AS freed
      FROM earnest.relay WHERE account_id = $1 AND queued_at > now() - interval '1 hour'
    ) AS recent
    WHERE used - freed <= $3;
  ELSIF $4 THEN
    SELECT * INTO funded, unfunded FROM earnest.relay_gas_of_hour($2);
  END IF;
END $$;
