CREATE FUNCTION "earnest"."wake_followers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The channel of db/events.ts: whoever follows these accounts' feeds looks at once, when this transaction has ended.
  PERFORM pg_notify('earnest_event', account_id) FROM (SELECT DISTINCT account_id FROM written) AS told;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "event_wake" AFTER INSERT ON "earnest"."event"
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION earnest.wake_followers();
