-- Commits that notify take turns, each with its write to the disk. Whoever writes these tells of it after the commit (db/wakes.ts).
DROP TRIGGER "event_wake" ON "earnest"."event";--> statement-breakpoint
DROP FUNCTION "earnest"."wake_followers"();--> statement-breakpoint
CREATE OR REPLACE FUNCTION "earnest"."queue_receipt"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO earnest.log_queue (kind, subject) VALUES ('receipt', NEW.id) ON CONFLICT DO NOTHING;
  END IF;
  IF NEW.revoked_at IS NOT NULL THEN
    INSERT INTO earnest.log_queue (kind, subject, revoked_at) VALUES ('revocation', NEW.id, NEW.revoked_at)
      ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "earnest"."queue_key"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.log_queue (kind, subject) VALUES ('key', NEW.seq::text) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Orders that end are counted in the ledger's own transaction, which tells of it after its commit (db/market-changes.ts).
DROP TRIGGER "agent_change_told" ON "earnest"."agent";--> statement-breakpoint
CREATE TRIGGER "agent_change_told" AFTER UPDATE ON "earnest"."agent" FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.* AND OLD.completed_orders = NEW.completed_orders) EXECUTE FUNCTION earnest.tell_agent();--> statement-breakpoint
DROP TRIGGER "service_change_told" ON "earnest"."service";--> statement-breakpoint
CREATE TRIGGER "service_change_told" AFTER UPDATE ON "earnest"."service" FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.* AND OLD.completed_orders = NEW.completed_orders) EXECUTE FUNCTION earnest.tell_service();
