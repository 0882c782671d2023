-- A claim changes no indexed column any more: there has to be room beside each row for its next version.
ALTER TABLE "earnest"."webhook_delivery" SET (fillfactor = 50);--> statement-breakpoint
-- The release before knows a lease by the time of the next attempt, which stays as it was: it claims none that is leased by this one.
CREATE FUNCTION "earnest"."keep_delivery_lease"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "webhook_delivery_leased" BEFORE UPDATE OF "next_attempt_at" ON "earnest"."webhook_delivery"
  FOR EACH ROW WHEN (OLD.status = 'pending' AND OLD.leased_until > now() AND NEW.lease_owner <> OLD.lease_owner)
  EXECUTE FUNCTION earnest.keep_delivery_lease();
