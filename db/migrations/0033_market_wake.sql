-- The channel of db/market-changes.ts: whoever keeps answers about the market drops them when this transaction has ended.
CREATE FUNCTION "earnest"."tell_agent"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('earnest_market', 'agent ' || CASE WHEN TG_OP = 'DELETE' THEN OLD.id ELSE NEW.id END);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."tell_service"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('earnest_market', 'agent ' || CASE WHEN TG_OP = 'DELETE' THEN OLD.agent_id ELSE NEW.agent_id END);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."tell_beside_agent"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('earnest_market', 'beside ' || CASE WHEN TG_OP = 'DELETE' THEN OLD.agent_id ELSE NEW.agent_id END);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."tell_probe"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('earnest_market', 'beside ' || agent_id) FROM earnest.agent_probe WHERE target_id = NEW.id;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "agent_told" AFTER INSERT OR DELETE ON "earnest"."agent"
  FOR EACH ROW EXECUTE FUNCTION earnest.tell_agent();--> statement-breakpoint
CREATE TRIGGER "agent_change_told" AFTER UPDATE ON "earnest"."agent"
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION earnest.tell_agent();--> statement-breakpoint
CREATE TRIGGER "service_told" AFTER INSERT OR DELETE ON "earnest"."service"
  FOR EACH ROW EXECUTE FUNCTION earnest.tell_service();--> statement-breakpoint
CREATE TRIGGER "service_change_told" AFTER UPDATE ON "earnest"."service"
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION earnest.tell_service();--> statement-breakpoint
CREATE TRIGGER "agent_identity_told" AFTER INSERT OR DELETE ON "earnest"."agent_identity"
  FOR EACH ROW EXECUTE FUNCTION earnest.tell_beside_agent();--> statement-breakpoint
CREATE TRIGGER "agent_identity_change_told" AFTER UPDATE ON "earnest"."agent_identity"
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION earnest.tell_beside_agent();--> statement-breakpoint
CREATE TRIGGER "agent_probe_told" AFTER INSERT OR DELETE ON "earnest"."agent_probe"
  FOR EACH ROW EXECUTE FUNCTION earnest.tell_beside_agent();--> statement-breakpoint
CREATE TRIGGER "agent_probe_change_told" AFTER UPDATE ON "earnest"."agent_probe"
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION earnest.tell_beside_agent();--> statement-breakpoint
-- Not of being claimed for a probe, which nobody is shown.
CREATE TRIGGER "probe_target_told" AFTER UPDATE ON "earnest"."probe_target"
  FOR EACH ROW WHEN (OLD.last_checked_at IS DISTINCT FROM NEW.last_checked_at) EXECUTE FUNCTION earnest.tell_probe();
