CREATE TABLE "earnest"."relay_gas" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "earnest"."relay_gas_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"scope" text NOT NULL,
	"minute" timestamp with time zone NOT NULL,
	"charged" bigint NOT NULL,
	"ended" bigint NOT NULL,
	"funded" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "relay_gas_minute" ON "earnest"."relay_gas" USING btree ("scope","minute");--> statement-breakpoint
-- Room for the next version of a row on its page, so that its indexes stay as they are.
ALTER TABLE "earnest"."relay_gas" SET (fillfactor = 50);--> statement-breakpoint
-- Adds to the sums of an account ($1) and a chain ($2) for the minute of $3: to what is charged, to what of it has ended, and to
-- what of it is for funded orders. What left the hour long ago is not counted anywhere.
CREATE FUNCTION "earnest"."add_relay_gas"(text, integer, timestamptz, bigint, bigint, bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  -- Not named as a column is.
  which text;
  at timestamptz := date_trunc('minute', $3);
BEGIN
  IF at < now() - interval '2 hours' THEN RETURN; END IF;
  FOREACH which IN ARRAY ARRAY[$1, $2::text] LOOP
    -- A row that another transaction has is left to it: a wait here could be one of two that wait for each other.
    UPDATE earnest.relay_gas AS sums
    SET charged = sums.charged + $4, ended = sums.ended + $5, funded = sums.funded + $6
    WHERE id = (
      SELECT id FROM earnest.relay_gas WHERE scope = which AND minute = at LIMIT 1 FOR UPDATE SKIP LOCKED
    );
    IF NOT FOUND THEN
      INSERT INTO earnest.relay_gas (scope, minute, charged, ended, funded) VALUES (which, at, $4, $5, $6);
    END IF;
  END LOOP;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."count_relay_gas"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_gas bigint := OLD.gas_charged + OLD.gas_charged_before;
  old_ended bigint := CASE WHEN OLD.status IN ('mined', 'failed') THEN old_gas ELSE OLD.gas_charged_before END;
  old_funded bigint := CASE WHEN OLD.for_funded THEN old_gas ELSE 0 END;
  new_gas bigint := NEW.gas_charged + NEW.gas_charged_before;
  new_ended bigint := CASE WHEN NEW.status IN ('mined', 'failed') THEN new_gas ELSE NEW.gas_charged_before END;
  new_funded bigint := CASE WHEN NEW.for_funded THEN new_gas ELSE 0 END;
BEGIN
  IF NEW.account_id = OLD.account_id AND NEW.chain_id = OLD.chain_id
    AND date_trunc('minute', NEW.queued_at) = date_trunc('minute', OLD.queued_at) THEN
    PERFORM earnest.add_relay_gas(
      NEW.account_id, NEW.chain_id, NEW.queued_at, new_gas - old_gas, new_ended - old_ended, new_funded - old_funded
    );
    RETURN NULL;
  END IF;
  IF OLD.account_id IS NOT NULL THEN
    PERFORM earnest.add_relay_gas(OLD.account_id, OLD.chain_id, OLD.queued_at, -old_gas, -old_ended, -old_funded);
  END IF;
  IF NEW.account_id IS NOT NULL THEN
    PERFORM earnest.add_relay_gas(NEW.account_id, NEW.chain_id, NEW.queued_at, new_gas, new_ended, new_funded);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "relay_gas_added" AFTER INSERT ON "earnest"."relay"
  FOR EACH ROW WHEN (NEW.account_id IS NOT NULL) EXECUTE FUNCTION "earnest"."count_relay_gas"();--> statement-breakpoint
CREATE TRIGGER "relay_gas_changed"
  AFTER UPDATE OF "status", "account_id", "chain_id", "queued_at", "for_funded", "gas_charged", "gas_charged_before"
  ON "earnest"."relay" FOR EACH ROW
  WHEN (
    (OLD.account_id IS NOT NULL OR NEW.account_id IS NOT NULL) AND
    (OLD.account_id, OLD.chain_id, OLD.queued_at, OLD.for_funded, OLD.gas_charged, OLD.gas_charged_before, OLD.status IN ('mined', 'failed'))
    IS DISTINCT FROM
    (NEW.account_id, NEW.chain_id, NEW.queued_at, NEW.for_funded, NEW.gas_charged, NEW.gas_charged_before, NEW.status IN ('mined', 'failed'))
  ) EXECUTE FUNCTION "earnest"."count_relay_gas"();--> statement-breakpoint
CREATE TRIGGER "relay_gas_removed" AFTER DELETE ON "earnest"."relay"
  FOR EACH ROW WHEN (OLD.account_id IS NOT NULL) EXECUTE FUNCTION "earnest"."count_relay_gas"();--> statement-breakpoint
-- Under the triggers' lock of the table, so that it misses nothing that another program queues meanwhile.
INSERT INTO "earnest"."relay_gas" ("scope", "minute", "charged", "ended", "funded")
SELECT
  scope, minute, sum(charged), coalesce(sum(charged) FILTER (WHERE has_ended), 0),
  coalesce(sum(charged) FILTER (WHERE for_funded), 0)
FROM (
  SELECT
    unnest(ARRAY[account_id, chain_id::text]) AS scope, date_trunc('minute', queued_at) AS minute, for_funded,
    part.charged, part.has_ended
  FROM earnest.relay CROSS JOIN LATERAL (
    VALUES (gas_charged, status IN ('mined', 'failed')), (gas_charged_before, true)
  ) AS part (charged, has_ended)
  WHERE account_id IS NOT NULL AND queued_at > now() - interval '2 hours'
) AS recent
GROUP BY scope, minute;--> statement-breakpoint
-- The gas of a scope within the last hour: whole minutes by their sums. What the minute in which the hour began has of it is
-- added by whoever asks, from the relays themselves.
CREATE FUNCTION "earnest"."relay_gas_since"(
  text, timestamptz, OUT charged float8, OUT ended float8, OUT funded float8
) LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(charged), 0)::float8, coalesce(sum(ended), 0)::float8, coalesce(sum(funded), 0)::float8
  FROM earnest.relay_gas WHERE scope = $1 AND minute >= $2
$$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "earnest"."relay_gas_of_hour"(integer, OUT funded float8, OUT unfunded float8) LANGUAGE plpgsql STABLE AS $$
DECLARE
  whole timestamptz := date_trunc('minute', now() - interval '1 hour') + interval '1 minute';
  sums record;
BEGIN
  SELECT * INTO sums FROM earnest.relay_gas_since($1::text, whole);
  SELECT
    sums.funded + coalesce(sum(gas_charged + gas_charged_before) FILTER (WHERE for_funded), 0),
    sums.charged - sums.funded + coalesce(sum(gas_charged + gas_charged_before) FILTER (WHERE NOT for_funded), 0)
  INTO funded, unfunded
  FROM earnest.relay
  WHERE chain_id = $1 AND account_id IS NOT NULL AND queued_at > now() - interval '1 hour' AND queued_at < whole;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "earnest"."lock_relay_gas"(
  text, integer, bigint, boolean,
  OUT used float8, OUT ended float8, OUT retry_after float8, OUT funded float8, OUT unfunded float8
) LANGUAGE plpgsql AS $$
DECLARE
  whole timestamptz := date_trunc('minute', now() - interval '1 hour') + interval '1 minute';
  sums record;
BEGIN
  -- Each statement after it sees what those before have committed.
  PERFORM pg_advisory_xact_lock(hashtextextended('relay budget ' || $1, 0));
  SELECT * INTO sums FROM earnest.relay_gas_since($1, whole);
  SELECT
    sums.charged + coalesce(sum(gas_charged + gas_charged_before), 0),
    sums.ended + coalesce(sum(gas_charged_before + CASE WHEN status IN ('mined', 'failed') THEN gas_charged ELSE 0 END), 0)
  INTO used, ended
  FROM earnest.relay WHERE account_id = $1 AND queued_at > now() - interval '1 hour' AND queued_at < whole;
  IF used > $3 THEN
    SELECT extract(epoch FROM min(queued_at) + interval '1 hour' - now()) INTO retry_after FROM (
      SELECT queued_at, sum(gas_charged + gas_charged_before) OVER (ORDER BY queued_at, id) AS freed
      FROM earnest.relay WHERE account_id = $1 AND queued_at > now() - interval '1 hour'
    ) AS recent
    WHERE used - freed <= $3;
  ELSIF $4 THEN
    SELECT * INTO funded, unfunded FROM earnest.relay_gas_of_hour($2);
  END IF;
END $$;--> statement-breakpoint
-- Refuses a call of an account ($1) on a chain ($2), for a funded order or not ($3), that was just queued: where the account is
-- beyond its gas of the hour ($4), or all together beyond theirs ($5) or, without money, beyond their part of it ($6). A
-- statement that fails is no answer to wait for, so the commit can go with it.
CREATE FUNCTION "earnest"."require_relay_gas"(text, integer, boolean, bigint, bigint, bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  gas record;
  whose text;
BEGIN
  SELECT * INTO gas FROM earnest.lock_relay_gas($1, $2, $4, $5 IS NOT NULL);
  whose := CASE
    WHEN gas.used > $4 THEN 'account'
    WHEN gas.funded + gas.unfunded > $5 THEN 'all'
    WHEN NOT $3 AND gas.unfunded > $6 THEN 'unfunded'
  END;
  IF whose IS NOT NULL THEN
    RAISE EXCEPTION USING
      ERRCODE = 'EG001', MESSAGE = 'the gas of the hour is used up',
      DETAIL = json_build_object('whose', whose, 'ended', gas.ended, 'retry_after', gas.retry_after)::text;
  END IF;
END $$;
