CREATE OR REPLACE FUNCTION "earnest"."wake_followers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Commits that notify take turns, each with its write to the disk. Who sets this tells by itself, when it has ended.
  IF current_setting('earnest.tells_itself', true) = 'on' THEN RETURN NULL; END IF;
  -- The channel of db/events.ts: whoever follows these accounts' feeds looks at once, when this transaction has ended.
  PERFORM pg_notify('earnest_event', account_id) FROM (SELECT DISTINCT account_id FROM written) AS told;
  RETURN NULL;
END $$;
